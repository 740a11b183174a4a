/** Keys to build a table from, and as many that are not in it. */

/** Key number i, one of 2²¹ that are all different. */
const KEYS = {
  random: (i: number): number => scramble(i),
  'in sequence': (i: number): number => i,
  'multiples of 2,048': (i: number): number => (i << 11) >>> 0,
  'runs of 64': (i: number): number => (scramble(i >>> 6) & ~63) + (i & 63),
} as const;

export type KeyKind = keyof typeof KEYS;
export const KEY_KINDS = Object.keys(KEYS) as KeyKind[];

/** A bijection of words that leaves no pattern. */
function scramble(word: number): number {
  let x = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** The keys of a table, and as many absent ones. The value of a key is its number. */
export function makeKeys(
  kind: KeyKind,
  items: number,
): { present: Uint32Array<ArrayBuffer>; absent: Uint32Array<ArrayBuffer> } {
  const key = KEYS[kind];
  const from = (first: number) => Uint32Array.from({ length: items }, (_, i) => key(first + i));
  return { present: from(0), absent: from(items) };
}
