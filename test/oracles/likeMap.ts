import { expect } from 'vitest';
import { type BuildReport, HashMap } from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import type { KeyType } from '../../src/keys/index.ts';
import type { Duplicates, Scheme } from '../../src/schemes/index.ts';

/** How a map is built that is compared with a `Map`. */
export interface LikeMapOptions {
  readonly scheme: Scheme;
  readonly duplicates?: Duplicates;
  readonly key?: KeyType;
  readonly seed?: number;
}

/** Throws unless every key leads to the position that a `Map` would keep, and none is missing; returns that `Map`. */
export async function findsLikeMap(
  map: HashMap<unknown>,
  keys: Uint32Array | BigUint64Array,
  duplicates: Duplicates,
): Promise<Map<number | bigint, number>> {
  const oracle = new Map<number | bigint, number>();
  Array.from<number | bigint>(keys).forEach((key, i) => {
    if (duplicates === 'last' || !oracle.has(key)) oracle.set(key, i);
  });
  expect(map.size).toBe(oracle.size);
  const { values, found } = await map.get(keys);
  expect(found.indexOf(0)).toBe(-1);
  const isWrong = (at: number, i: number) =>
    duplicates === 'any' ? keys[at] !== keys[i] : at !== oracle.get(keys[i] as number | bigint);
  expect(values.findIndex(isWrong)).toBe(-1);
  return oracle;
}

/** Builds a map from keys to their positions and compares it with a `Map`; returns its report. */
export async function buildsLikeMap(
  gpu: Gpu,
  keys: Uint32Array | BigUint64Array,
  { scheme, duplicates = 'last', ...rest }: LikeMapOptions,
): Promise<BuildReport> {
  const input = { keys, values: Uint32Array.from({ length: keys.length }, (_, i) => i) };
  using map = await HashMap.from(gpu, input, { scheme, duplicates, ...rest });
  const oracle = await findsLikeMap(map, keys, duplicates);
  expect(map.report.copies).toBe(keys.length - oracle.size);
  const entries = await map.entries();
  expect(new Set(entries.keys as Iterable<unknown>).size).toBe(oracle.size);
  expect((entries.keys as Uint32Array).length).toBe(oracle.size);
  return map.report;
}

/** So many words of a buffer. */
export async function wordsIn(gpu: Gpu, buffer: GPUBuffer, words: number): Promise<Uint32Array> {
  const [bytes] = await gpu.run(() => {}, [{ buffer, bytes: words * 4 }]);
  return new Uint32Array(bytes as ArrayBuffer);
}
