/** Small batches of which more items wait for room than one thread should make it for. */
import { expect, it } from 'vitest';
import { type HashConstants, randomWords } from '../../src/hashing/index.ts';
import { DynamicSet, u32 } from '../../src/index.ts';
import { HeaderLayout } from '../../src/schemes/contract/index.ts';
import { unmixTwin } from '../oracles/bucketCuckooTwin.ts';
import { firstHashTwin, type Grid } from '../oracles/regionCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
/** Regions that all keys go to. */
const REGIONS = 2700;
const SLOTS = REGIONS * 2048;

it('makes room as long as there is any, however many wait', { timeout: 600_000 }, async () => {
  // So many regions take 691,200 items at a time one by one.
  const set = await DynamicSet.create(gpu, { key: u32, seed: 3, reserve: 18_800_000 });
  const { plan, buffers } = set.table;
  const layout = HeaderLayout.of(plan.fields);
  const [bytes] = await gpu.run(() => {}, [{ buffer: buffers.header, bytes: layout.bytes }]);
  const { hash, own } = layout.read(bytes as ArrayBuffer);
  const { regions } = own as unknown as Grid;
  const random = randomWords(5);
  const distinct = new Set<number>();
  while (distinct.size < 0.965 * SLOTS) {
    // As many to every region.
    const region = distinct.size % REGIONS;
    const first = firstHashTwin(region, regions);
    const hashed = first + (random() % (firstHashTwin(region + 1, regions) - first));
    distinct.add(unmixTwin(hashed, hash as HashConstants) >>> 0);
  }
  const all = Uint32Array.from(distinct);
  const early = all.subarray(0, 0.85 * SLOTS);
  const late = all.subarray(early.length);
  expect(late.length).toBeLessThanOrEqual(64 * regions);
  const list = gpu.createBuffer('left', late.length * 4);
  for (const some of [early, late]) {
    const keys = gpu.upload('keys', some);
    await gpu.run((encoder) =>
      set.encodeInsert(encoder, { keys, count: some.length, ...(some === late && { left: list }) }),
    );
    keys.destroy();
  }
  const { left } = await set.settle();
  expect(set.size).toBe(all.length - left);
  expect((await set.has(early)).every((has) => has === 1)).toBe(true);
  const there = await set.has(late);
  const [numbers] = await gpu.run(() => {}, [{ buffer: list, bytes: left * 4 }]);
  const missed = new Uint32Array(numbers as ArrayBuffer);
  expect(new Set(missed).size).toBe(left);
  expect(missed.every((number) => there[number] === 0)).toBe(true);
  expect(left).toBe(0);
  list.destroy();
  set.destroy();
});
