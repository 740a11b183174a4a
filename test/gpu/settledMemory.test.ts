/** Encoded calls that find no memory: the commands are the caller's, so it is `settle` that tells. */
import { describe, expect, it } from 'vitest';
import { SparseImage, SparsePaint, SparseVolume } from '../../src/apps.ts';
import {
  Aggregate,
  HashMap,
  HashSet,
  KeyIndex,
  linearProbing,
  MultiMap,
  OutOfMemoryError,
  u32,
  valueTypes,
} from '../../src/index.ts';
import { JoinTable } from '../../src/relational.ts';
import { SpatialGrid } from '../../src/spatial.ts';
import { withoutMemory } from '../injecting.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const words = Uint32Array.of(1, 2, 3, 4);
const options = { scheme: linearProbing(), key: u32 };
const input = () => ({ keys: gpu.upload('test', words), values: gpu.upload('test', words), count: 4 });

interface Settled {
  settle(): Promise<unknown>;
  destroy(): void;
}
const BUILDS: Readonly<Record<string, (target: GPUCommandEncoder) => Settled>> = {
  HashMap: (target) => HashMap.encodeBuild(gpu, target, input(), options),
  HashSet: (target) => HashSet.encodeBuild(gpu, target, input(), options),
  KeyIndex: (target) => KeyIndex.encodeBuild(gpu, target, input(), options),
  MultiMap: (target) => MultiMap.encodeBuild(gpu, target, input(), options),
  Aggregate: (target) =>
    Aggregate.encodeBuild(gpu, target, input(), { ...options, value: valueTypes.u32, combine: 'sum' }),
  SparseImage: (target) =>
    SparseImage.encodeBuild(gpu, target, { width: 2, height: 2, pixels: gpu.upload('test', words) }),
  SparseVolume: (target) =>
    SparseVolume.encodeBuild(gpu, target, { width: 2, height: 2, depth: 1, voxels: gpu.upload('test', words) }),
  SpatialGrid: (target) =>
    SpatialGrid.encodeBuild(gpu, target, { points: gpu.upload('test', new Uint32Array(12)), count: 4 }, { radius: 1 }),
  JoinTable: (target) =>
    JoinTable.encodeBuild(gpu, target, { columns: { values: gpu.upload('test', words), key: u32 }, count: 4 }),
};

describe('settle tells of memory that an encoded call could not have', () => {
  it.each(Object.entries(BUILDS))('a build of a %s', async (_, build) => {
    const target = gpu.device.createCommandEncoder();
    const restore = withoutMemory(gpu);
    const built = build(target);
    restore();
    gpu.device.queue.submit([target.finish()]);
    await expect(built.settle()).rejects.toBeInstanceOf(OutOfMemoryError);
    built.destroy();
  });

  it('a stroke, once, and the first of several', async () => {
    using paint = await SparsePaint.create(gpu, { width: 8, height: 8, most: 16 });
    const dabs = { points: gpu.upload('test', words), colours: gpu.upload('test', words), count: 2 };
    const target = gpu.device.createCommandEncoder();
    paint.encodePaint(target, dabs);
    const restore = withoutMemory(gpu);
    paint.encodePaint(target, dabs);
    restore();
    paint.encodePaint(target, dabs);
    gpu.device.queue.submit([target.finish()]);
    await expect(paint.settle()).rejects.toBeInstanceOf(OutOfMemoryError);
    await paint.settle();
    expect(paint.size).toBe(2);
  });
});
