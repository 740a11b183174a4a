import { describe, expect, it } from 'vitest';
import { Aggregate, HashMap, HashSet, KeyIndex, MultiMap, valueTypes } from '../../src/collections/index.ts';
import { BuildError, InvalidInputError, UnsupportedError, USAGE } from '../../src/gpu/index.ts';
import { i32, type KeyType, vec2i, vec3i } from '../../src/keys/index.ts';
import type { Duplicates, HostBuild, Scheme, TablePlan } from '../../src/schemes/contract/index.ts';
import { perfectSpatial } from '../../src/schemes/perfectSpatial/index.ts';
import { pointSets, randomPoints } from '../oracles/pointSets.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const scheme = perfectSpatial();
const keyOf = (dimensions: 2 | 3): KeyType<Int32Array> => (dimensions === 2 ? vec2i : vec3i);
const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
const listed = (points: Int32Array, dimensions: number): string[] =>
  Array.from({ length: points.length / dimensions }, (_, i) =>
    points.subarray(i * dimensions, (i + 1) * dimensions).join(),
  );

/** Builds a map from points to their positions, and compares it with a `Map`. */
async function buildsLikeMap(points: Int32Array, dimensions: 2 | 3, duplicates: Duplicates = 'last'): Promise<void> {
  const options = { key: keyOf(dimensions), scheme, duplicates, seed: 1 };
  const keys = listed(points, dimensions);
  using map = await HashMap.from(gpu, { keys: points, values: numbered(keys.length) }, options);
  await expectLikeMap(map, points, dimensions, duplicates);
}

async function expectLikeMap(
  map: HashMap<Int32Array>,
  points: Int32Array,
  dimensions: 2 | 3,
  duplicates: Duplicates = 'last',
): Promise<void> {
  const keys = listed(points, dimensions);
  const oracle = new Map<string, number>();
  keys.forEach((key, i) => {
    if (duplicates !== 'first' || !oracle.has(key)) oracle.set(key, i);
  });
  expect(map.size).toBe(oracle.size);
  expect(map.report.copies).toBe(keys.length - oracle.size);

  // Points that are there, and others that are not: beside them, and anywhere.
  const others = [points.map((x, i) => (i % dimensions === 0 ? x ^ 1 : x)), randomPoints(50, dimensions)];
  const queries = Int32Array.from([points, ...others].flatMap((part) => [...part]));
  const { values, found } = await map.get(queries, { missing: 77 });
  const isRight = (key: string, i: number) => {
    const place = oracle.get(key);
    if (place === undefined) return found[i] === 0 && values[i] === 77;
    return found[i] === 1 && (duplicates === 'any' ? keys[values[i] as number] === key : values[i] === place);
  };
  expect(listed(queries, dimensions).filter((key, i) => !isRight(key, i))).toEqual([]);

  const entries = await map.entries();
  const held = listed(entries.keys, dimensions);
  expect(new Set(held)).toEqual(new Set(oracle.keys()));
  expect(held.length).toBe(oracle.size);
  expect(held.every((key, i) => keys[entries.values[i] as number] === key)).toBe(true);
}

describe('a map of points', () => {
  it.each(pointSets)('finds each of $name, and no others', ({ points, dimensions }) =>
    buildsLikeMap(points, dimensions),
  );

  it.each([0, 1, 2, 255, 256, 257, 4096])('of %d items finds them and no others', async (count) => {
    await buildsLikeMap(randomPoints(count, 2, 1024), 2);
    await buildsLikeMap(randomPoints(count, 3, 1024), 3);
  });

  it('of 65,536 items finds them', async () => {
    const points = randomPoints(65_536, 3, 256);
    using map = await HashMap.from(gpu, { keys: points, values: numbered(65_536) }, { key: vec3i, scheme });
    const { values } = await map.get(points);
    expect(values).toEqual(numbered(65_536));
    expect(map.capacitySlots).toBe(41 ** 3);
  });

  it('searches by one probe, whether the key is there or not', async () => {
    const points = randomPoints(500, 3, 64);
    using map = await HashMap.from(gpu, { keys: points, values: numbered(500) }, { key: vec3i, scheme });
    const { present, absent } = await map.stats({ absent: randomPoints(500, 3) });
    expect([present.average, absent.average, map.report.longestProbe]).toEqual([1, 1, 1]);
  });

  it('has hashed keys only where coordinates will not do', async () => {
    const hashOf = async (points: Int32Array) => {
      using set = await HashSet.from(gpu, { keys: points }, { key: vec3i, scheme, seed: 2 });
      return set.table.state.header.hash;
    };
    const [block, line] = [pointSets[0], pointSets[5]] as [(typeof pointSets)[number], (typeof pointSets)[number]];
    expect(await hashOf(block.points)).toEqual([0, 0, 0, 0]);
    expect(await hashOf(line.points)).not.toEqual([0, 0, 0, 0]);
  });

  it('takes values of four words, and none', async () => {
    const points = randomPoints(300, 2, 256);
    const values = numbered(1200);
    using map = await HashMap.from(gpu, { keys: points, values }, { key: vec2i, scheme, value: valueTypes.vec4u });
    expect((await map.get(points)).values).toEqual(values);
    using set = await HashSet.from(gpu, { keys: points }, { key: vec2i, scheme });
    expect(await set.has(points)).toEqual(new Uint8Array(300).fill(1));
    expect(new Set(listed(await set.keys(), 2))).toEqual(new Set(listed(points, 2)));
    expect((await set.has(randomPoints(300, 2))).indexOf(1)).toBe(-1);
  });
});

describe('copies', () => {
  const points = randomPoints(1500, 3, 8 * 2).map((x) => x & ~1); // 512 places
  it.each(['first', 'last', 'any'] as const)('are dropped exactly (%s)', async (duplicates) => {
    await buildsLikeMap(points, 3, duplicates);
    await buildsLikeMap(new Int32Array(600).fill(-7), 3, duplicates);
  });

  it.each(['error', 'unique'] as const)('are found out (%s)', async (duplicates) => {
    const keys = randomPoints(1000, 2, 512);
    keys.copyWithin(2 * 900, 2 * 10, 2 * 11);
    const build = HashSet.from(gpu, { keys }, { key: vec2i, scheme, duplicates });
    await expect(build).rejects.toMatchObject({ code: 'duplicate-key', index: 900 });
    await buildsLikeMap(keys.slice(0, 2 * 900), 2, duplicates);
  });
});

describe('a table that is there already', () => {
  it('is rebuilt from fewer, more and no items', async () => {
    const from = (count: number) => ({ keys: randomPoints(count, 3, 300, count), values: numbered(count) });
    using map = await HashMap.from(gpu, from(500), { key: vec3i, scheme });
    for (const count of [200, 3000, 0, 3000]) {
      await map.rebuild(from(count));
      await expectLikeMap(map, from(count).keys, 3);
    }
  });

  it.each(['block', 'line'])('is saved and opened again: a %s', async (name) => {
    const { points, dimensions } = pointSets.find((set) => set.name.includes(name)) as (typeof pointSets)[number];
    const options = { key: keyOf(dimensions), scheme };
    using map = await HashMap.from(gpu, { keys: points, values: numbered(points.length / dimensions) }, options);
    using opened = await HashMap.fromBytes(gpu, await map.toBytes(), { ...options, value: map.value });
    await expectLikeMap(opened, points, dimensions);
  });

  it('keeps nothing of a build that failed', async () => {
    const points = randomPoints(100, 3, 64);
    using map = await HashMap.from(
      gpu,
      { keys: points, values: numbered(100) },
      { key: vec3i, scheme, duplicates: 'error' },
    );
    const copies = new Int32Array(300);
    await expect(map.rebuild({ keys: copies, values: numbered(100) })).rejects.toThrow('occurs more than once');
    await expect(map.get(points)).rejects.toThrow('occurs more than once');
    await map.rebuild({ keys: points, values: numbered(100) });
    expect((await map.get(points)).values).toEqual(numbered(100));
  });
});

describe('the faces', () => {
  it('builds from buffers that are only for storage', async () => {
    const points = randomPoints(700, 2, 100);
    const upload = (data: Int32Array | Uint32Array) => {
      const buffer = gpu.device.createBuffer({ size: data.byteLength, usage: USAGE.STORAGE, mappedAtCreation: true });
      new Uint32Array(buffer.getMappedRange()).set(data);
      buffer.unmap();
      return buffer;
    };
    const [keys, values] = [upload(points), upload(numbered(700))];
    using map = await HashMap.from(gpu, { keys, values, count: 690 }, { key: vec2i, scheme });
    await expectLikeMap(map, points.slice(0, 1380), 2);
    for (const buffer of [keys, values]) buffer.destroy();
  });

  it('refuses the encoder face, and says what to take instead', async () => {
    using map = await HashMap.from(gpu, { keys: new Int32Array(3), values: numbered(1) }, { key: vec3i, scheme });
    const keys = gpu.createBuffer('test', 48);
    const encoder = gpu.device.createCommandEncoder();
    const input = { keys, values: keys, count: 2 };
    expect(() => HashMap.encodeBuild(gpu, encoder, input, { key: vec3i, scheme })).toThrow(UnsupportedError);
    expect(() => map.encodeRebuild(encoder, input)).toThrow('bucketCuckoo');
    // Neither the encoder nor the map has come to harm.
    gpu.device.queue.submit([encoder.finish()]);
    expect(await map.has(new Int32Array(3))).toEqual(Uint8Array.of(1));
    keys.destroy();
  });

  it("is searched by a caller's shader", async () => {
    const points = randomPoints(300, 3, 40);
    using voxels = await HashMap.from(gpu, { keys: points, values: numbered(300) }, { key: vec3i, scheme });
    const { code, layout, bindGroup } = voxels.wgsl({ name: 'voxels', group: 1 });
    const output = gpu.createBuffer('test/output', 4 * 400);
    const input = gpu.upload('test/input', Int32Array.from([...points, ...randomPoints(100, 3)]));
    const { device } = gpu;
    const module = device.createShaderModule({
      code: `
@group(0) @binding(0) var<storage, read> points: array<i32>;
@group(0) @binding(1) var<storage, read_write> answers: array<u32>;
${code}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&answers)) { return; }
  let hit = voxels_find(vec3i(points[3 * id.x], points[3 * id.x + 1], points[3 * id.x + 2]));
  answers[id.x] = select(1000u, hit.value, hit.found);
}`,
    });
    const own = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: 4, buffer: { type: 'read-only-storage' } },
        { binding: 1, visibility: 4, buffer: { type: 'storage' } },
      ],
    });
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [own, layout] }),
      compute: { module, entryPoint: 'main' },
    });
    const entries = [input, output].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const [bytes] = await gpu.run(
      (encoder) => {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, device.createBindGroup({ layout: own, entries }));
        pass.setBindGroup(1, bindGroup);
        pass.dispatchWorkgroups(7);
        pass.end();
      },
      [{ buffer: output, bytes: 1600 }],
    );
    const answers = [...new Uint32Array(bytes as ArrayBuffer)];
    expect(answers).toEqual([...numbered(300), ...Array(100).fill(1000)]);
    for (const buffer of [input, output]) buffer.destroy();
  });
});

describe('other collections', () => {
  const repeated = Int32Array.from({ length: 900 }, (_, i) => (i % 3 === 0 ? Math.floor(i / 3) % 50 : -1));

  it.each(['table', 'sort'] as const)('number the points of an index (%s)', async (construction) => {
    using index = await KeyIndex.from(gpu, { keys: repeated }, { key: vec3i, scheme, construction });
    expect(index.size).toBe(50);
    const ids = await index.ids(repeated.slice(0, 150));
    expect([...ids].toSorted((a, b) => a - b)).toEqual([...numbered(50)]);
  });

  it('gather values and sums by point', async () => {
    const input = { keys: repeated, values: numbered(300) };
    using lists = await MultiMap.from(gpu, input, { key: vec3i, scheme });
    expect(lists.size).toBe(50);
    using sums = await Aggregate.from(gpu, input, { key: vec3i, scheme, combine: 'sum' });
    const { values } = await sums.get(Int32Array.of(7, -1, -1));
    expect([...values]).toEqual([7 + 57 + 107 + 157 + 207 + 257]);
  });
});

/** The scheme, but the host build of all its plans is another. */
function withBuild(run: (build: HostBuild) => HostBuild['run']): Scheme<Int32Array> {
  const changed = (plan: TablePlan): TablePlan => ({
    ...plan,
    larger: plan.larger && (() => changed((plan.larger as () => TablePlan)())),
    build: { on: 'host', run: run(plan.build as HostBuild) },
  });
  return { ...scheme, plan: (request) => changed(scheme.plan(request)) };
}

describe('failure', () => {
  it('is a typed error with the number of points that were left, after a bounded number of sizes', async () => {
    const stubborn = withBuild(() => () => ({ status: 1, failed: 7 }));
    const build = HashSet.from(gpu, { keys: randomPoints(20, 2) }, { key: vec2i, scheme: stubborn });
    await expect(build).rejects.toThrow(BuildError);
    await expect(build).rejects.toMatchObject({ itemsLeft: 7, attempts: 25 });
  });

  it('of a size is followed by the next size', async () => {
    let refusals = 2;
    const reluctant = withBuild(
      (build) =>
        (...call) =>
          refusals-- > 0 ? { status: 1, failed: 3 } : build.run(...call),
    );
    const keys = randomPoints(20, 2);
    using set = await HashSet.from(gpu, { keys }, { key: vec2i, scheme: reluctant });
    expect(set.report).toMatchObject({ attempts: 3, growths: 2 });
    expect(await set.has(keys)).toEqual(new Uint8Array(20).fill(1));
  });

  it('of other key types comes before anything is built', async () => {
    await expect(HashSet.from(gpu, { keys: Int32Array.of(1) }, { key: i32, scheme })).rejects.toThrow(UnsupportedError);
    const odd = perfectSpatial({ offsetsPerItem: -1 });
    await expect(HashSet.from(gpu, { keys: new Int32Array(2) }, { key: vec2i, scheme: odd })).rejects.toThrow(
      InvalidInputError,
    );
  });
});
