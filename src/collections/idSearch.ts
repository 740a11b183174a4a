/** What indexes answer beside what all collections do: ids. */
import { type Followed, type GpuCount, requireMembers, requireOptions, type Target } from '../gpu/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import type { LookupBuffers } from '../table/lookup.wgsl.ts';
import type { Fresh, Keys } from '../table/source.ts';
import { valueTypes, wordsOfValue } from '../table/values.ts';
import { intoArray } from './into.ts';
import { arrayOfOne, type OneKey, type OneOf, oneByOne } from './plain.ts';
import { FOLLOWED, type Searched } from './searched.ts';

/** The id of a key that is not there, unless the caller names another. */
export const NO_ID = 0xffff_ffff;

/** How ids are asked for. */
export interface IdOptions {
  /** Stands for the id of a key that is not there. Default 0xffffffff. */
  readonly missing?: number;
  /** Gets the ids, instead of a new array: at least as long as there are keys. */
  readonly into?: Uint32Array<ArrayBuffer>;
}

/** Buffers of an encoded search for ids. */
export interface IdBuffers {
  readonly queries: GPUBuffer;
  readonly count: number | GpuCount;
  readonly ids: GPUBuffer;
  /** The bytes that the queries point into, for keys that have a context. */
  readonly context?: GPUBuffer | undefined;
  /** Stands for the id of a key that is not there. Default 0xffffffff. */
  readonly missing?: number;
}

export async function searchIds<K>(
  index: Searched<K>,
  keys: Keys<K>,
  options: IdOptions & Followed,
): Promise<Uint32Array<ArrayBuffer>> {
  requireOptions(options, ['missing', 'into', ...FOLLOWED]);
  const { missing = NO_ID, into } = options;
  const needles = index.needlesOf(keys, options);
  const ids = intoArray(into, 'into', Uint32Array, needles.count);
  await index.search(needles, wordsOfValue(missing, valueTypes.u32), { values: ids });
  return ids;
}

/** The id of one key, or nothing. */
export async function getOneId<K>(index: Searched<K>, key: OneKey<K>): Promise<number | undefined> {
  const [id] = await searchIds(index, arrayOfOne(index.key, key) as Keys<K>, {});
  return id === NO_ID ? undefined : id;
}

/** All keys with their ids one by one. */
export function eachId<K>(
  index: Searched<K> & { entries(): Promise<{ readonly keys: Fresh<K>; readonly ids: Uint32Array }> },
): AsyncGenerator<[OneOf<K>, number], void, undefined> {
  return oneByOne(index.key, async () => {
    const { keys, ids } = await index.entries();
    return { keys, item: (one, i) => [one, ids[i] as number] };
  });
}

/** Records a search for ids, of buffers with such names. */
export function encodeSearchIds<K>(
  index: Searched<K>,
  target: Target,
  buffers: IdBuffers & Pick<LookupBuffers, 'found'>,
  names: readonly string[],
): void {
  requireMembers(buffers, 'buffers', ['queries', 'count', 'ids', 'context', 'missing', ...names]);
  const { ids, missing = NO_ID, ...io } = buffers;
  requireStorage(ids, 'ids');
  index.encodeSearch(target, { ...io, values: ids }, wordsOfValue(missing, valueTypes.u32));
}
