/**
 * Eviction chains of one-slot cuckoo hashing, simulated: the λ behind `chainLimitFor` in src/schemes/cuckoo/plan.ts, and
 * how often a build would hit that limit. The simulated threads take turns, one exchange each; between one thread alone
 * and all at once lies every order that a GPU might choose.
 *
 *   npx tsx bench/cuckooChains.ts --items 100000 --builds 10
 */
import { parseArgs } from 'node:util';
import { randomWords } from '../src/hashing/index.ts';
import { chainLimitFor, type FunctionCount, REACH } from '../src/schemes/cuckoo/plan.ts';
import { type ScrambleSeed, scrambleTwin } from './scramble.ts';

const { values: flags } = parseArgs({
  options: {
    items: { type: 'string', default: '100000' },
    builds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
});

const EMPTY = 0xffffffff;
/** Slots per item for each number of functions; the last are the smallest of Alcantara 2011, section 6.1.1. */
const SIZES: readonly (readonly [FunctionCount, readonly number[]])[] = [
  [2, [3, 2.5, 2.1]],
  [3, [2, 1.25, 1.15, 1.1]],
  [4, [2, 1.25, 1.1, 1.05, 1.03]],
  [5, [2, 1.25, 1.05, 1.02]],
];
/** Longer chains are cut off here; λ is measured far below it. */
const CUT_OFF = 100_000;

interface Chains {
  /** How many chains had that many exchanges. */
  readonly lengths: ReadonlyMap<number, number>;
  readonly exchanges: number;
}

function simulate(functions: number, items: number, capacity: number, threads: number, random: () => number): Chains {
  const seeds = Array.from({ length: functions + 1 }, (): ScrambleSeed => [random(), random()]);
  const keySeed = seeds.pop() as ScrambleSeed;
  const slotBy = (key: number, i: number) =>
    Math.floor((scrambleTwin(key, seeds[i] as ScrambleSeed) * capacity) / 2 ** 32);
  /** Round robin over the different slots of a key, as `nextChoice` does. */
  const next = (key: number, left: number): number => {
    const choices = [...new Set(seeds.map((_, i) => slotBy(key, i)))];
    return choices[(choices.indexOf(left) + 1) % choices.length] as number;
  };

  const table = new Uint32Array(capacity).fill(EMPTY);
  const lengths = new Map<number, number>();
  const active: { key: number; slot: number; exchanges: number }[] = [];
  let started = 0;
  let exchanges = 0;
  const start = () => {
    const key = scrambleTwin(started++, keySeed);
    return { key, slot: slotBy(key, 0), exchanges: 0 };
  };
  while (active.length < threads && started < items) active.push(start());
  while (active.length > 0) {
    for (let t = active.length - 1; t >= 0; t--) {
      const thread = active[t] as (typeof active)[0];
      const evicted = table[thread.slot] as number;
      table[thread.slot] = thread.key;
      thread.exchanges++;
      exchanges++;
      if (evicted !== EMPTY && thread.exchanges < CUT_OFF) {
        thread.slot = next(evicted, thread.slot);
        thread.key = evicted;
        continue;
      }
      lengths.set(thread.exchanges, (lengths.get(thread.exchanges) ?? 0) + 1);
      if (started < items) active[t] = start();
      else active.splice(t, 1);
    }
  }
  return { lengths, exchanges };
}

/** λ of exp(−x / λ), from the points where one chain in 200 and where 20 chains are longer. */
function decay(lengths: ReadonlyMap<number, number>, chains: number): number {
  let longer = 0;
  let rare = 0;
  for (const [length, count] of [...lengths].sort(([a], [b]) => b - a)) {
    longer += count;
    if (rare === 0 && longer >= 20) rare = length;
    if (longer >= chains / 200) return (rare - length) / Math.log(chains / 200 / 20);
  }
  return Number.NaN;
}

const [items, builds, seed] = [flags.items, flags.builds, flags.seed].map(Number) as [number, number, number];
const random = randomWords(seed);
console.log(`${builds} simulated builds of ${items} items`);
console.log('functions slots/item threads  exchanges/item       λ  formula  longest  limit  builds over it');
for (const [functions, sizes] of SIZES) {
  for (const slotsPerItem of sizes) {
    const capacity = Math.ceil(items * slotsPerItem);
    const limit = chainLimitFor(functions, items, capacity);
    const formula = 0.75 * (1 - items / capacity / REACH[functions].threshold) ** -1.1;
    for (const threads of [1, items]) {
      const lengths = new Map<number, number>();
      let [exchanges, longest, over] = [0, 0, 0];
      for (let build = 0; build < builds; build++) {
        const chains = simulate(functions, items, capacity, threads, random);
        exchanges += chains.exchanges;
        for (const [length, count] of chains.lengths) lengths.set(length, (lengths.get(length) ?? 0) + count);
        const most = Math.max(...chains.lengths.keys());
        longest = Math.max(longest, most);
        over += Number(most > limit);
      }
      const cells = [
        String(functions).padStart(9),
        String(slotsPerItem).padStart(10),
        (threads === 1 ? 'one' : 'all').padStart(7),
        (exchanges / items / builds).toFixed(2).padStart(15),
        decay(lengths, items * builds)
          .toFixed(1)
          .padStart(7),
        formula.toFixed(1).padStart(8),
        String(longest).padStart(8),
        String(limit).padStart(6),
        String(over).padStart(15),
      ];
      console.log(cells.join(' '));
    }
  }
}
