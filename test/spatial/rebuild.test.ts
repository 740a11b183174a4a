/** Rebuilds of a grid that are given up, and what may stand beside their points. */
import { expect, it } from 'vitest';
import { InvalidInputError } from '../../src/gpu/index.ts';
import { SpatialGrid } from '../../src/spatial/spatialGrid.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const row = (points: number) => new Float32Array(points * 3).map((_, i) => (i % 3 === 0 ? i / 3 : 0));
const make = () => SpatialGrid.from(gpu, { points: row(5) }, { radius: 1 });

it('leaves a grid as it was if a rebuild is given up before its turn', async () => {
  using grid = await make();
  const reason = new Error('not wanted');
  const signal = AbortSignal.abort(reason);
  await expect(grid.rebuild({ points: row(9) }, { signal })).rejects.toBe(reason);
  expect(grid.size).toBe(5);
  expect(await grid.pairs()).toHaveLength(2 * 4);
});

it('takes nothing but a signal beside its points', async () => {
  using grid = await make();
  for (const odd of [null, 5, { radius: 2 }, { signal: {} }]) {
    await expect(grid.rebuild({ points: row(9) }, odd as never)).rejects.toThrow(InvalidInputError);
  }
  expect(grid.size).toBe(5);
  expect(await grid.rebuild({ points: row(9) }, { signal: new AbortController().signal })).toBe(grid);
  expect([grid.size, (await grid.pairs()).length]).toEqual([9, 2 * 8]);
});

it('settles the build that was submitted, whatever was recorded before and thrown away', async () => {
  using grid = await make();
  const points = gpu.upload('points', row(4));
  const lost = gpu.device.createCommandEncoder();
  grid.encodeRebuild(lost, { points, count: 3 });
  lost.finish();
  await expect(grid.settle()).rejects.toThrow('has not been submitted yet');
  const encoder = gpu.device.createCommandEncoder();
  grid.encodeRebuild(encoder, { points, count: 4 });
  gpu.device.queue.submit([encoder.finish()]);
  expect((await grid.settle()).size).toBe(4);
  expect(await grid.pairs()).toHaveLength(2 * 3);
  points.destroy();
});
