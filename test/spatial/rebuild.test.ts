/** Rebuilds of a grid that are given up, and what may stand beside their points. */
import { expect, it } from 'vitest';
import { DestroyedError, GpuFaultError, InvalidInputError } from '../../src/gpu/index.ts';
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

it('says why there is nothing to read after a rebuild that failed, until there is another', async () => {
  using grid = await make();
  const points = gpu.upload('points', row(5));
  points.destroy();
  const failure = await grid.rebuild({ points, count: 5 }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(GpuFaultError);
  for (const read of [() => grid.pairs(), () => grid.neighbours(row(1)), () => grid.settle()]) {
    await expect(read()).rejects.toBe(failure);
  }
  await grid.rebuild({ points: row(3) });
  expect(await grid.pairs()).toHaveLength(2 * 2);
});

it('rejects all that was called before it was destroyed as that', async () => {
  const grid = await make();
  const called = [grid.pairs(), grid.neighbours(row(1)), grid.rebuild({ points: row(5) }), grid.settle()];
  grid.destroy();
  for (const call of called) await expect(call).rejects.toThrow(DestroyedError);
});
