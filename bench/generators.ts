/**
 * What the workload consists of, as functions: position to index, index to value; `keyMaker.ts` has index to key. Each is
 * WGSL with a TypeScript twin; nothing is stored, so the checker can derive every answer again.
 */
import { randomWords } from '../src/hashing/index.ts';
import { fromWords, wordsType } from '../src/keys/index.ts';
import { uniform, type Wgsl, wgsl } from '../src/wgsl/index.ts';
import { orderMask, orderOf, orderTwin } from './order.ts';
import { type ScrambleSeed, scramble, scrambleTwin, type WideSeed } from './scramble.ts';

/** Queries for the keys that are in the table, or for as many others. */
export type QueryKind = 'present' | 'absent';

/** Whose keys are listed: those of the items, or of queries. */
export type Listed = 'items' | QueryKind;
const LISTED: readonly Listed[] = ['items', 'present', 'absent'];

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
  listed: u32, // 0 items, 1 present queries, 2 absent ones
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
  LISTED.indexOf(listed),
  Math.max(1, distinct),
];

/** WGSL: `(position: u32) -> u32`, the index whose key stands there. Those of absent keys begin behind the items. */
export const indexAt = wgsl`
fn indexAt(position: u32) -> u32 {
  if (${parameters}.listed == 0u) { return position % ${parameters}.distinct; }
  let order = ${orderOf}(position, ${parameters}.items, ${parameters}.orderMask, ${parameters}.orderSeed);
  return select(order % ${parameters}.distinct, ${parameters}.items + order, ${parameters}.listed == 2u);
}`;

/** Bit-identical to `indexAt`. */
export function indexTwin(
  position: number,
  listed: Listed,
  { items, distinct = items, seeds }: { items: number; distinct?: number; seeds: WorkloadSeeds },
): number {
  if (listed === 'items') return position % distinct;
  const order = orderTwin(position, items, seeds.order);
  return listed === 'absent' ? items + order : order % distinct;
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
