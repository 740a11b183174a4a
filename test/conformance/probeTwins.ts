/** The schemes' `find` in TypeScript, over the table as it lies on the GPU: how many probes a search takes. */
import type { Collection } from '../../src/collections/index.ts';
import {
  doubleHash,
  type HashConstants,
  type HashFamily,
  linear,
  type ProbeSequence,
  quadratic,
} from '../../src/hashing/index.ts';
import { HEADER_BYTES } from '../../src/schemes/contract/header.wgsl.ts';
import { bufferOf } from '../../src/schemes/contract/scheme.ts';
import { readCuckoo } from '../oracles/cuckooTwin.ts';
import type { Keys } from './keySets.ts';

/** The probes of a search for key `i` of the array. */
export type ProbesOf = (keys: Keys, i: number) => number;

const EMPTY = 0xffff_ffff;

async function readTable(
  { table }: Collection<Keys>,
  name: string,
): Promise<{ header: Uint32Array; words: Uint32Array }> {
  const { bytes = 0 } = table.plan.table.find((spec) => spec.name === name) ?? {};
  const [header, words] = await table.gpu.run(() => {}, [
    { buffer: table.buffers.header, bytes: HEADER_BYTES },
    { buffer: bufferOf(table.buffers, name), bytes },
  ]);
  return { header: new Uint32Array(header as ArrayBuffer), words: new Uint32Array(words as ArrayBuffer) };
}

/** The words of key `i`. */
export const keyWords = (keys: Keys, i: number): number[] => {
  const words = keys.BYTES_PER_ELEMENT / 4;
  return [...new Uint32Array(keys.buffer, keys.byteOffset + i * keys.BYTES_PER_ELEMENT, words)];
};

/** Listing 3.1 of Alcantara's dissertation, then slot by slot. */
const openAddressing =
  (probes: ProbeSequence) =>
  async (set: Collection<Keys>): Promise<ProbesOf> => {
    const { header, words } = await readTable(set, 'slots');
    const [capacity, longest, probeLimit] = [header[4], header[8], header[12]] as [number, number, number];
    const constants = [...header.subarray(0, 4)] as unknown as HashConstants;
    const family: HashFamily = set.scheme.family;
    return (keys, i) => {
      const key = keyWords(keys, i);
      if (key.every((word) => word === EMPTY)) return 1;
      const [first, second] = family.hashTwin(key, constants);
      let slot = family.reduceTwin(first, capacity);
      for (let attempt = 1; attempt <= longest; attempt++) {
        const stored = words.subarray(slot * key.length, (slot + 1) * key.length);
        if (stored.every((word) => word === EMPTY) || stored.every((word, w) => word === key[w])) return attempt;
        slot = (slot + (attempt < probeLimit ? probes.stepTwin(attempt, second) : 1)) % capacity;
      }
      return longest;
    };
  };

/** Bisection, and one more look at the key that it ends at. */
async function sortedArray(set: Collection<Keys>): Promise<ProbesOf> {
  const inOrder = (await set.keys()).slice().sort();
  return (keys, i) => {
    const key = keys[i] as number;
    let [low, high, probes] = [0, inOrder.length, 0];
    for (; low < high; probes++) {
      const middle = low + ((high - low) >> 1);
      if ((inOrder[middle] as number) < key) low = middle + 1;
      else high = middle;
    }
    return probes + Number(low < inOrder.length);
  };
}

/** The same search in a tree: one key of each level, and one more look at the key that it ends at. */
async function eytzinger(set: Collection<Keys>): Promise<ProbesOf> {
  const inOrder = (await set.keys()).slice().sort();
  const size = inOrder.length;
  /** How many keys a subtree has. */
  const below = (node: number): number => (node > size ? 0 : 1 + below(2 * node) + below(2 * node + 1));
  return (keys, i) => {
    const key = keys[i] as number;
    let [node, lesser, probes] = [1, 0, 0];
    for (; node <= size; probes++) {
      const rank = lesser + below(2 * node);
      const isLess = (inOrder[rank] as number) < key;
      if (isLess) lesser = rank + 1;
      node = 2 * node + Number(isLess);
    }
    return probes + Number(lesser < size);
  };
}

async function cuckoo(set: Collection<Keys>): Promise<ProbesOf> {
  const table = await readCuckoo(set);
  return (keys, i) => table.find(keyWords(keys, i)).probes;
}

/** By the name of the scheme. */
export const probeTwins: ReadonlyMap<string, (set: Collection<Keys>) => Promise<ProbesOf>> = new Map([
  ['linearProbing', openAddressing(linear)],
  ['quadraticProbing', openAddressing(quadratic)],
  ['doubleHashing', openAddressing(doubleHash)],
  ['sortedArray', sortedArray],
  ['eytzinger', eytzinger],
  ['cuckoo', cuckoo],
]);
