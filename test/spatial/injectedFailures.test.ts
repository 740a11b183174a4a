/** Every call of grids and of welding with each of its steps at the device failing: what was made for it is freed. */
import { afterAll, describe, expect, it } from 'vitest';
import { SpatialGrid, weld } from '../../src/spatial.ts';
import { injecting, leaksOf } from '../injecting.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const points = Float32Array.of(0, 0, 0, 1, 0, 0, 0.5, 0, 0);
const groups = Uint32Array.of(1, 1, 2);
const grid = await SpatialGrid.from(gpu, { points }, { radius: 0.75 });
afterAll(() => grid.destroy());

const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
  'SpatialGrid.from': () => SpatialGrid.from(gpu, { points, groups }, { radius: 0.75 }),
  'grid.neighbours': () => grid.neighbours(points),
  'grid.pairs': () => grid.pairs(),
  'grid.rebuild': async () => {
    using growing = await SpatialGrid.from(gpu, { points }, { radius: 0.75 });
    await growing.rebuild({ points: new Float32Array(300) });
  },
  weld: () => weld(gpu, points, { attributes: { wide: new Float32Array(60) } }),
};

describe.each(Object.entries(CALLS))('%s', (_, call) => {
  it.each(injecting(gpu).steps)('frees all when %s fails', async (step) => {
    expect(await leaksOf(gpu, step, call)).toEqual([]);
  });
});

describe('afterwards', () => {
  it('the grid answers as before', async () => {
    const { offsets } = await grid.neighbours(points);
    expect([...offsets]).toEqual([0, 2, 4, 7]);
  });
});
