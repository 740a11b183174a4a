/** Every call of pictures and volumes with each of its steps at the device failing: what was made for it is freed. */
import { afterAll, describe, expect, it } from 'vitest';
import { SparseImage, SparsePaint, SparseVolume } from '../../src/apps.ts';
import { linearProbing } from '../../src/index.ts';
import { injecting, leaksOf } from '../injecting.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const options = { scheme: linearProbing() };
const pixels = Uint32Array.of(1, 0, 3, 0, 5, 0);
const input = { width: 3, height: 2, pixels };
const points = Int32Array.of(0, 0, 2, 1);
const colours = Uint32Array.of(7, 8);
const image = await SparseImage.from(gpu, input, options);
const volume = await SparseVolume.from(gpu, { width: 3, height: 2, depth: 1, voxels: pixels }, options);
const saved = await image.toBytes();
afterAll(() => {
  for (const made of [image, volume]) made.destroy();
});

const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
  'SparseImage.from': () => SparseImage.from(gpu, input, options),
  'SparseImage.from points': () => SparseImage.from(gpu, { width: 3, height: 2, points, colours }, options),
  'SparseImage.fromBytes': () => SparseImage.fromBytes(gpu, saved, options),
  'image.get': () => image.get(points),
  'image.pixels': () => image.pixels(),
  'image.toBytes': () => image.toBytes(),
  'volume.slice': () => volume.slice({ origin: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], width: 3, height: 2 }),
  'SparsePaint.create': () => SparsePaint.create(gpu, { width: 4, height: 4, most: 4 }, options),
  'SparsePaint.paint': async () => {
    using paint = await SparsePaint.create(gpu, { width: 4, height: 4 }, options);
    await paint.paint({ points, colours });
    await paint.paint({ points: Int32Array.of(1, 1, 0, 0), colours });
  },
};

describe.each(Object.entries(CALLS))('%s', (_, call) => {
  it.each(injecting(gpu).steps)('frees all when %s fails', async (step) => {
    expect(await leaksOf(gpu, step, call)).toEqual([]);
  });
});
