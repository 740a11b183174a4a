/**
 * What the workload consists of, as functions: index to key, key to value, position to query. Each is WGSL with a
 * TypeScript twin; nothing is stored, so the checker can derive every answer again.
 */
import { randomWords } from '../src/hashing/index.ts';
import { fromWords, wordsOf, wordsType } from '../src/keys/index.ts';
import { join, uniform, type Wgsl, wgsl } from '../src/wgsl/index.ts';
import { orderMask, orderOf, orderTwin } from './order.ts';
import { scramble, scrambleTwin } from './scramble.ts';

/** Queries for the keys that are in the table, or for as many others. */
export type QueryKind = 'present' | 'absent';

/** Everything random about a workload. */
export interface WorkloadSeeds {
  readonly key: readonly [number, number, number, number];
  readonly order: readonly [number, number, number, number];
  readonly value: readonly [number, number];
}

export function workloadSeeds(seed: number): WorkloadSeeds {
  const random = randomWords(seed);
  return {
    key: [random(), random(), random(), random()],
    order: [random(), random(), random(), random()],
    value: [random(), random()],
  };
}

const Parameters = wgsl`
struct Parameters {
  keySeed: vec4u,
  orderSeed: vec4u,
  valueSeed: vec2u,
  items: u32,
  orderMask: u32,
  first: u32, // the index of the first key that is asked for: 0, or the number of items for absent keys
  distinct: u32, // different keys among the items
}`;

/** The parameters as kernels see them. */
export const parameters = uniform('parameters', Parameters);

/** The words of `parameters`. */
export const parameterWords = (
  seeds: WorkloadSeeds,
  items: number,
  kind: QueryKind,
  distinct: number = items,
): number[] => [
  ...seeds.key,
  ...seeds.order,
  ...seeds.value,
  items,
  orderMask(items),
  kind === 'present' ? 0 : items,
  Math.max(1, distinct),
];

// Two-word keys take different bits of the index, so that neither word alone tells keys apart.
const WORD_SOURCES = [
  { wgsl: (words: number) => (words === 1 ? 'index' : 'index >> 1u'), seed: 'xy' },
  { wgsl: () => '(index & 1u) | ((index >> 2u) << 1u)', seed: 'zw' },
] as const;

/** WGSL: `(index: u32) -> key`, distinct for distinct indices. */
export const keyOf: (words: number) => Wgsl = byWords(
  (words) => wgsl`
fn keyOf(index: u32) -> ${wordsType(words)} {
  return ${fromWords(
    WORD_SOURCES.slice(0, words).map(
      (source) => wgsl`${scramble}(${source.wgsl(words)}, ${parameters}.keySeed.${source.seed})`,
    ),
  )};
}`,
);

/** Bit-identical to `keyOf`: the words of the key. */
export function keyTwin(index: number, words: number, { key: [a, b, c, d] }: WorkloadSeeds): number[] {
  if (words === 1) return [scrambleTwin(index, [a, b])];
  return [scrambleTwin(index >>> 1, [a, b]), scrambleTwin((index & 1) | ((index >>> 2) << 1), [c, d])];
}

/** WGSL: `(key) -> u32`. */
export const valueFor: (words: number) => Wgsl = byWords(
  (words) => wgsl`
fn valueFor(key: ${wordsType(words)}) -> u32 {
  var value = 0u;
  ${join(
    wordsOf(words, 'key').map((word) => wgsl`value = ${scramble}(value ^ ${word}, ${parameters}.valueSeed);`),
    '\n  ',
  )}
  return value;
}`,
);

/** Bit-identical to `valueFor`. */
export const valueTwin = (key: readonly number[], seeds: WorkloadSeeds): number =>
  key.reduce((value, word) => scrambleTwin(value ^ word, seeds.value), 0);

/** WGSL: `(position: u32) -> key`, the key that is asked for there. */
export const queryOf: (words: number) => Wgsl = byWords(
  (words) => wgsl`
fn queryOf(position: u32) -> ${wordsType(words)} {
  let order = ${orderOf}(position, ${parameters}.items, ${parameters}.orderMask, ${parameters}.orderSeed);
  return ${keyOf(words)}(select(order % ${parameters}.distinct, ${parameters}.first + order, ${parameters}.first > 0u));
}`,
);

/** Bit-identical to `queryOf`. */
export const queryTwin = (
  position: number,
  kind: QueryKind,
  { items, words, seeds }: { items: number; words: number; seeds: WorkloadSeeds },
): number[] => keyTwin((kind === 'present' ? 0 : items) + orderTwin(position, items, seeds.order), words, seeds);

/** One fragment per number of words, because the linker tells fragments apart by identity. */
function byWords(make: (words: number) => Wgsl): (words: number) => Wgsl {
  const made = new Map<number, Wgsl>();
  return (words) => {
    const known = made.get(words) ?? make(words);
    made.set(words, known);
    return known;
  };
}
