/** Batches that change a large table item by item, with copies: the last item of each key counts, also where room has to be made. */
import { afterAll, describe, expect, it } from 'vitest';
import { type HashConstants, mix } from '../../src/hashing/index.ts';
import { DynamicMap, u32 } from '../../src/index.ts';
import { HeaderLayout } from '../../src/schemes/contract/index.ts';
import type { Grid } from '../oracles/regionCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');
/** So many keys have regions for 81,280 items at a time. */
const map = await DynamicMap.create(gpu, { key: u32, seed: 6, reserve: 2_600_000, lowest: 0.0001 });
afterAll(() => map.destroy());

/** Keys of one region, more than nine tenths of its slots. */
async function crowd(): Promise<number[]> {
  const { plan, buffers } = map.table;
  const layout = HeaderLayout.of(plan.fields);
  const [bytes] = await gpu.run(() => {}, [{ buffer: buffers.header, bytes: layout.bytes }]);
  const { hash, own } = layout.read(bytes as ArrayBuffer);
  const { regions } = own as unknown as Grid;
  const keys: number[] = [];
  for (let id = 0; keys.length < 0.92 * 5 * 512; id++) {
    const [x] = mix.hashTwin([id], hash as HashConstants);
    if (Math.floor((x * regions) / 2 ** 32) === 5) keys.push(id);
  }
  return keys;
}

/** Inserts the keys on the encoder face, looks at all of them, and takes them out again, each as often as it came. */
async function expectLastValues(keys: readonly number[]): Promise<void> {
  const keyBuffer = gpu.upload('keys', Uint32Array.from(keys));
  for (const round of [1, 2]) {
    const values = Uint32Array.from(keys, (_, i) => i * round + 7);
    const valueBuffer = gpu.upload('values', values);
    await gpu.run((encoder) => map.encodeInsert(encoder, { keys: keyBuffer, values: valueBuffer, count: keys.length }));
    expect((await map.settle()).left).toBe(0);
    valueBuffer.destroy();
    const expected = new Map(keys.map((key, i) => [key, values[i] as number]));
    expect(map.size).toBe(expected.size);
    const { values: got, found } = await map.get(Uint32Array.from(expected.keys()));
    expect(found.every((one) => one === 1)).toBe(true);
    expect([...got]).toEqual([...expected.values()]);
  }
  await gpu.run((encoder) => map.encodeDelete(encoder, { keys: keyBuffer, count: keys.length }));
  await map.settle();
  expect(map.size).toBe(0);
  expect((await map.has(Uint32Array.from(keys))).every((one) => one === 0)).toBe(true);
  keyBuffer.destroy();
}

describe('a batch that goes item by item', () => {
  it.each([1, 2, 255, 256, 257, 5000, 70_000])('leaves the last values of %i items', async (count) => {
    await expectLastValues(Array.from({ length: count }, (_, i) => i * 77_777));
    await expectLastValues(Array.from({ length: count }, (_, i) => ((i * 31) % Math.ceil(count / 2)) * 77_777));
    await expectLastValues(Array.from({ length: count }, (_, i) => (i % 3 === 0 ? 0xffff_ffff : i % 23)));
  });

  it('leaves them where a region is crowded', async () => {
    const keys = await crowd();
    await expectLastValues([...keys, ...keys.toReversed()]);
    await expectLastValues(keys.flatMap((key) => [key, key, key]));
  });
});
