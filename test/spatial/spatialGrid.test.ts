import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { randomWords } from '../../src/hashing/index.ts';
import { HashnestError } from '../../src/index.ts';
import { SpatialGrid } from '../../src/spatial.ts';
import { checkNeighbours, checkPairs } from '../conformance/spatial.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { type PointSet, pairsOf } from '../oracles/neighbours.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const gridOf = ({ points, groups, radius, dimensions }: PointSet) =>
  SpatialGrid.from(gpu, { points, ...(groups && { groups }) }, { radius, dimensions });

/** Pairs as text, and that each is there once, in order. */
function textsOf(pairs: Uint32Array): string[] {
  const texts: string[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const [a, b] = pairs.subarray(i, i + 2) as unknown as [number, number];
    const [before, behind] = i === 0 ? [-1, -1] : [pairs[i - 2] as number, pairs[i - 1] as number];
    expect(a < b && (a > before || (a === before && b > behind)), `pair ${a}, ${b} is in order`).toBe(true);
    texts.push(`${a},${b}`);
  }
  return texts;
}

/** Sums over the neighbours of every point, by a kernel of the caller's own: how many, and of their numbers. */
function shaderSums(grid: SpatialGrid, loop: 'each' | 'next' | 'step', count: number) {
  const { dimensions, hasGroups } = grid;
  const face = grid.wgsl({ name: 'near', group: 1, firstBinding: 2 });
  const body = `
      if (any(n.offset != vec${dimensions}f(0.0)) && n.squaredDistance == 0.0) { found.x += 1000u; }
      found += vec2u(1u, n.index);`;
  const loops =
    loop === 'each'
      ? face.each({ at: 'own.at', body, ...(hasGroups && { group: 'own.group' }) })
      : `for (var n = near_around(own.at${hasGroups ? ', own.group' : ''}); near_${loop}(&n);) {
      if (!n.isNear) { continue; }
      ${body}
    }`;
  const code = `${face.code}
  @group(0) @binding(0) var<storage, read_write> sums: array<vec2u>;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= near_size()) { return; }
    let own = near_point(id.x);
    var found = vec2u(0u);
    ${loops}
    sums[own.index] = found;
  }`;
  const module = gpu.device.createShaderModule({ code });
  const pipeline = gpu.device.createComputePipeline({ layout: 'auto', compute: { module } });
  const sums = gpu.createBuffer('test/sums', 8 * count);
  const bind = (group: number, entries: GPUBindGroupEntry[]) =>
    gpu.device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries });
  const own = bind(0, [{ binding: 0, resource: { buffer: sums } }]);
  const record = (encoder: GPUCommandEncoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, own);
    pass.setBindGroup(1, bind(1, face.entries));
    pass.dispatchWorkgroups(Math.ceil(count / 64));
    pass.end();
  };
  return { face, record, sums };
}

/** The same by a loop; only for points of which no pair is in doubt. */
function expectedSums(set: PointSet): Uint32Array {
  const { must, may } = pairsOf(set);
  expect(may.size).toBe(0);
  const { dimensions, points } = set;
  const count = points.length / dimensions;
  const sums = new Uint32Array(2 * count);
  const add = (i: number, j: number) => {
    sums[2 * i] = (sums[2 * i] as number) + 1;
    sums[2 * i + 1] = (sums[2 * i + 1] as number) + j;
  };
  for (let i = 0; i < count; i++) {
    if (points.subarray(i * dimensions, (i + 1) * dimensions).every(Number.isFinite)) add(i, i);
  }
  for (const pair of must) {
    const [i, j] = pair.split(',').map(Number) as [number, number];
    add(i, j);
    add(j, i);
  }
  return sums;
}

const random = randomWords(8);
const latticeOf = (count: number, dimensions: 2 | 3, side: number) =>
  Float32Array.from({ length: count * dimensions }, () => (random() % side) - Math.floor(side / 2));

describe('SpatialGrid, in shaders and on encoders', () => {
  it('loops over the neighbours of neighbours, by another name for each', async () => {
    const points = Float32Array.of(0, 0, 1, 0, 2, 0, 3, 0, 9, 9);
    using grid = await SpatialGrid.from(gpu, { points }, { radius: 1, dimensions: 2 });
    const face = grid.wgsl({ name: 'near', group: 1 });
    const inner = face.each({ at: 'own.at + n.offset', as: 'm', body: 'paths += 1u;' });
    const code = `${face.code}
    @group(0) @binding(0) var<storage, read_write> counts: array<u32>;
    @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
      if (i >= near_size()) { return; }
      let own = near_point(i);
      var paths = 0u;
      ${face.each({ at: 'own.at', body: inner })}
      counts[own.index] = paths;
    }`;
    const module = gpu.device.createShaderModule({ code });
    const pipeline = gpu.device.createComputePipeline({ layout: 'auto', compute: { module } });
    const counts = gpu.createBuffer('test/counts', 4 * 5);
    const encoder = gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (const [group, entries] of [[{ binding: 0, resource: { buffer: counts } }], face.entries].entries()) {
      pass.setBindGroup(group, gpu.device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries }));
    }
    pass.dispatchWorkgroups(1);
    pass.end();
    gpu.device.queue.submit([encoder.finish()]);
    expect([...(await gpu.read(counts, Uint32Array, { length: 5 }))]).toEqual([5, 8, 8, 5, 1]);
    counts.destroy();
  });

  it('refuses loops that cannot be meant', async () => {
    using plain = await SpatialGrid.from(gpu, { points: Float32Array.of(0, 0, 0) }, { radius: 1 });
    const face = plain.wgsl({ name: 'near', group: 0 });
    const wrong: [object, RegExp][] = [
      [{ body: '' }, /at must be a string of WGSL/],
      [{ at: 'x', body: 7 }, /body must be a string of WGSL/],
      [{ at: 'x', body: '', group: 'g' }, /group must be left out/],
      [{ at: 'x', body: '', as: 'a b' }, /as must be a name/],
      [{ at: 'x', boddy: '' }, /body/],
    ];
    for (const [loop, message] of wrong) expect(() => face.each(loop as never)).toThrow(message);
    const groups = Uint32Array.of(4);
    using grouped = await SpatialGrid.from(gpu, { points: Float32Array.of(0, 0, 0), groups }, { radius: 1 });
    expect(() => grouped.wgsl({ name: 'near', group: 0 }).each({ at: 'x', body: '' })).toThrow(
      /group must be a string of WGSL/,
    );
  });

  it.each([
    [2, 'next', false],
    [2, 'step', true],
    [2, 'each', false],
    [2, 'each', true],
    [3, 'next', true],
    [3, 'step', false],
    [3, 'each', false],
    [3, 'each', true],
  ] as const)(
    'loops over the neighbours in %iD by %s, every frame, without new buffers',
    async (dimensions, loop, grouped) => {
      const count = 700;
      const groups = Uint32Array.from({ length: count }, () => random() % 3);
      const frames = [9, 5, 14, 40].map((side) => latticeOf(count, dimensions, side));
      const positions = gpu.createBuffer('test/points', 4 * dimensions * count);
      const worlds = gpu.upload('test/groups', groups);
      const input = { points: positions, count, ...(grouped && { groups: worlds }) };
      let grid: SpatialGrid | undefined;
      let sums: ReturnType<typeof shaderSums> | undefined;
      for (const points of frames) {
        gpu.write(positions, points);
        const { live, madeBytes } = await liveBuffers(gpu, async () => {
          const encoder = gpu.device.createCommandEncoder();
          if (grid) grid.encodeRebuild(encoder, input);
          else grid = SpatialGrid.encodeBuild(gpu, encoder, input, { radius: 2, dimensions });
          sums ??= shaderSums(grid, loop, count);
          sums.record(encoder);
          gpu.device.queue.submit([encoder.finish()]);
        });
        if (points !== frames[0]) expect([live, madeBytes]).toEqual([[], 0]);
        const [bytes] = await gpu.run(() => {}, [{ buffer: sums?.sums as GPUBuffer, bytes: 8 * count }]);
        const set = { name: '', dimensions, points, radius: 2, ...(grouped && { groups }) };
        expect(new Uint32Array(bytes as ArrayBuffer)).toEqual(expectedSums(set));
      }
      expect((await grid?.settle())?.size).toBe(count);
      for (const made of [positions, worlds, grid, sums?.sums]) made?.destroy();
    },
  );

  it('takes a large set, and searches that hardly find anything', async () => {
    // A lattice with gaps, so that every answer is known: each point has those beside it, if they are there.
    const side = 40;
    const points: number[] = [];
    const isThere = (x: number, y: number, z: number) =>
      (x * 7 + y * 11 + z * 13) % 5 !== 0 && [x, y, z].every((a) => a >= 0 && a < side);
    for (let x = 0; x < side; x++)
      for (let y = 0; y < side; y++) for (let z = 0; z < side; z++) if (isThere(x, y, z)) points.push(x, y, z);
    const around = (x: number, y: number, z: number) =>
      Number(isThere(x - 1, y, z)) +
      Number(isThere(x + 1, y, z)) +
      Number(isThere(x, y - 1, z)) +
      Number(isThere(x, y + 1, z)) +
      Number(isThere(x, y, z - 1)) +
      Number(isThere(x, y, z + 1));
    using grid = await SpatialGrid.from(gpu, { points: Float32Array.from(points, (x) => x - 20) }, { radius: 1.25 });
    expect(grid.size).toBeGreaterThan(51_000);
    const { record, sums } = shaderSums(grid, 'step', grid.size);
    const [bytes] = await gpu.run(record, [{ buffer: sums, bytes: 8 * grid.size }]);
    const counts = new Uint32Array(bytes as ArrayBuffer).filter((_, i) => i % 2 === 0);
    expect(counts).toEqual(
      Uint32Array.from(
        { length: grid.size },
        (_, i) => 1 + around(...(points.slice(3 * i, 3 * i + 3) as [number, number, number])),
      ),
    );
    sums.destroy();
  });

  it('reads a count on the GPU, and points with gaps between them', async () => {
    const points = latticeOf(300, 3, 7);
    const rows = new Float32Array(300 * 8).fill(Number.NaN);
    for (let i = 0; i < 300; i++) rows.set(points.subarray(3 * i, 3 * i + 3), 8 * i);
    const buffer = gpu.upload('test/rows', rows);
    const count = gpu.upload('test/count', Uint32Array.of(77, 123));
    const encoder = gpu.device.createCommandEncoder();
    using grid = SpatialGrid.encodeBuild(
      gpu,
      encoder,
      { points: buffer, count: { buffer: count, offset: 4 }, strideWords: 8 },
      { radius: 1.5 },
    );
    await expect(grid.settle()).rejects.toThrow('has not been submitted yet');
    expect(() => grid.size).toThrow('await grid.settle()');
    await expect(grid.pairs()).rejects.toThrow('has not been submitted yet');
    await expect(grid.neighbours(points)).rejects.toThrow('has not been submitted yet');
    gpu.device.queue.submit([encoder.finish()]);
    expect((await grid.settle()).size).toBe(123);
    expect(grid.capacity).toBe(300);
    await checkPairs({ name: '', dimensions: 3, points: points.slice(0, 369), radius: 1.5 }, grid);
    for (const made of [buffer, count]) made.destroy();
  });

  it('says that there were more points than it has room for, and holds those that fit', async () => {
    const points = latticeOf(300, 2, 9);
    const buffer = gpu.upload('test/points', points);
    const count = gpu.upload('test/count', Uint32Array.of(200));
    const encoder = gpu.device.createCommandEncoder();
    const options = { radius: 1, dimensions: 2, capacity: 150 } as const;
    using grid = SpatialGrid.encodeBuild(gpu, encoder, { points: buffer, count: { buffer: count } }, options);
    gpu.device.queue.submit([encoder.finish()]);
    await expect(grid.settle()).rejects.toThrow('the count on the GPU was 200, but the grid holds 150 points');
    await checkPairs({ name: '', dimensions: 2, points: points.slice(0, 300), radius: 1 }, grid);
    expect(() => grid.encodeRebuild(gpu.device.createCommandEncoder(), { points: buffer, count: 151 })).toThrow(
      'this grid has room for 150 points, not 151',
    );
    for (const made of [buffer, count]) made.destroy();
  });

  it('grows on the host, and tells faces that they are old', async () => {
    const sets = [40, 90, 20, 5000].map((count) => ({
      name: '',
      dimensions: 3 as const,
      points: latticeOf(count, 3, 12),
      radius: 1,
    }));
    using grid = await SpatialGrid.from(gpu, { points: new Float32Array() }, { radius: 1 });
    expect([...(await grid.pairs()), grid.size]).toEqual([0]);
    for (const set of sets.slice(0, 3)) {
      await grid.rebuild({ points: set.points });
      await checkPairs(set, grid);
    }
    const face = grid.wgsl({ name: 'near', group: 0 });
    await grid.rebuild({ points: sets[1]?.points as Float32Array });
    expect(face.isCurrent).toBe(true);
    await grid.rebuild({ points: sets[3]?.points as Float32Array });
    expect(face.isCurrent).toBe(false);
    expect(grid.wgsl({ name: 'near', group: 0 }).code).toBe(face.code);
    expect(grid.capacity).toBe(5000);
  });

  it('answers calls that are not awaited in their order, from arrays as they were', async () => {
    const [a, b] = [latticeOf(200, 2, 9), latticeOf(300, 2, 9)];
    const set = (points: Float32Array<ArrayBuffer>) => ({
      name: '',
      dimensions: 2 as const,
      points: points.slice(),
      radius: 1,
    });
    const [first, second] = [set(a), set(b)];
    using grid = await SpatialGrid.from(gpu, { points: a }, { radius: 1, dimensions: 2 });
    const query = a.slice(0, 2);
    const calls = [grid.pairs(), grid.rebuild({ points: b }), grid.pairs(), grid.neighbours(query)] as const;
    b.fill(0);
    query.fill(99);
    const [before, , after, near] = await Promise.all(calls);
    expect(textsOf(before)).toEqual([...pairsOf(first).must].sort(byNumbers));
    expect(textsOf(after)).toEqual([...pairsOf(second).must].sort(byNumbers));
    expect(near.values.length).toBeGreaterThan(0);
  });

  it('takes no call once it was destroyed, and makes no buffer for one', async () => {
    const points = latticeOf(100, 3, 5);
    const buffer = gpu.upload('test', points);
    const grid = await SpatialGrid.from(gpu, { points }, { radius: 1 });
    grid.destroy();
    const encoder = gpu.device.createCommandEncoder();
    const calls: Record<string, () => unknown> = {
      size: () => grid.size,
      given: () => grid.given,
      rebuild: () => grid.rebuild({ points }),
      encodeRebuild: () => grid.encodeRebuild(encoder, { points: buffer, count: 100 }),
      settle: () => grid.settle(),
      neighbours: () => grid.neighbours(points),
      pairs: () => grid.pairs(),
      wgsl: () => grid.wgsl({ name: 'near', group: 0 }),
    };
    for (const [name, call] of Object.entries(calls)) {
      const { error, madeBytes } = await liveBuffers(gpu, async () => call());
      expect(error, name).toMatchObject({ code: 'destroyed' });
      expect((error as Error).message, name).toContain('this grid was destroyed');
      expect(madeBytes, name).toBe(0);
    }
    gpu.device.queue.submit([encoder.finish()]);
    buffer.destroy();
  });

  it('frees everything, whatever happens', async () => {
    const points = latticeOf(100, 3, 5);
    const used = await liveBuffers(gpu, async () => {
      const grid = await SpatialGrid.from(gpu, { points }, { radius: 1 });
      const calls = [grid.pairs(), grid.rebuild({ points: latticeOf(500, 3, 5) }), grid.neighbours(points)];
      grid.destroy();
      const outcomes = await Promise.allSettled(calls);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'destroyed' });
      }
      expect(() => grid.wgsl({ name: 'near', group: 0 })).toThrow('this grid was destroyed');
      await expect(grid.rebuild({ points })).rejects.toThrow('this grid was destroyed');
      await expect(grid.neighbours(points)).rejects.toThrow('this grid was destroyed');
    });
    expect([used.error, used.live]).toEqual([undefined, []]);
  });

  it('agrees with a loop on random points', async () => {
    const coordinate = fc.oneof(
      fc.integer({ min: -6, max: 6 }),
      fc.constantFrom(0.5, -0, 1e9, -1e9, Number.NaN, 3e38),
      fc.integer({ min: 2 ** 21 - 3, max: 2 ** 21 + 3 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(2 as const, 3 as const),
        fc.array(fc.tuple(coordinate, coordinate, coordinate, fc.nat(1)), { maxLength: 60 }),
        fc.constantFrom(1, 2, 2.5, 1024),
        fc.boolean(),
        async (dimensions, rows, radius, grouped) => {
          const points = Float32Array.from(rows.flatMap((row) => row.slice(0, dimensions)));
          const groups = Uint32Array.from(rows.map((row) => row[3]));
          const set = { name: '', dimensions, points, radius, ...(grouped && { groups }) };
          using grid = await gridOf(set);
          await checkPairs(set, grid);
          await checkNeighbours(set, grid, points, grouped ? groups : undefined);
        },
      ),
      { numRuns: 40 },
    );
  });
});

const byNumbers = (a: string, b: string): number => {
  const [x, y] = [a, b].map((pair) => pair.split(',').map(Number) as [number, number]) as [
    [number, number],
    [number, number],
  ];
  return x[0] - y[0] || x[1] - y[1];
};

describe('SpatialGrid refuses', async () => {
  const points = new Float32Array(6);
  const buffer = gpu.upload('test/points', points);
  const unusable = gpu.createBuffer('test/unusable', 48, 0x8);
  const grouped = await SpatialGrid.from(gpu, { points, groups: new Uint32Array(2) }, { radius: 1 });
  const plain = await SpatialGrid.from(gpu, { points }, { radius: 1 });
  const encoder = gpu.device.createCommandEncoder();
  afterAll(() => {
    for (const made of [buffer, unusable, grouped, plain]) made.destroy();
  });
  type Call = () => unknown;
  const from =
    (input: unknown, options: unknown = { radius: 1 }): Call =>
    () =>
      SpatialGrid.from(gpu, input as never, options as never);
  const build =
    (input: unknown, options: unknown = { radius: 1 }, target: unknown = encoder): Call =>
    () =>
      SpatialGrid.encodeBuild(gpu, target as never, input as never, options as never);
  const again =
    (input: unknown): Call =>
    () =>
      plain.encodeRebuild(encoder, input as never);

  it.each<readonly [Call, RegExp]>([
    [() => SpatialGrid.from(undefined as never, { points }, { radius: 1 }), /^SpatialGrid\.from: gpu must be a Gpu/],
    [from(undefined), /input must be an object/],
    [from({ points }, null), /options must be an object/],
    [from({ points }, {}), /radius must be a number from .*, not undefined/],
    [from({ points }, { radius: 0 }), /radius must be/],
    [from({ points }, { radius: -1 }), /radius must be/],
    [from({ points }, { radius: Number.NaN }), /radius must be/],
    [from({ points }, { radius: '1' }), /radius must be .*'1'/],
    [from({ points }, { radius: 1e30 }), /radius must be/],
    [from({ points }, { radius: 1, dimensions: 4 }), /dimensions must be 2 or 3, not 4/],
    [from({ points }, { radius: 1, radious: 2 }), /options have no radious/],
    [from({ points }, { radius: 1, capacity: -1 }), /capacity must be a whole number/],
    [from({ points: [1, 2, 3] }), /points must be a Float32Array, not Array\(3\)/],
    [from({ points: new Float32Array(4) }), /points has 4 coordinates; each point takes 3/],
    [from({ point: points }), /input have no point; did you mean points\?/],
    [from({ points, groups: new Uint32Array(3) }), /there are 2 points but 3 groups/],
    [from({ points, groups: new Float32Array(2) }), /groups must be a Uint32Array/],
    [from({ points, strideWords: 4 }), /strideWords goes with points in a GPUBuffer only/],
    [from({ points: buffer }), /a GPUBuffer needs a `count`/],
    [from({ points: buffer, count: 3 }), /count is 3, but there is room for 2/],
    [from({ points: buffer, count: 2, strideWords: 2 }), /strideWords must be at least 3/],
    [from({ points: buffer, count: 2, strideWords: 4 }), /count is 2, but there is room for 1/],
    [from({ points: buffer, count: { buffer } }), /^SpatialGrid\.from: count on the host face must be a whole number/],
    [from({ points, count: { buffer } }), /count on the host face must be a whole number/],
    [
      () => plain.rebuild({ points: buffer, count: { buffer } } as never),
      /^SpatialGrid\.rebuild: count on the host face/,
    ],
    [from({ points: unusable, count: 2 }), /points must be a buffer with the usage STORAGE/],
    [from({ points }, { radius: 1, capacity: 2 ** 40 }), /a grid of 1099511627776 points does not fit/],
    [build({ points, count: 2 }), /^SpatialGrid\.encodeBuild: points must be a GPUBuffer/],
    [build({ points: buffer, count: 2 }, { radius: 1 }, {}), /target must be/],
    [build({ points: buffer, count: 2 }, { radius: 1, capacity: 1 }), /this grid has room for 1 points, not 2/],
    [build({ points: buffer, count: 1, groups: new Uint32Array(1) }), /groups must be a GPUBuffer/],
    [again({ points: buffer, count: 2, groups: buffer }), /this grid has no groups/],
    [again({ points: buffer, count: { buffer, offset: 400 } }), /count\.offset is 400/],
    [() => grouped.rebuild({ points }), /this grid has groups: the points need theirs/],
    [() => grouped.neighbours(points), /groups must be a Uint32Array, not undefined/],
    [() => plain.neighbours(points, { groups: new Uint32Array(2) }), /this grid has no groups/],
    [() => plain.neighbours(new Float32Array(2)), /points has 2 coordinates/],
    [() => plain.neighbours(points, { group: 1 } as never), /options have no group/],
    [() => plain.wgsl({ name: '1', group: 0 }), /name must be/],
  ])('what makes no sense: %#', async (call, message) => {
    const { error, live } = await liveBuffers(gpu, async () => call());
    expect(error).toBeInstanceOf(HashnestError);
    expect((error as Error).message).toMatch(message);
    expect(live).toEqual([]);
  });

  it('more points than fit the device, whatever the capacity', async () => {
    const small = await sharedGpu('default');
    const count = small.limits.maxStorageBufferBindingSize / 16 + 1;
    const points = small.createBuffer('test/points', count * 8);
    const options = { radius: 1, dimensions: 2, capacity: 1 } as const;
    await expect(SpatialGrid.from(small, { points, count }, options)).rejects.toThrow('does not fit this device');
    points.destroy();
  });
});
