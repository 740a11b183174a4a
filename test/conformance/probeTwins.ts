/** The schemes' `find` in TypeScript, over the table as it lies on the GPU: how many probes a search takes. */
import type { Collection } from '../../src/collections/index.ts';
import { doubleHash, type HashConstants, linear, type ProbeSequence, quadratic } from '../../src/hashing/index.ts';
import type { HeaderValues } from '../../src/schemes/contract/index.ts';
import type { SchemeName } from '../../src/schemes/index.ts';
import { readCuckoo } from '../oracles/cuckooTwin.ts';
import { type Key, type KeyKind, wordsOf } from './keyKinds.ts';

/** The probes of a search for a key. */
type ProbesOf = (key: Key) => number;

type ProbeTwin = (kind: KeyKind, set: Collection<unknown>) => Promise<ProbesOf>;

const EMPTY = 0xffff_ffff;

async function readTable(
  { table }: Collection<unknown>,
  name: string,
): Promise<{ header: HeaderValues; words: Uint32Array }> {
  const { bytes = 0 } = table.plan.buffers.find((spec) => spec.name === name) ?? {};
  const [words] = await table.gpu.run(() => {}, [{ buffer: table.buffers.get(name), bytes }]);
  return { header: table.state.header, words: new Uint32Array(words as ArrayBuffer) };
}

/** Listing 3.1 of Alcantara's dissertation, then slot by slot. */
const openAddressing =
  (probes: ProbeSequence): ProbeTwin =>
  async ({ type }, set) => {
    const { header, words } = await readTable(set, 'slots');
    const { capacity, longest } = header;
    const probeLimit = header.own.probeLimit as number;
    const constants = header.hash as unknown as HashConstants;
    const { family } = set.table.plan;
    return (number) => {
      const key = wordsOf(number, type.words);
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

/** The keys of a set, in the order of their numbers. */
const inOrder = async ({ numbers }: KeyKind, set: Collection<unknown>): Promise<Key[]> =>
  numbers(await set.keys()).sort((a, b) => (a < b ? -1 : 1));

/** Bisection, and one more look at the key that it ends at. */
const sortedArray: ProbeTwin = async (kind, set) => {
  const keys = await inOrder(kind, set);
  return (key) => {
    let [low, high, probes] = [0, keys.length, 0];
    for (; low < high; probes++) {
      const middle = low + ((high - low) >> 1);
      if ((keys[middle] as Key) < key) low = middle + 1;
      else high = middle;
    }
    return probes + Number(low < keys.length);
  };
};

/** The same search in a tree: one key of each level, and one more look at the key that it ends at. */
const eytzinger: ProbeTwin = async (kind, set) => {
  const keys = await inOrder(kind, set);
  const size = keys.length;
  /** How many keys a subtree has. */
  const below = (node: number): number => (node > size ? 0 : 1 + below(2 * node) + below(2 * node + 1));
  return (key) => {
    let [node, lesser, probes] = [1, 0, 0];
    for (; node <= size; probes++) {
      const rank = lesser + below(2 * node);
      const isLess = (keys[rank] as Key) < key;
      if (isLess) lesser = rank + 1;
      node = 2 * node + Number(isLess);
    }
    return probes + Number(lesser < size);
  };
};

const cuckoo: ProbeTwin = async ({ type }, set) => {
  const table = await readCuckoo(set);
  return (key) => table.find(wordsOf(key, type.words)).probes;
};

/** One slot, if there are any keys at all. */
const perfectSpatial: ProbeTwin =
  async (_, { size }) =>
  () =>
    Number(size > 0);

/** Of every scheme, or null where its searches are counted in a test of its own. */
export const probeTwins: Readonly<Record<SchemeName, ProbeTwin | null>> = {
  linearProbing: openAddressing(linear),
  quadraticProbing: openAddressing(quadratic),
  doubleHashing: openAddressing(doubleHash),
  sortedArray,
  eytzinger,
  chaining: null,
  twoLevelCuckoo: null,
  cuckoo,
  bucketCuckoo: null,
  perfect: null,
  robinHood: null,
  perfectSpatial,
};
