/** What is recorded after `prepare` compiles nothing: a frame that has it takes no longer than others. */
import { afterAll, describe, expect, it } from 'vitest';
import { type DrawBuffers, SparseImage, SparsePaint, SparseVolume } from '../../src/apps.ts';
import {
  Aggregate,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  dyCuckoo,
  GPUTextureUsage,
  Gpu,
  HashMap,
  HashSet,
  KeyIndex,
  MultiMap,
  u32,
  utf8,
  valueTypes,
} from '../../src/index.ts';
import { JoinTable } from '../../src/relational.ts';
import { SpatialGrid } from '../../src/spatial.ts';
import { madeObjects } from '../madeObjects.ts';

const ITEMS = 300;
const opened = await Gpu.open();
afterAll(() => opened.destroy());

/** Buffers of a test, and what is recorded with them. */
class Recording {
  readonly encoder: GPUCommandEncoder;
  /** How many there are: known here, and on the GPU alone. */
  readonly counts: readonly [number, { readonly buffer: GPUBuffer }];
  readonly #made: { destroy(): void }[] = [];

  constructor(readonly gpu: Gpu) {
    this.encoder = gpu.device.createCommandEncoder();
    this.counts = [ITEMS, { buffer: this.keep(gpu.upload('test', Uint32Array.of(9))) }];
  }

  keep<T extends { destroy(): void }>(made: T): T {
    this.#made.push(made);
    return made;
  }

  /** A buffer with room for so many words of every item. */
  room(words = 1): GPUBuffer {
    return this.keep(this.gpu.createBuffer('test', 4 * words * ITEMS));
  }

  /** What drawings go to. */
  outputs(width: number, height: number, depth: number, dimension: '2d' | '3d' = '2d'): DrawBuffers['output'][] {
    const usage = GPUTextureUsage.STORAGE_BINDING;
    const size = [width, height, depth];
    const texture = this.gpu.device.createTexture({ size, dimension, format: 'rgba8unorm', usage });
    return [this.room(), this.keep(texture)];
  }

  async end(): Promise<void> {
    this.gpu.device.queue.submit([this.encoder.finish()]);
    await this.gpu.device.queue.onSubmittedWorkDone();
    for (const made of this.#made) made.destroy();
  }
}

const living = { key: u32, reserve: 2 * ITEMS };
const size = { width: 20, height: 15 };
const space = { width: 5, height: 6, depth: 10 };
const slice = { origin: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], width: 4, height: 4 } as const;
const sum = { combine: 'sum', value: valueTypes.u32 } as const;
const columns = { total: 'sum64', mean: 'mean' } as const;

interface Subject {
  prepare(gpu: Gpu): Promise<void>;
  record(recording: Recording): unknown;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  HashMap: {
    prepare: (gpu) => HashMap.prepare(gpu, { items: ITEMS }),
    record: (recording) => {
      const { gpu, encoder, counts } = recording;
      const input = { keys: recording.room(), values: recording.room() };
      const map = recording.keep(HashMap.encodeBuild(gpu, encoder, { ...input, count: ITEMS }, { key: u32 }));
      for (const count of counts) {
        const queries = { queries: recording.room(), count };
        map.encodeRebuild(encoder, { ...input, count });
        map.encodeGet(encoder, { ...queries, values: recording.room() });
        map.encodeGet(encoder, { ...queries, values: recording.room(), found: recording.room() });
        map.encodeHas(encoder, { ...queries, found: recording.room() });
      }
    },
  },
  'HashMap of strings': {
    prepare: (gpu) => HashMap.prepare(gpu, { items: ITEMS, key: utf8, value: valueTypes.vec2f }),
    record: (recording) => {
      const { gpu, encoder } = recording;
      const input = { keys: recording.room(2), values: recording.room(2), count: ITEMS, context: recording.room() };
      const types = { key: utf8, value: valueTypes.vec2f };
      const map = recording.keep(HashMap.encodeBuild(gpu, encoder, input, types));
      const queries = { queries: recording.room(2), count: ITEMS, context: recording.room() };
      map.encodeGet(encoder, { ...queries, values: recording.room(2) });
    },
  },
  HashSet: {
    prepare: (gpu) => HashSet.prepare(gpu, { items: ITEMS }),
    record: (recording) => {
      const { gpu, encoder, counts } = recording;
      const keys = recording.room();
      const set = recording.keep(HashSet.encodeBuild(gpu, encoder, { keys, count: ITEMS }, { key: u32 }));
      for (const count of counts) {
        set.encodeRebuild(encoder, { keys, count });
        set.encodeHas(encoder, { queries: recording.room(), found: recording.room(), count });
      }
    },
  },
  KeyIndex: {
    prepare: (gpu) => KeyIndex.prepare(gpu, { items: ITEMS }),
    record: (recording) => {
      const { gpu, encoder, counts } = recording;
      const keys = recording.room();
      const index = recording.keep(KeyIndex.encodeBuild(gpu, encoder, { keys, count: ITEMS }, { key: u32 }));
      for (const count of counts) {
        index.encodeRebuild(encoder, { keys, count });
        index.encodeIds(encoder, { queries: recording.room(), ids: recording.room(), count });
        index.encodeHas(encoder, { queries: recording.room(), found: recording.room(), count });
      }
    },
  },
  MultiMap: {
    prepare: (gpu) => MultiMap.prepare(gpu, { items: ITEMS }),
    record: (recording) => {
      const { gpu, encoder, counts } = recording;
      const input = { keys: recording.room(), values: recording.room() };
      const map = recording.keep(MultiMap.encodeBuild(gpu, encoder, { ...input, count: ITEMS }, { key: u32 }));
      for (const count of counts) {
        const queries = { queries: recording.room(), count };
        const [counted, starts] = [recording.room(), recording.room()];
        map.encodeRebuild(encoder, { ...input, count });
        map.encodeCount(encoder, { ...queries, counts: counted });
        map.encodeCount(encoder, { ...queries, counts: counted, starts });
        const [offsets, values] = [recording.room(2), recording.room()];
        map.encodeRetrieve(encoder, { ...queries, offsets, values, total: { buffer: recording.room() } });
        map.encodeHas(encoder, { ...queries, found: recording.room() });
      }
    },
  },
  Aggregate: {
    prepare: (gpu) => Aggregate.prepare(gpu, { items: ITEMS, ...sum }),
    record: (recording) => {
      const { gpu, encoder, counts } = recording;
      const input = { keys: recording.room(), values: recording.room() };
      const sums = recording.keep(
        Aggregate.encodeBuild<Uint32Array>(gpu, encoder, { ...input, count: ITEMS }, { key: u32, ...sum }),
      );
      for (const count of counts) {
        const queries = { queries: recording.room(), count };
        sums.encodeRebuild(encoder, { ...input, count });
        sums.encodeGet(encoder, { ...queries, values: recording.room() });
        sums.encodeGet(encoder, { ...queries, values: recording.room(), found: recording.room() });
        sums.encodeHas(encoder, { ...queries, found: recording.room() });
      }
    },
  },
  'Aggregate of several results': {
    prepare: (gpu) => Aggregate.prepare(gpu, { items: ITEMS, combine: columns, value: valueTypes.u32 }),
    record: (recording) => {
      const { gpu, encoder } = recording;
      const input = { keys: recording.room(), values: recording.room(), count: ITEMS };
      const options = { key: u32, combine: columns, value: valueTypes.u32 };
      const several = recording.keep(
        Aggregate.encodeBuild<Uint32Array, { total: BigUint64Array; mean: Float32Array }>(gpu, encoder, input, options),
      );
      const values = { total: recording.room(2), mean: recording.room() };
      several.encodeGet(encoder, { queries: recording.room(), count: ITEMS, values });
    },
  },
  DynamicMap: {
    prepare: (gpu) => DynamicMap.prepare(gpu, { ...living, items: ITEMS }),
    record: async (recording) => {
      const map = recording.keep(await DynamicMap.create(recording.gpu, living));
      for (const count of [ITEMS, ...recording.counts]) {
        const queries = { queries: recording.room(), count };
        const [keys, found] = [recording.room(), recording.room()];
        map.encodeInsert(recording.encoder, { keys, values: recording.room(), count, found });
        map.encodeDelete(recording.encoder, { keys, count, found });
        map.encodeGet(recording.encoder, { ...queries, values: recording.room() });
        map.encodeHas(recording.encoder, { ...queries, found: recording.room() });
      }
    },
  },
  'DynamicSet of strings': {
    prepare: (gpu) => DynamicSet.prepare(gpu, { key: utf8, scheme: dyCuckoo(), items: ITEMS }),
    record: async (recording) => {
      const set = recording.keep(await DynamicSet.create(recording.gpu, { key: utf8, scheme: dyCuckoo() }));
      await set.reserve(2 * ITEMS, 99 * ITEMS);
      for (const count of [ITEMS, ...recording.counts]) {
        const batch = { keys: recording.room(2), count, context: recording.room() };
        set.encodeInsert(recording.encoder, batch);
        set.encodeDelete(recording.encoder, batch);
      }
    },
  },
  DynamicIndex: {
    prepare: (gpu) => DynamicIndex.prepare(gpu, { ...living, items: ITEMS }),
    record: async (recording) => {
      const index = recording.keep(await DynamicIndex.create(recording.gpu, living));
      for (const count of [ITEMS, ...recording.counts]) {
        const keys = recording.room();
        index.encodeActivate(recording.encoder, { keys, count, ids: recording.room(), fresh: recording.room() });
        index.encodeIds(recording.encoder, { queries: keys, count, ids: recording.room() });
        index.encodeRelease(recording.encoder, { keys, count, found: recording.room() });
        index.encodeRelease(recording.encoder, { keys, count });
      }
    },
  },
  SparseImage: {
    prepare: (gpu) => SparseImage.prepare(gpu, { ...size, most: 100 }),
    record: (recording) => {
      const { gpu, encoder } = recording;
      const pixels = recording.room();
      const image = recording.keep(SparseImage.encodeBuild(gpu, encoder, { ...size, pixels, most: 100 }));
      image.encodeRebuild(encoder, { pixels });
      for (const output of recording.outputs(size.width, size.height, 1)) image.encodeUnpack(encoder, { output });
    },
  },
  SparseVolume: {
    prepare: (gpu) => SparseVolume.prepare(gpu, space),
    record: (recording) => {
      const { gpu, encoder } = recording;
      const voxels = recording.room();
      const volume = recording.keep(SparseVolume.encodeBuild(gpu, encoder, { ...space, voxels }));
      volume.encodeRebuild(encoder, { voxels });
      for (const output of recording.outputs(5, 6, 10, '3d')) volume.encodeUnpack(encoder, { output });
      for (const output of recording.outputs(4, 4, 1)) volume.encodeSlice(encoder, { ...slice, output });
    },
  },
  SparsePaint: {
    prepare: (gpu) => SparsePaint.prepare(gpu, { ...size, most: 100 }),
    record: async (recording) => {
      const { gpu, encoder } = recording;
      const paint = recording.keep(await SparsePaint.create(gpu, { ...size, most: 100 }));
      for (const count of [9, recording.counts[1]]) {
        paint.encodePaint(encoder, { points: recording.room(2), colours: recording.room(), count });
      }
      for (const output of recording.outputs(size.width, size.height, 1)) paint.encodeUnpack(encoder, { output });
    },
  },
  SpatialGrid: {
    prepare: (gpu) => SpatialGrid.prepare(gpu, { radius: 1, items: ITEMS }),
    record: (recording) => {
      const { gpu, encoder, counts } = recording;
      const input = { points: recording.room(3), count: ITEMS };
      const grid = recording.keep(SpatialGrid.encodeBuild(gpu, encoder, input, { radius: 1 }));
      for (const count of counts) grid.encodeRebuild(encoder, { ...input, count });
    },
  },
  'SpatialGrid in a plane, with groups': {
    prepare: (gpu) => SpatialGrid.prepare(gpu, { radius: 1, dimensions: 2, groups: true, items: ITEMS }),
    record: (recording) => {
      const { gpu, encoder, counts } = recording;
      const input = { points: recording.room(2), groups: recording.room(), count: ITEMS };
      const grid = recording.keep(SpatialGrid.encodeBuild(gpu, encoder, input, { radius: 1, dimensions: 2 }));
      for (const count of counts) grid.encodeRebuild(encoder, { ...input, count });
    },
  },
  JoinTable: {
    prepare: (gpu) => JoinTable.prepare(gpu, { key: u32, items: ITEMS }),
    record: (recording) => {
      const { gpu, encoder, counts } = recording;
      const own = { values: recording.room(), key: u32 };
      const table = recording.keep(JoinTable.encodeBuild(gpu, encoder, { columns: own, count: ITEMS }));
      for (const count of counts) {
        table.encodeRebuild(encoder, { columns: own, count });
        const rows = { leftRows: recording.room(), rightRows: recording.room() };
        table.encodeJoin(encoder, { columns: own, count, ...rows, total: { buffer: recording.room() } });
      }
    },
  },
  'JoinTable of several columns, of which some have no value': {
    prepare: (gpu) => JoinTable.prepare(gpu, { key: [u32, utf8], items: ITEMS, nulls: true, how: 'anti' }),
    record: (recording) => {
      const { gpu, encoder } = recording;
      const one = { values: recording.room(), key: u32, valid: recording.room() };
      const other = { values: recording.room(2), key: utf8, context: recording.room() };
      const rows = { columns: [one, other], count: ITEMS };
      const table = recording.keep(JoinTable.encodeBuild(gpu, encoder, rows));
      const answers = { leftRows: recording.room(), total: { buffer: recording.room() } };
      table.encodeJoin(encoder, { ...rows, how: 'anti', ...answers });
    },
  },
};

describe('what is recorded after prepare compiles nothing', () => {
  it.each(Object.entries(SUBJECTS))('%s', async (_, { prepare, record }) => {
    const gpu = Gpu.from(opened.device);
    const ahead = await madeObjects(gpu, () => prepare(gpu));
    expect(ahead.createComputePipelineAsync).toBeGreaterThan(0);
    expect(ahead.createComputePipeline).toBeUndefined();
    expect(ahead.createBuffer).toBeUndefined();
    const recording = new Recording(gpu);
    const made = await madeObjects(gpu, () => record(recording));
    await recording.end();
    expect(Object.keys(made).filter((name) => /Pipeline|Shader/.test(name))).toEqual([]);
    gpu.destroy();
  });
});

describe('prepare takes any number of items', () => {
  const gpu = Gpu.from(opened.device);
  it.each<readonly [string, (items: number) => Promise<void>]>([
    ['JoinTable', (items) => JoinTable.prepare(gpu, { key: [u32, utf8], items, nulls: true, how: 'full' })],
    ['SpatialGrid', (items) => SpatialGrid.prepare(gpu, { radius: 1, groups: true, items })],
    ['SparseImage', (most) => SparseImage.prepare(gpu, { width: 3, height: 5, most })],
    ['SparsePaint', (most) => SparsePaint.prepare(gpu, { width: 3, height: 5, most })],
    ['DynamicMap', (items) => DynamicMap.prepare(gpu, { key: utf8, items })],
    ['DynamicSet', (items) => DynamicSet.prepare(gpu, { key: utf8, items })],
    ['DynamicIndex', (items) => DynamicIndex.prepare(gpu, { key: utf8, items })],
    ['HashMap', (items) => HashMap.prepare(gpu, { key: utf8, items })],
    ['MultiMap', (items) => MultiMap.prepare(gpu, { key: utf8, items })],
  ])('%s', async (_, prepare) => {
    for (const items of [0, 1, 5]) await expect(prepare(items)).resolves.toBeUndefined();
  });
});

describe('prepare refuses, and makes nothing of, what cannot be', () => {
  const gpu = Gpu.from(opened.device);
  it.each<readonly [string, () => Promise<void>]>([
    ['radius', () => SpatialGrid.prepare(gpu, { radius: 0, items: 9 })],
    ['items', () => SpatialGrid.prepare(gpu, { radius: 1, items: 0.5 })],
    ['dimensions', () => SpatialGrid.prepare(gpu, { radius: 1, items: 9, dimensions: 4 as never })],
    ['groups', () => SpatialGrid.prepare(gpu, { radius: 1, items: 9, groups: 2 as never })],
    ['key', () => JoinTable.prepare(gpu, { key: 'u32' as never, items: 9 })],
    ['nulls', () => JoinTable.prepare(gpu, { key: u32, items: 9, nulls: 1 as never })],
    ['how', () => JoinTable.prepare(gpu, { key: u32, items: 9, how: 'outer' as never })],
    ['items', () => JoinTable.prepare(gpu, { key: u32, items: -1 })],
    ['width', () => SparseImage.prepare(gpu, { width: 0, height: 9 })],
    ['most', () => SparseImage.prepare(gpu, { ...size, most: 0.5 })],
    ['depth', () => SparseVolume.prepare(gpu, { ...space, depth: 2000 })],
    ['height', () => SparsePaint.prepare(gpu, { width: 9 } as never)],
    ['options', () => SparsePaint.prepare(gpu, 9 as never)],
  ])('%s', async (name, prepare) => {
    let refused: unknown;
    const made = await madeObjects(gpu, () => prepare().catch((error) => (refused = error)));
    expect(refused).toMatchObject({ code: 'invalid-input', message: expect.stringContaining(name) });
    expect(made).toEqual({});
  });
});
