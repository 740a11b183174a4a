import { InvalidInputError } from '../gpu/index.ts';
import { isBuffer } from './input.ts';

/** Typed arrays that can be values. */
export type ValueArray = Uint32Array | Int32Array | Float32Array;

/** A type of value: how words of the table become the caller's typed array again. */
export interface ValueType<V extends ValueArray = ValueArray> {
  readonly name: 'u32' | 'i32' | 'f32';
  readonly words: 1;
  readonly array: { new (length: number): V; new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): V };
}

const type = <V extends ValueArray>(name: ValueType['name'], array: ValueType<V>['array']): ValueType<V> => ({
  name,
  words: 1,
  array,
});

/** The value types by the name that WGSL gives them. */
export const valueTypes = {
  u32: type('u32', Uint32Array),
  i32: type('i32', Int32Array),
  f32: type('f32', Float32Array),
} as const;

/** The value type of a typed array. */
export function valueTypeOf<V extends ValueArray>(values: V): ValueType<V> {
  const found = Object.values(valueTypes).find(({ array }) => values instanceof array);
  if (!found) throw new InvalidInputError('values must be a Uint32Array, Int32Array, Float32Array or GPUBuffer');
  return found as unknown as ValueType<V>;
}

/** The value type of an array; of values in a `GPUBuffer` the one that is named, or `u32`. */
export const inferValueType = <V extends ValueArray>(
  values: V | GPUBuffer,
  named: ValueType<V> | undefined,
): ValueType<V> => (isBuffer(values) ? (named ?? (valueTypes.u32 as unknown as ValueType<V>)) : valueTypeOf(values));

/** Throws unless an array holds values of that type; what is in a `GPUBuffer` nobody knows. */
export function requireValueType(values: ArrayBufferView | GPUBuffer, { name, array }: ValueType): void {
  if (!isBuffer(values) && !(values instanceof array)) {
    throw new InvalidInputError(`the values of this collection are ${name}`);
  }
}

/** One value as the word that stands for it in a buffer. */
export function valueWord(value: number, { array }: ValueType): number {
  const cell = new array(1);
  cell[0] = value;
  return new Uint32Array(cell.buffer)[0] as number;
}
