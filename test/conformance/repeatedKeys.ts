/** Inputs in which keys occur several times, for the collections that stand on a key index. */
import type { Key, KeyKind, Keys } from './keyKinds.ts';
import { randomKeys } from './keySets.ts';

/** How often keys occur: each once, few times each, or one of them nearly always. */
export const REPETITIONS = {
  none: (i: number) => i,
  some: (i: number) => (i * i) % 61,
  skewed: (i: number) => (i % 7 === 0 ? i % 23 : 0),
} as const;

/** `count` keys with repetitions, with 0 and all ones among them, and keys that are not. */
export function repeatedKeys(
  kind: KeyKind,
  count: number,
  repetition: keyof typeof REPETITIONS = 'some',
  seed = 1,
): { readonly keys: Keys; readonly absent: Keys } {
  const random = randomKeys(kind, count + 100, seed);
  const pool = [kind.allOnes, 0n, ...random.filter((key) => key !== 0n && key !== kind.allOnes)];
  const keys = Array.from({ length: count }, (_, i) => pool[REPETITIONS[repetition](i)] as Key);
  return { keys, absent: pool.slice(-20) };
}

/** The positions of every key, in the order of the input. */
export function positionsOf<K>(keys: Iterable<K>): Map<K, number[]> {
  const positions = new Map<K, number[]>();
  let i = 0;
  for (const key of keys) {
    const known = positions.get(key);
    if (known) known.push(i);
    else positions.set(key, [i]);
    i++;
  }
  return positions;
}
