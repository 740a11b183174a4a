/** Maps by `cuckoo` with keys of one word or two, from every key to its position, compared with a `Map`. */
import { expect } from 'vitest';
import { HashMap } from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';
import { type CuckooOptions, cuckoo, type Duplicates } from '../../src/schemes/index.ts';
import { findsLikeMap } from './likeMap.ts';
import { numbered } from './words.ts';

export type Keys = Uint32Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>;
type Key = number | bigint;

/** Different keys of two words from different words. */
export const wide = (low: ArrayLike<number>): BigUint64Array<ArrayBuffer> =>
  BigUint64Array.from(low as number[], (word) => BigInt(word) * 0x9e37_79b9_7f4a_7c15n);

/** The words of one key. */
export function wordsOf(keys: Keys, i: number): number[] {
  const words = keys.BYTES_PER_ELEMENT / 4;
  return [...new Uint32Array(keys.buffer, i * keys.BYTES_PER_ELEMENT, words)];
}

export const keyTypeOf = (keys: Keys): KeyType => (keys instanceof Uint32Array ? u32 : u64) as KeyType;

export const mapOf = (
  gpu: Gpu,
  keys: Keys,
  options: CuckooOptions,
  duplicates: Duplicates = 'last',
  seed?: number,
): Promise<HashMap<unknown>> =>
  HashMap.from(
    gpu,
    { keys, values: numbered(keys.length) },
    { key: keyTypeOf(keys), scheme: cuckoo(options), duplicates, ...(seed !== undefined && { seed }) },
  );

/** Every key leads to the item that a `Map` would keep, none is missing or too many, and absent keys are absent. */
export async function isLikeMap(
  map: HashMap<unknown>,
  keys: Keys,
  duplicates: Duplicates,
  absent: Keys,
): Promise<void> {
  const oracle = await findsLikeMap(map, keys, duplicates);
  expect((await map.has(absent)).indexOf(1)).toBe(-1);
  const entries = await map.entries();
  expect(new Set(entries.keys as Iterable<Key>)).toEqual(new Set(oracle.keys()));
  expect(entries.values.length).toBe(oracle.size);
}
