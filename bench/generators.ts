/**
 * What the workload consists of, as functions: position to index, index to value; `keyMaker.ts` has index to key. Each is
 * WGSL with a TypeScript twin; nothing is stored, so the checker can derive every answer again.
 */
import { randomWords } from '../src/hashing/index.ts';
import { fromWords, wordsType } from '../src/keys/index.ts';
import { uniform, type Wgsl, wgsl } from '../src/wgsl/index.ts';
import { orderMask, orderOf, orderTwin } from './order.ts';
import { type ScrambleSeed, scramble, scrambleTwin, type WideSeed } from './scramble.ts';

/**
 * The order of queries, in the words of Alcantara 2011, section 3.3.2: `shuffled` stands for random access; `sorted` is in
 * ascending order of the keys, whatever the order of insertion.
 */
export const QUERY_ORDERS = ['shuffled', 'sorted'] as const;
export type QueryOrder = (typeof QUERY_ORDERS)[number];

/** Queries, as many as there are items: for keys of the table, of which this share is replaced by others. */
export interface Queries {
  readonly absent: number;
  readonly order: QueryOrder;
}
export const PRESENT: Queries = { absent: 0, order: 'shuffled' };
export const ABSENT: Queries = { absent: 1, order: 'shuffled' };

/** Whose keys are listed: those of the items, or of queries before they are sorted. */
export type Listed = 'items' | Pick<Queries, 'absent'>;

/** Everything random about a workload. */
export interface WorkloadSeeds {
  readonly key: readonly [WideSeed, WideSeed];
  readonly order: WideSeed;
  readonly value: ScrambleSeed;
}

export function workloadSeeds(seed: number): WorkloadSeeds {
  const random = randomWords(seed);
  const wide = (): WideSeed => [random(), random(), random(), random()];
  return { key: [wide(), wide()], order: wide(), value: [random(), random()] };
}

const Parameters = wgsl`
struct Parameters {
  keySeed: array<vec4u, 2>,
  orderSeed: vec4u,
  valueSeed: vec2u,
  items: u32,
  orderMask: u32,
  isQueries: u32, // whether queries are listed, or the items
  absent: u32, // queries for absent keys
  distinct: u32, // different keys among the items
}`;

/** The parameters as kernels see them. */
export const parameters = uniform('parameters', Parameters);

/** The words of `parameters`. */
export const parameterWords = (
  seeds: WorkloadSeeds,
  items: number,
  listed: Listed,
  distinct: number = items,
): number[] => [
  ...seeds.key.flat(),
  ...seeds.order,
  ...seeds.value,
  items,
  orderMask(items),
  listed === 'items' ? 0 : 1,
  absentOf(items, listed),
  Math.max(1, distinct),
];

/** How many keys of a list are absent: exactly the share that was asked for, as far as there are whole keys. */
const absentOf = (items: number, listed: Listed): number =>
  listed === 'items' ? 0 : Math.round(items * listed.absent);

/**
 * WGSL: `(position: u32) -> u32`, the index whose key stands there. Those of absent keys begin behind the items. Queries are in a random
 * order, and the first of that order are absent, so they stand anywhere among the others.
 */
export const indexAt = wgsl`
fn indexAt(position: u32) -> u32 {
  if (${parameters}.isQueries == 0u) { return position % ${parameters}.distinct; }
  let order = ${orderOf}(position, ${parameters}.items, ${parameters}.orderMask, ${parameters}.orderSeed);
  return select(order % ${parameters}.distinct, ${parameters}.items + order, order < ${parameters}.absent);
}`;

/** Bit-identical to `indexAt`. */
export function indexTwin(
  position: number,
  listed: Listed,
  { items, distinct = items, seeds }: { items: number; distinct?: number; seeds: WorkloadSeeds },
): number {
  if (listed === 'items') return position % distinct;
  const order = orderTwin(position, items, seeds.order);
  return order < absentOf(items, listed) ? items + order : order % distinct;
}

/** How far apart the numbers are that the words of a value are made from. */
const WORD_STEP = 0x9e3779b9;

/** WGSL: `(index: u32) -> value`, in that many words. */
export const valueAt: (words: number) => Wgsl = once(
  (words) => wgsl`
fn valueAt(index: u32) -> ${wordsType(words)} {
  return ${fromWords(
    Array.from(
      { length: words },
      (_, i) => wgsl`${scramble}(index + ${(i * WORD_STEP) >>> 0}u, ${parameters}.valueSeed)`,
    ),
  )};
}`,
);

/** Bit-identical to `valueAt`: the words of the value. */
export const valueTwin = (index: number, words: number, seeds: WorkloadSeeds): number[] =>
  Array.from({ length: words }, (_, i) => scrambleTwin(index + i * WORD_STEP, seeds.value));

/** One fragment for each argument, because the linker tells fragments apart by identity. */
export function once<Argument, Made>(make: (argument: Argument) => Made): (argument: Argument) => Made {
  const made = new Map<Argument, Made>();
  return (argument) => {
    const known = made.get(argument) ?? make(argument);
    made.set(argument, known);
    return known;
  };
}
