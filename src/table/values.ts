/** Types of values: from a caller's typed array to words of the table, and from there to a shader's own type. */
import { arrayKind, InvalidInputError, isBuffer, refuse, requireAttached } from '../gpu/index.ts';
import { firstNotKept, fromWords, wordsOf } from '../keys/index.ts';
import { join, type WgslPart, wgsl } from '../wgsl/index.ts';
import type { Fresh } from './source.ts';

/** Typed arrays that can be values. */
export type ValueArray = Uint32Array | Int32Array | Float32Array | BigUint64Array | BigInt64Array;

/** Numbers of one, two, three or four to a value, in WGSL's own words. */
export type VectorName = `vec${2 | 3 | 4}${'u' | 'i' | 'f'}`;

/** A type of value, of one to four words: how words of the table become the caller's typed array again. */
export interface ValueType<V extends ValueArray = ValueArray> {
  readonly name: 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | VectorName;
  readonly words: 1 | 2 | 3 | 4;
  /** Elements of the typed array that are one value. */
  readonly components: 1 | 2 | 3 | 4;
  /** The WGSL type: the name, but for 64-bit integers `vec2u(low, high)`. */
  readonly shaderType: 'u32' | 'i32' | 'f32' | VectorName;
  readonly array: {
    readonly name: string;
    readonly BYTES_PER_ELEMENT: number;
    new (length: number): V;
    new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): V;
  };
}

const scalar = <V extends ValueArray>(
  name: 'u32' | 'i32' | 'f32' | 'u64' | 'i64',
  array: ValueType<V>['array'],
): ValueType<V> => {
  const isWide = name === 'u64' || name === 'i64';
  return { name, words: isWide ? 2 : 1, components: 1, shaderType: isWide ? 'vec2u' : name, array };
};

const vector = <V extends ValueArray>(name: VectorName, array: ValueType<V>['array']): ValueType<V> => {
  const components = Number(name[3]) as 2 | 3 | 4;
  return { name, words: components, components, shaderType: name, array };
};

/**
 * The value types. Numbers are known by their typed array; vectors, which lie one behind the other in it, are named:
 * @example
 * const map = await HashMap.from(gpu, { keys, values: floats }, { value: valueTypes.vec4f }); // four floats a key
 */
export const valueTypes = {
  u32: scalar('u32', Uint32Array),
  i32: scalar('i32', Int32Array),
  f32: scalar('f32', Float32Array),
  u64: scalar('u64', BigUint64Array),
  i64: scalar('i64', BigInt64Array),
  vec2u: vector('vec2u', Uint32Array),
  vec3u: vector('vec3u', Uint32Array),
  vec4u: vector('vec4u', Uint32Array),
  vec2i: vector('vec2i', Int32Array),
  vec3i: vector('vec3i', Int32Array),
  vec4i: vector('vec4i', Int32Array),
  vec2f: vector('vec2f', Float32Array),
  vec3f: vector('vec3f', Float32Array),
  vec4f: vector('vec4f', Float32Array),
} as const satisfies { readonly [Name in ValueType['name']]: ValueType };

/** The value type of a typed array of numbers, one for each value. */
export function valueTypeOf<V extends ValueArray>(values: V): ValueType<V> {
  const kind = arrayKind(values);
  const found = Object.values(valueTypes).find(({ array, components }) => components === 1 && array.name === kind);
  if (!found) {
    refuse('values', 'a Uint32Array, Int32Array, Float32Array, BigUint64Array, BigInt64Array or GPUBuffer', values);
  }
  requireAttached(values, 'values');
  return found as unknown as ValueType<V>;
}

/** The value type that is named, or that of an array; of values in a `GPUBuffer`, `u32`. */
export function inferValueType<V extends ValueArray>(
  values: V | GPUBuffer,
  named: ValueType<V> | undefined,
): ValueType<V> {
  if (named === undefined) return isBuffer(values) ? (valueTypes.u32 as unknown as ValueType<V>) : valueTypeOf(values);
  requireKnownType(named);
  requireValueType(values, named);
  return named;
}

/** Throws unless it is one of the value types, not the name of one. */
export function requireKnownType(value: ValueType): void {
  if (!Object.values<unknown>(valueTypes).includes(value)) {
    refuse('value', `one of valueTypes: ${Object.keys(valueTypes).join(', ')}`, value);
  }
}

/** Throws unless an array holds whole values of that type; what is in a `GPUBuffer` nobody knows. */
export function requireValueType(values: ArrayBufferView | GPUBuffer, { name, array, components }: ValueType): void {
  if (isBuffer(values)) return;
  if (arrayKind(values) !== array.name) refuse('values', `${name} values in a ${array.name}`, values);
  requireAttached(values, 'values');
  const { length } = values as ValueArray;
  if (length % components !== 0) {
    throw new InvalidInputError(
      `values: ${length} numbers are not a whole number of ${name}, which have ${components} each`,
    );
  }
}

/** The values that words stand for. */
export const decodeValues = <V extends ValueArray>({ array }: ValueType<V>, { buffer }: Uint32Array): Fresh<V> =>
  new array(buffer) as Fresh<V>;

/** One value from the host: a number or, for vectors, also one for each component. */
export type ValueOf<V extends ValueArray = ValueArray> = V extends BigUint64Array | BigInt64Array
  ? number | bigint
  : number | readonly number[];

/** One value as the words that stand for it in a buffer; a single number is every component of a vector. */
export function wordsOfValue(
  value: number | bigint | readonly number[],
  { name, array, components }: ValueType,
  argument = 'missing',
): readonly number[] {
  const isVector = Array.isArray(value) && components > 1 && value.length === components;
  const parts: readonly unknown[] = isVector ? Array.from(value) : Array(components).fill(value);
  const isWide = array.BYTES_PER_ELEMENT === 8;
  const numbers = parts.map((part) => (isWide && Number.isSafeInteger(part) ? BigInt(part as number) : part));
  if (firstNotKept(array, numbers) >= 0) {
    const one = array.name === 'Float32Array' ? 'a number' : 'a whole number in its range';
    refuse(argument, `${one} (${name})${components > 1 ? ` or ${components} of them` : ''}`, value);
  }
  const cells = new array(components);
  cells.set(numbers as never);
  return [...new Uint32Array(cells.buffer)];
}

/** From words as they lie in a buffer (`wordsType`) to the type that shaders know: a change of type, not of bits. */
export function shaderValue({ words, shaderType }: ValueType, stored: WgslPart): WgslPart {
  if (shaderType === 'u32' || shaderType === 'vec2u' || shaderType === 'vec4u') return stored;
  // Three words are a struct without padding, which cannot be cast as a whole.
  const asVector = words === 3 ? wgsl`vec3u(${join(wordsOf(3, stored), ', ')})` : stored;
  return shaderType === 'vec3u' ? asVector : wgsl`bitcast<${shaderType}>(${asVector})`;
}

/** From the type that shaders know to words as they lie in a buffer. */
export function storedValue({ words, shaderType }: ValueType, value: WgslPart): WgslPart {
  if (words === 1) return shaderType === 'u32' ? value : wgsl`bitcast<u32>(${value})`;
  const vector = wgsl`bitcast<vec${words}u>(${value})`;
  return words === 3 ? fromWords(['x', 'y', 'z'].map((part) => wgsl`${vector}.${part}`)) : vector;
}
