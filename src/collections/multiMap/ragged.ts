/** Values of many keys on the host, in two passes: how many there are, then what they are. Nobody has to guess a size. */
import { mostBytes, perform, type Readback, TooLargeError } from '../../gpu/index.ts';
import { hostCall } from '../../primitives/hostCall.ts';
import { contextReadback } from '../../table/contents.wgsl.ts';
import type { NeedlePart, Needles } from '../../table/needles.ts';
import { decodeKeys, type Fresh } from '../../table/source.ts';
import { decodeValues, type ValueArray } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { MultiMap } from './multiMap.ts';
import type { SavedArray } from './saved.ts';

/** Values of several keys in a row. */
export interface Retrieved<V> {
  readonly values: V;
  /** One more than there are keys: the last is the number of values, each of which may be several numbers. */
  readonly offsets: Uint32Array<ArrayBuffer>;
}

/** The values of each key by themselves; views, not copies. */
export const eachKeysValues = <V extends ValueArray>(
  { values, offsets }: Retrieved<Fresh<V>>,
  components: number,
): Fresh<V>[] => {
  const at = (i: number) => (offsets[i] as number) * components;
  return Array.from({ length: offsets.length - 1 }, (_, i) => values.subarray(at(i), at(i + 1)) as Fresh<V>);
};

/** Queries of one submission; more are sent in turns, so that they may exceed a binding. */
export const QUERIES_AT_ONCE = 1 << 22;

type AnyMap = Pick<MultiMap<never, ValueArray>, 'gpu' | 'table' | 'value' | 'encodeCount' | 'encodeRetrieve'>;

/** How many values every key has. */
export async function countOnHost(
  map: AnyMap,
  needles: Needles,
  goesOn?: (end: number) => boolean,
): Promise<Uint32Array<ArrayBuffer>> {
  const counts = new Uint32Array(needles.count);
  const parts = needles.parts(QUERIES_AT_ONCE, map.table, goesOn);
  for (const part of parts) counts.set(await countPart(map, part), part.first);
  return counts;
}

async function countPart(map: AnyMap, { words: queries, count, context }: NeedlePart): Promise<Uint32Array> {
  const { counts } = await hostCall(map.gpu, {
    label: 'multiMap/count',
    buffers: { queries, counts: count },
    record: (encoder, io) => map.encodeCount(encoder, { ...io, count, context }),
    read: ['counts'],
  });
  return counts;
}

/** The values of all keys in a row, as words. */
export async function retrieveOnHost(map: AnyMap, needles: Needles): Promise<Retrieved<Uint32Array<ArrayBuffer>>> {
  const assertUnchanged = map.table.unchanged();
  // Keys have their answers when their values are there.
  const counts = await countOnHost(map, needles, () => needles.isWanted);
  const offsets = new Uint32Array(counts.length + 1);
  const total = counts.reduce((sum, count, i) => {
    offsets[i + 1] = sum + count;
    return sum + count;
  }, 0);
  if (total * map.value.words >= 2 ** 32) {
    throw new TooLargeError(`these keys have ${total} values, more than an array holds: ask for fewer at once`, 0);
  }
  const { words: valueWords } = map.value;
  const values = new Uint32Array(total * valueWords);
  const most = Math.floor(mostBytes(map.gpu.limits) / (WORD_BYTES * valueWords));
  for (let first = 0; first < counts.length && needles.isWanted; ) {
    let end = first + 1;
    const start = offsets[first] as number;
    while (end < counts.length && end - first < QUERIES_AT_ONCE && (offsets[end + 1] as number) - start <= most) end++;
    assertUnchanged();
    const part = await retrievePart(map, needles.slice(first, end), (offsets[end] as number) - start);
    values.set(part, start * valueWords);
    needles.answered(end);
    first = end;
  }
  return { values, offsets };
}

async function retrievePart(map: AnyMap, { words: queries, count, context }: NeedlePart, room: number) {
  const { values } = await hostCall(map.gpu, {
    label: 'multiMap/retrieve',
    buffers: { queries, offsets: count, values: room * map.value.words, total: 1 },
    record: (encoder, { total: buffer, ...io }) =>
      map.encodeRetrieve(encoder, { ...io, count, context, capacity: room, total: { buffer } }),
    read: ['values'],
  });
  return values;
}

/** All keys with their values, from where they lie on the GPU. */
export async function entriesOnHost<K, V extends ValueArray>(
  { gpu, table, key, value }: Pick<MultiMap<K, V>, 'gpu' | 'table' | 'key' | 'value'>,
  { bounds, values }: Readonly<Record<SavedArray, Readback>>,
  keysById: Readback,
): Promise<{ keys: Fresh<K>; values: Fresh<V>; offsets: Uint32Array<ArrayBuffer> }> {
  // All in one submission, so that all is of one build.
  const read = [bounds, values, keysById, ...contextReadback(table)];
  const [boundBytes, valueBytes, keyBytes, context] = await perform(gpu, () => {}, read);
  const keys = decodeKeys(key, new Uint32Array(keyBytes as ArrayBuffer), context && new Uint8Array(context));
  const stored = new Uint32Array(valueBytes as ArrayBuffer);
  const ordered = inOrder(new Uint32Array(boundBytes as ArrayBuffer), stored, value.words);
  return { keys, values: decodeValues(value, ordered.values), offsets: ordered.offsets };
}

/** Values key by key, as bounds by id tell where they lie. */
export function inOrder(bounds: Uint32Array, stored: Uint32Array, words: number): Retrieved<Uint32Array<ArrayBuffer>> {
  const values = new Uint32Array(stored.length);
  const offsets = new Uint32Array(bounds.length / 2 + 1);
  for (let id = 0; id < bounds.length / 2; id++) {
    const [first, end] = [bounds[2 * id] as number, bounds[2 * id + 1] as number];
    const at = offsets[id] as number;
    values.set(stored.subarray(first * words, end * words), at * words);
    offsets[id + 1] = at + end - first;
  }
  return { values, offsets };
}
