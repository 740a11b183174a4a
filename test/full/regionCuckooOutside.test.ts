/**
 * Large batches into tables whose buckets have six slots, of which loads count four. Where they are empty, next to nobody walks while a region
 * is filled quickly; later on, who finds both buckets full waits outside of the regions. Only large tables are like that, so all keys go to a few
 * of their regions.
 */
import { afterAll, expect, it } from 'vitest';
import { type HashConstants, randomWords } from '../../src/hashing/index.ts';
import { DynamicMap, u32 } from '../../src/index.ts';
import { HeaderLayout } from '../../src/schemes/contract/index.ts';
import { unmixTwin } from '../oracles/bucketCuckooTwin.ts';
import { expectSound, firstHashTwin, type Grid } from '../oracles/regionCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

/** Half a gigabyte. */
const RESERVED = 58_000_000;
/** Regions that have keys, and all of their slots. */
const REGIONS = 12;
const BUCKETS = REGIONS * 512;
const SLOTS = BUCKETS * 6;
/** So large are batches of regions at least; few of the items are there. */
const MOST = 2_200_000;

// A batch of 32,768 regions takes ten seconds on a software GPU.
const map = await DynamicMap.create(gpu, { key: u32, seed: 3, reserve: RESERVED });
afterAll(() => map.destroy());
const { plan, buffers } = map.table;
const layout = HeaderLayout.of(plan.fields);
const [headerBytes] = await gpu.run(() => {}, [{ buffer: buffers.header, bytes: layout.bytes }]);
const { hash, own } = layout.read(headerBytes as ArrayBuffer);
const [constants, grid] = [hash as HashConstants, own as unknown as Grid];
const random = randomWords(5);
const below = firstHashTwin(REGIONS, grid.regions);
const distinct = new Map<number, number>();
while (distinct.size < 2 * SLOTS) {
  const hashed = random() % below;
  distinct.set(unmixTwin(hashed, constants) >>> 0, hashed);
}
const keys = Uint32Array.from(distinct.keys());
/** Keys of one home: six may stay, and six go to the other bucket of each of ten classes. */
const CROWD = 70;
const MOST_OF_A_CROWD = 66;
const homeOfCrowd = firstHashTwin(3 * 512 + 77, grid.regions * 512);
const crowd = Uint32Array.from({ length: CROWD }, (_, i) => unmixTwin(homeOfCrowd + i, constants));
for (const [i, key] of crowd.entries()) distinct.set(key, homeOfCrowd + i);
const valueFor = (key: number) => (key ^ 0x5bd1_e995) >>> 0;

async function insert(some: Uint32Array): Promise<number> {
  const [keyBuffer, valueBuffer] = (await gpu.allocate(
    ['keys', 'values'].map((label) => ({ label, bytes: MOST * 4 })),
  )) as [GPUBuffer, GPUBuffer];
  gpu.write(keyBuffer, some);
  gpu.write(valueBuffer, some.map(valueFor));
  const count = gpu.upload('count', Uint32Array.of(some.length));
  await gpu.run((encoder) =>
    map.encodeInsert(encoder, { keys: keyBuffer, values: valueBuffer, count: { buffer: count } }, { unique: true }),
  );
  for (const buffer of [keyBuffer, valueBuffer, count]) buffer.destroy();
  return (await map.settle()).left;
}

/** The keys that are there; each has its value, and is in the raw table once. */
async function expectKeys(some = keys): Promise<number[]> {
  const { values, found } = await map.get(some);
  expect(some.every((key, i) => found[i] === 0 || values[i] === valueFor(key))).toBe(true);
  const there = Array.from(some).filter((_, i) => found[i] === 1);
  expect(map.size).toBe(there.length);
  const [bytes] = await gpu.run(() => {}, [{ buffer: buffers.get('buckets'), bytes: BUCKETS * 32 }]);
  const hashes = there.map((key) => [distinct.get(key) as number, 0] as const);
  expectSound(new Uint32Array(bytes as ArrayBuffer), plan.format, grid, hashes, true, BUCKETS);
  return there;
}

it.each([0, MOST_OF_A_CROWD, CROWD])(
  'fills regions that are empty, with %i keys of one home',
  {
    timeout: 600_000,
  },
  async (crowded) => {
    expect(plan.format).toContain('6x9');
    // As many in every region as there is room for in so large a batch.
    const some = Uint32Array.from(new Set([...keys.subarray(0, REGIONS * 60), ...crowd.subarray(0, crowded)]));
    const left = Math.max(0, crowded - MOST_OF_A_CROWD);
    expect(await insert(some)).toBe(left);
    const there = new Set(await expectKeys(some));
    expect(there.size).toBe(some.length - left);
    expect(some.every((key) => there.has(key) || crowd.includes(key))).toBe(true);
    await map.clear();
  },
);

it('makes room for all that wait, for copies only once, and counts those for whom there is none', {
  timeout: 600_000,
}, async () => {
  let end = 0;
  for (const load of [0.5, 0.66]) {
    const some = keys.subarray(end, Math.floor(SLOTS * load));
    end += some.length;
    expect(await insert(some)).toBe(0);
    expect(await expectKeys()).toHaveLength(end);
  }
  // It was promised that there are none.
  const twice = Uint32Array.from({ length: 4000 }, (_, i) => keys[end + (i >> 1)] as number);
  expect(await insert(twice)).toBe(0);
  expect(await expectKeys()).toHaveLength(end + 2000);
  const left = await insert(keys.subarray(end));
  expect(left).toBeGreaterThanOrEqual(keys.length - SLOTS);
  const there = await expectKeys();
  expect(there).toHaveLength(keys.length - left);
  // Regions are full but for a few slots.
  expect(there.length).toBeGreaterThan(0.97 * SLOTS);
  const kept = new Set(there);
  expect(keys.subarray(0, end + 2000).every((key) => kept.has(key))).toBe(true);
});
