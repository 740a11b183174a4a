/** The search of `cuckoo` in TypeScript, over a table as it lies on the GPU. */
import type { Collection } from '../../src/collections/index.ts';
import type { HashConstants } from '../../src/hashing/index.ts';
import { wordsIn } from './likeMap.ts';

const EMPTY = 0xffff_ffff;

/** Where a search for a key ends. */
export interface CuckooSearch {
  /** −1 if the key is not there. */
  readonly slot: number;
  readonly probes: number;
  /** Whether a slot of an earlier function is empty, so that a search would stop too early. */
  readonly emptyBefore: boolean;
}

/** Reads a table back. */
export async function readCuckoo<K>({ table, scheme }: Collection<K>): Promise<{ find(key: number[]): CuckooSearch }> {
  const { plan, state, buffers, gpu } = table;
  const { capacitySlots, slotCount, family } = plan;
  const { key, valueWords } = plan.request;
  const { functions, stashSlots } = scheme.options as { functions: number; stashSlots: number };
  const constants = state.header.hash as unknown as HashConstants;
  const { stashed } = state.header;
  const slotWords = key.words + valueWords;
  const words = await wordsIn(gpu, buffers.get('slots'), slotCount * slotWords);
  const stored = (slot: number) => words.subarray(slot * slotWords, slot * slotWords + key.words);
  const isEmpty = (slot: number) => stored(slot).every((word) => word === EMPTY);

  /** 32 bits of function i; the one after the last is that of the stash. */
  const functionOf = (keyWords: number[], i: number): number => {
    const first = family.hashTwin(keyWords, constants);
    const index = Math.floor(i / family.independentWords);
    const input = keyWords.length === 1 ? keyWords : first;
    const hash = index === 0 ? first : family.hashTwin(input, family.deriveTwin(constants, index));
    return hash[i % family.independentWords] as number;
  };

  const find = (keyWords: number[]): CuckooSearch => {
    const has = (slot: number) => stored(slot).every((word, i) => word === keyWords[i]);
    if (keyWords.every((word) => word === EMPTY)) {
      const isThere = words[capacitySlots * slotWords] !== EMPTY;
      return { slot: isThere ? capacitySlots : -1, probes: 1, emptyBefore: false };
    }
    let probes = 0;
    let emptyBefore = false;
    for (let i = 0; i < functions; i++) {
      const slot = family.reduceTwin(functionOf(keyWords, i), capacitySlots);
      if (!emptyBefore) probes++;
      if (has(slot)) return { slot, probes, emptyBefore };
      emptyBefore ||= isEmpty(slot);
    }
    if (stashed > 0) {
      const slot = capacitySlots + 1 + family.reduceTwin(functionOf(keyWords, functions), stashSlots);
      probes++;
      if (has(slot)) return { slot, probes, emptyBefore: false };
    }
    return { slot: -1, probes, emptyBefore };
  };
  return { find };
}
