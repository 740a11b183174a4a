/**
 * Random commands, taken through a table that lives and through a `Map`, by the state machine of fast-check. After every command the raw
 * table is looked at: each key is there once, in one of its two buckets, and nothing else is.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DynamicMap } from '../../src/collections/dynamic/dynamicMap.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { u32 } from '../../src/keys/index.ts';
import type { DynamicScheme } from '../../src/schemes/contract/index.ts';
import { dyCuckoo } from '../../src/schemes/dyCuckoo/index.ts';
import { regionCuckoo } from '../../src/schemes/regionCuckoo/index.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { inFull } from '../inFull.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { crowdedKeys, expectSoundTable } from './sound.ts';

const gpu = await sharedGpu('default');
const kind = keyKinds.u32;

type Model = Map<number, number>;
type Real = DynamicMap<Uint32Array>;

/** Keys of a batch. Few different ones make many copies, and come again in later batches. */
interface Batch {
  readonly count: number;
  readonly seed: number;
  readonly different: number;
}

function keysOf({ count, seed, different }: Batch): Uint32Array<ArrayBuffer> {
  const random = randomWords(seed);
  return Uint32Array.from({ length: count }, () => Math.imul(random() % different, 0x9e37_79b1));
}

const valuesOf = (keys: Uint32Array, seed: number) =>
  keys.map((key, i) => (key ^ Math.imul(i + seed, 0x85eb_ca6b)) >>> 0);

/** What has to be so after every command. */
async function expectSame(model: Model, real: Real): Promise<void> {
  const { lowest, highest } = real.table.settings.bounds;
  expect(real.size).toBe(model.size);
  expect(real.filledFactor).toBeLessThanOrEqual(highest);
  const { slotsFor, plan } = { slotsFor: real.table.slotsFor(model.size), plan: real.table.plan };
  // Nothing larger than the smallest table for its keys, or than what is reserved, is emptier than the lower bound.
  if (plan.capacitySlots > plan.resized(Math.max(slotsFor, real.table.reservedSlots), undefined).capacitySlots) {
    expect(real.filledFactor).toBeGreaterThanOrEqual(lowest);
  }
  const { keys, values } = await real.entries();
  const held = new Map(Array.from(keys, (key, i) => [key, values[i] as number]));
  expect(keys).toHaveLength(model.size);
  let wrong = 0;
  for (const [key, value] of model) wrong += Number(held.get(key) !== value);
  expect(wrong).toBe(0);
  await expectSoundTable(real.table, kind, Array.from(model.keys(), BigInt));
}

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): fc.AsyncCommand<Model, Real> => ({
  check: () => true,
  run: async (model, real) => {
    await run(model, real);
    await expectSame(model, real);
  },
  toString: () => name,
});

async function insert(model: Model, real: Real, keys: Uint32Array<ArrayBuffer>, values: Uint32Array<ArrayBuffer>) {
  const fresh = await real.insert(keys, values);
  expect(fresh).toEqual(Uint8Array.from(keys, (key) => Number(!model.has(key))));
  for (const [i, key] of keys.entries()) model.set(key, values[i] as number);
}

/** Up to 2,048 items change a table of regionCuckoo one by one, more go through it region by region. */
const batchOf = (most: number): fc.Arbitrary<Batch> =>
  fc.record({
    count: fc.oneof(fc.constantFrom(0, 1, 2, 255, 257, 2048, 2049), fc.nat(most)),
    seed: fc.nat(20),
    different: fc.constantFrom(3, 500, 4000, 2 ** 32),
  });

const spelled = ({ count, seed, different }: Batch) => `${count}, seed ${seed}, of ${different}`;

const commandsOf = (most: number): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] => [
  batchOf(most).map((batch) =>
    command(`insert(${spelled(batch)})`, (model, real) => {
      const keys = keysOf(batch);
      return insert(model, real, keys, valuesOf(keys, batch.seed));
    }),
  ),
  batchOf(most).map((batch) =>
    command(`add(${spelled(batch)})`, async (model, real) => {
      const keys = keysOf(batch);
      await real.insert(keys, keys, { onExisting: 'sum' });
      for (const key of keys) model.set(key, ((model.get(key) ?? 0) + key) >>> 0);
    }),
  ),
  batchOf(most).map((batch) =>
    command(`delete(${spelled(batch)})`, async (model, real) => {
      const keys = keysOf(batch);
      expect(await real.delete(keys)).toEqual(Uint8Array.from(keys, (key) => Number(model.has(key))));
      for (const key of keys) model.delete(key);
    }),
  ),
  fc.integer({ min: 2, max: 16 }).map((share) =>
    command(`delete(all but each ${share}th)`, async (model, real) => {
      const keys = Uint32Array.from([...model.keys()].filter((_, i) => i % share > 0));
      expect(await real.delete(keys)).toEqual(new Uint8Array(keys.length).fill(1));
      for (const key of keys) model.delete(key);
    }),
  ),
  fc.constantFrom(5, 10, 30).map((count) =>
    // Two buckets have eight slots: more take another hash function, or another size.
    command(`insert(${count} keys that share both buckets)`, async (model, real) => {
      const keys = Uint32Array.from(await crowdedKeys(real.table, kind, count), Number);
      await insert(model, real, keys, valuesOf(keys, count));
    }),
  ),
  fc.constant(
    command('clear()', async (model, real) => {
      await real.clear();
      model.clear();
    }),
  ),
  fc.constant(command('shrink()', (_, real) => real.shrink())),
  fc.nat(2 * most).map((count) => command(`reserve(${count})`, (_, real) => real.reserve(count))),
];

describe.each<DynamicScheme>([regionCuckoo(), dyCuckoo()])('a table of $name through any commands', (scheme) => {
  it.each([{ most: 5000, runs: inFull ? 20 : 3 }, ...(inFull ? [{ most: 100_000, runs: 3 }] : [])])(
    'with batches of up to $most items',
    { timeout: 300_000 },
    async ({ most, runs }) => {
      const commands = fc.commands(commandsOf(most), { maxCommands: 14, size: 'max' });
      const property = fc.asyncProperty(commands, async (list) => {
        using real = await DynamicMap.create(gpu, { key: u32, scheme, seed: 5 });
        await fc.asyncModelRun(() => ({ model: new Map<number, number>(), real }), list);
      });
      await fc.assert(property, { numRuns: runs, endOnFailure: !inFull });
    },
  );
});
