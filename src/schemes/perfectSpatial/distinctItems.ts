/** One item of every key, on the host, by the policy for copies. */
import { mix } from '../../hashing/index.ts';
import type { Duplicates } from '../contract/index.ts';

/** What is left of a list of items. */
export interface DistinctItems {
  /** The item that is kept of each key, in the order in which the keys first occur. */
  readonly kept: Uint32Array;
  /** The first item whose key occurred before; `undefined` if there is none. */
  readonly copy: number | undefined;
}

/** Empty slots of the table are 0, so items are counted from 1 in it. */
const EMPTY = 0;

/** A table of item numbers with linear probing; half of it stays empty. */
export function distinctItems(
  keys: Uint32Array,
  keyWords: number,
  duplicates: Duplicates,
  random: () => number,
): DistinctItems {
  const count = keys.length / keyWords;
  const constants = mix.draw(random);
  const mask = 2 ** Math.ceil(Math.log2(Math.max(2, count * 2))) - 1;
  // Which key, of those in `kept`.
  const table = new Uint32Array(mask + 1);
  const kept = new Uint32Array(count);
  const key: number[] = Array(keyWords).fill(0);
  let distinct = 0;
  let copy: number | undefined;
  for (let item = 0; item < count; item++) {
    for (let word = 0; word < keyWords; word++) key[word] = keys[item * keyWords + word] as number;
    let slot = (mix.hashTwin(key, constants)[0] & mask) >>> 0;
    while (table[slot] !== EMPTY && !isKey(keys, kept[(table[slot] as number) - 1] as number, key)) {
      slot = (slot + 1) & mask;
    }
    const known = table[slot] as number;
    if (known === EMPTY) {
      kept[distinct++] = item;
      table[slot] = distinct;
    } else {
      copy ??= item;
      if (duplicates === 'last') kept[known - 1] = item;
    }
  }
  return { kept: kept.slice(0, distinct), copy };
}

function isKey(keys: Uint32Array, item: number, key: readonly number[]): boolean {
  for (let word = 0; word < key.length; word++) {
    if (keys[item * key.length + word] !== key[word]) return false;
  }
  return true;
}
