/** Arrays of a caller's that get answers: memory that is there already takes a sixth of the time of new. */
import { arrayKind, InvalidInputError, refuse, requireAttached, requireMembers } from '../gpu/index.ts';
import type { Fresh } from '../table/source.ts';
import type { ValueArray, ValueType } from '../table/values.ts';
import { WORD_BYTES } from '../wgsl/index.ts';

/** A typed array that answers can be put into, and how such arrays are made. */
interface ArrayType<T> {
  readonly name: string;
  new (length: number): T;
}

/** The caller's array, if it is of that type and has room for so many numbers; without one, a new array. */
export function intoArray<T extends ArrayBufferView & { readonly length: number }>(
  given: T | undefined,
  name: string,
  type: ArrayType<T>,
  length: number,
): T {
  if (given === undefined) return new type(length);
  if (arrayKind(given) !== type.name) refuse(name, `a ${type.name}`, given);
  requireAttached(given, name);
  if (given.length < length) {
    throw new InvalidInputError(`${name} has room for ${given.length} numbers, but there will be ${length}`);
  }
  return given;
}

/** Arrays of the caller's that get values and flags. */
export interface IntoArrays<V extends ValueArray> {
  readonly values?: Fresh<V>;
  readonly found?: Uint8Array<ArrayBuffer>;
}

/** The caller's arrays, or new ones, for so many words of values and so many flags. */
export function intoArrays<V extends ValueArray>(
  into: IntoArrays<V> = {},
  { array }: ValueType<V>,
  words: number,
  flags: number,
): Required<IntoArrays<V>> {
  requireMembers(into, 'into', ['values', 'found']);
  const length = (words * WORD_BYTES) / array.BYTES_PER_ELEMENT;
  const values = intoArray<V>(into.values as V | undefined, 'into.values', array, length);
  const found = intoArray(into.found, 'into.found', Uint8Array, flags);
  requireMemoryApart([
    ['into.values', values],
    ['into.found', found],
  ]);
  return { values: values as Fresh<V>, found };
}

/** Throws if answers would be written over each other. */
export function requireMemoryApart(arrays: readonly (readonly [name: string, array: ArrayBufferView])[]): void {
  for (const [i, [name, a]] of arrays.entries()) {
    for (const [other, b] of arrays.slice(i + 1)) {
      const isApart = a.byteOffset + a.byteLength <= b.byteOffset || b.byteOffset + b.byteLength <= a.byteOffset;
      if (a.buffer === b.buffer && !isApart) throw new InvalidInputError(`${name} and ${other} overlap`);
    }
  }
}

/** The words of an array. */
export const wordsIn = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint32Array =>
  new Uint32Array(buffer, byteOffset, byteLength / WORD_BYTES);
