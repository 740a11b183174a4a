/** Items and queries for the demonstration. */
import { randomWords } from '../src/hashing/index.ts';
import { type ValueArray, type ValueType, valueTypes } from '../src/index.ts';
import type { DemoKey, MapKey } from './demoKeys.ts';

/** The same keys for a `Map` and for a collection. */
export interface KeyList {
  readonly plain: readonly MapKey[];
  readonly keys: ArrayLike<unknown>;
}

export interface DemoData {
  readonly key: DemoKey;
  readonly items: KeyList;
  /** Every key once, in another order than the items. */
  readonly present: KeyList;
  readonly absent: KeyList;
}

/** Items with so many different keys, and as many absent keys as there are items. */
export function demoData(key: DemoKey, count: number, distinct: number): DemoData {
  const random = randomWords(2011);
  const drawUnlike = (taken: ReadonlySet<MapKey>, most: number, first: readonly MapKey[]): Set<MapKey> => {
    const drawn = new Set(first.slice(0, most));
    for (let tries = 0; drawn.size < most && tries < 4 * most; tries++) {
      const candidate = key.draw(random);
      if (!taken.has(candidate)) drawn.add(candidate);
    }
    return drawn;
  };
  const listOf = (plain: readonly MapKey[]): KeyList => ({ plain, keys: key.arrayOf(plain) });
  const different = drawUnlike(new Set(), distinct, key.special);
  const present = [...different];
  const copies = Array.from({ length: count - present.length }, () => present[random() % present.length] as MapKey);
  const items = listOf([...present, ...copies]);
  shuffle(present, random);
  return { key, items, present: listOf(present), absent: listOf([...drawUnlike(different, count, [])]) };
}

/** A value for each item. */
export function demoValues(type: ValueType, count: number): ValueArray {
  const random = randomWords(2012);
  const length = count * type.components;
  return type === valueTypes.vec4f
    ? Float32Array.from({ length }, () => random() / 2 ** 32)
    : Uint32Array.from({ length }, random);
}

function shuffle<T>(list: T[], random: () => number): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random() % (i + 1);
    [list[i], list[j]] = [list[j] as T, list[i] as T];
  }
}
