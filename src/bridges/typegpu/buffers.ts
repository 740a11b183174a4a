/** Typed buffers of TypeGPU, as collections take them. */
import type { StorageFlag, TgpuBuffer } from 'typegpu';
import type * as d from 'typegpu/data';
import { InvalidInputError, refuse, requireMembers, UnsupportedError, within } from '../../gpu/index.ts';
import { f32, i32, type KeyType, u32, u64, vec2f, vec2i, vec4f, vec4i } from '../../keys/index.ts';
import { type ValueType, valueTypes } from '../../table/values.ts';

/** A storage buffer with an array of such elements. */
export type StoredArray<Element extends d.AnyWgslData = d.AnyWgslData> = TgpuBuffer<d.WgslArray<Element>> & StorageFlag;

/** The types of keys, by what they are in a buffer. */
const KEYS = { u32, i32, f32, vec2u: u64, vec2i, vec4i, vec2f, vec4f } as const;

/** The array that the host has for values of a buffer with such elements. */
export type ValuesIn<Element> = Element extends d.U32 | d.Vec2u | d.Vec4u
  ? Uint32Array
  : Element extends d.I32 | d.Vec2i | d.Vec4i
    ? Int32Array
    : Float32Array;

/** The same for keys, of which two words are one number. */
export type KeysIn<Element> = Element extends d.Vec2u ? BigUint64Array : ValuesIn<Element>;

/** Types that collections need to know of buffers. */
export interface ItemTypes<Key, Value> {
  readonly key: KeyType<KeysIn<Key>>;
  readonly value: ValueType<ValuesIn<Value>>;
}

/** The buffers of items, and how many there are. */
export interface ItemBuffers {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  readonly count: number;
}

/**
 * The items of typed buffers, and the types that follow from them: the arguments of `from`, `rebuild` and the like behind the `Gpu`. Keys are
 * u32, i32, f32, vec2i, vec4i, vec2f, vec4f, or vec2u for 64-bit integers; values of sets are left out.
 * @example
 * const map = await HashMap.from(gpu, ...itemsOf({ keys, values }));
 */
export function itemsOf<Key extends d.AnyWgslData, Value extends d.AnyWgslData>(items: {
  readonly keys: StoredArray<Key>;
  readonly values: StoredArray<Value>;
}): [items: ItemBuffers, types: ItemTypes<Key, Value>];
export function itemsOf<Key extends d.AnyWgslData>(items: {
  readonly keys: StoredArray<Key>;
}): [items: Omit<ItemBuffers, 'values'>, types: Pick<ItemTypes<Key, unknown>, 'key'>];
export function itemsOf(items: { readonly keys: StoredArray; readonly values?: StoredArray }): [object, object] {
  return within('itemsOf', () => {
    requireMembers(items, 'items', ['keys', 'values']);
    const { keys, values } = items;
    const key = typeIn(KEYS, keys, 'keys');
    const value = values && typeIn(valueTypes, values, 'values');
    return [buffersOf({ keys, ...(values && { values }) }), { key, ...(value && { value }) }];
  });
}

/** What stands behind typed buffers, and how many elements each of them has at least. */
export function buffersOf(buffers: Readonly<Record<string, StoredArray>>): Record<string, GPUBuffer | number> {
  const all = Object.entries(buffers).map(
    ([name, stored]) => [name, elementOf(stored, name) && stored.buffer] as const,
  );
  const count = Math.min(...Object.values(buffers).map(({ dataType }) => dataType.elementCount));
  return { ...Object.fromEntries(all), count };
}

/** The name of the type of a buffer's elements; throws unless they lie one behind the other. */
export function elementOf(stored: StoredArray, name: string): string {
  const { resourceType, dataType, usableAsStorage, destroyed } = Object(stored) as StoredArray;
  if (resourceType !== 'buffer' || dataType?.type !== 'array')
    refuse(name, 'a buffer of root.createBuffer(d.arrayOf(…))', stored);
  if (destroyed) throw new InvalidInputError(`${name} was destroyed`);
  if (!usableAsStorage) throw new InvalidInputError(`${name} needs .$usage('storage')`);
  const { type } = dataType.elementType;
  if (/^vec3/.test(type)) {
    throw new UnsupportedError(
      `${name}: each ${type} of an array takes four words in TypeGPU, and three here; use vec4`,
    );
  }
  return type;
}

function typeIn<Type>(types: Readonly<Record<string, Type>>, stored: StoredArray, name: string): Type {
  const element = elementOf(stored, name);
  const type = types[element];
  // 64-bit integers are no elements of TypeGPU's.
  if (type === undefined) refuse(name, `an array of ${Object.keys(types).join(', ')}`, element);
  return type;
}
