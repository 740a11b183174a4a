/** Values of many keys on the host, in two passes: how many there are, then what they are. Nobody has to guess a size. */
import { TooLargeError } from '../gpu/index.ts';
import { hostCall } from '../primitives/hostCall.ts';
import { encodeKeys } from './input.ts';
import type { MultiMap } from './multiMap.ts';
import type { ValueArray } from './values.ts';

/** Values of several keys in a row. */
export interface Retrieved<V> {
  readonly values: V;
  /** One more than there are keys: the last is the number of values. */
  readonly offsets: Uint32Array;
}

/** Queries of one submission; more are sent in turns, so that they may exceed a binding. */
const QUERIES_AT_ONCE = 1 << 22;

type AnyMap = Pick<MultiMap<never, ValueArray>, 'gpu' | 'encodeCount' | 'encodeRetrieve'> & {
  readonly key: { readonly words: number };
};

/** How many values every key has. */
export async function countOnHost(map: AnyMap, keys: unknown): Promise<Uint32Array> {
  const { words, count } = encodeKeys(map.key as never, keys);
  const counts = new Uint32Array(count);
  for (let first = 0; first < count; first += QUERIES_AT_ONCE) {
    const end = Math.min(count, first + QUERIES_AT_ONCE);
    counts.set(await countPart(map, words.subarray(first * map.key.words, end * map.key.words), end - first), first);
  }
  return counts;
}

const countPart = (map: AnyMap, queries: Uint32Array, count: number): Promise<Uint32Array> =>
  hostCall(map.gpu, 'multiMap/count', async ({ allocate, run }) => {
    const io = await allocate({ queries, counts: count });
    const [counts] = await run(
      (encoder) => map.encodeCount(encoder, { ...io, count }),
      [{ buffer: io.counts, words: count }],
    );
    return counts;
  });

/** The values of all keys in a row, as words. */
export async function retrieveOnHost(map: AnyMap, keys: unknown): Promise<Retrieved<Uint32Array<ArrayBuffer>>> {
  const { words } = encodeKeys(map.key as never, keys);
  const counts = await countOnHost(map, keys);
  const offsets = new Uint32Array(counts.length + 1);
  const total = counts.reduce((sum, count, i) => {
    offsets[i + 1] = sum + count;
    return sum + count;
  }, 0);
  if (total >= 2 ** 32) {
    throw new TooLargeError(`these keys have ${total} values, more than an array holds: ask for fewer at once`, 0);
  }
  const values = new Uint32Array(total);
  const { maxBufferSize, maxStorageBufferBindingSize } = map.gpu.limits;
  const most = Math.floor(Math.min(maxBufferSize, maxStorageBufferBindingSize) / 4);
  for (let first = 0; first < counts.length; ) {
    let end = first + 1;
    const start = offsets[first] as number;
    while (end < counts.length && end - first < QUERIES_AT_ONCE && (offsets[end + 1] as number) - start <= most) end++;
    const queries = words.subarray(first * map.key.words, end * map.key.words);
    values.set(await retrievePart(map, queries, end - first, (offsets[end] as number) - start), start);
    first = end;
  }
  return { values, offsets };
}

const retrievePart = (map: AnyMap, queries: Uint32Array, count: number, room: number) =>
  hostCall(map.gpu, 'multiMap/retrieve', async ({ allocate, run }) => {
    const { total, ...io } = await allocate({ queries, offsets: count, values: room, total: 1 });
    const call = { ...io, count, capacity: room, total: { buffer: total } };
    const [values] = await run((encoder) => map.encodeRetrieve(encoder, call), [{ buffer: io.values, words: room }]);
    return values;
  });
