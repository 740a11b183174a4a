import { expectTypeOf } from 'expect-type';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Aggregate, valueTypes } from '../../src/collections/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { throwsCode } from '../conformance/expect.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const small = await sharedGpu('default');

const CONSTRUCTIONS = ['table', 'sort'] as const;

/** Tells the order of the values, which no other order has. */
const digits = {
  accumulator: 'u32',
  identity: 7,
  lift: wgsl`fn lift(v: i32) -> u32 { return bitcast<u32>(v); }`,
  combine: wgsl`fn digits(a: u32, b: u32) -> u32 { return a * 31u + b; }`,
} as const;

const COMBINE = {
  n: 'count',
  total: { of: 'price', combine: 'sum64' },
  wrapped: { of: 'price', combine: 'sum' },
  signed: { of: 'change', combine: 'sum64' },
  low: { of: 'change', combine: 'min' },
  order: { of: 'change', combine: digits },
  meanPrice: { of: 'price', combine: 'mean' },
  meanChange: { of: 'change', combine: 'mean' },
  weight: { of: 'weight', combine: 'sum' },
  meanWeight: { of: 'weight', combine: 'mean' },
} as const;

interface Row {
  readonly key: number;
  readonly price: number;
  readonly change: number;
}

const valuesOf = (rows: readonly Row[]) => ({
  price: Uint32Array.from(rows, ({ price }) => price),
  change: Int32Array.from(rows, ({ change }) => change),
  // Sums of so few small whole numbers are exact.
  weight: Float32Array.from(rows, ({ price }) => price % 100),
});

/** What a plain loop makes of the rows of one key. */
function oracle(rows: readonly Row[]) {
  const total = rows.reduce((sum, { price }) => sum + BigInt(price), 0n);
  const signed = rows.reduce((sum, { change }) => sum + BigInt(change), 0n);
  const weight = rows.reduce((sum, { price }) => sum + (price % 100), 0);
  return {
    n: rows.length,
    total,
    signed,
    wrapped: Number(total & 0xffff_ffffn),
    low: Math.min(...rows.map(({ change }) => change)),
    order: rows.reduce((sum, { change }) => (Math.imul(sum, 31) + change) >>> 0, 7),
    weight,
    means: [Number(total) / rows.length, Number(signed) / rows.length, weight / rows.length],
  };
}

/** Throws unless the results of every key are those of the loop. */
async function isRight(made: Awaited<ReturnType<typeof build>>, rows: readonly Row[]): Promise<void> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) groups.set(row.key, [...(groups.get(row.key) ?? []), row]);
  const { keys, values } = await made.entries();
  expect([...keys].sort()).toEqual([...groups.keys()].sort());
  const { values: found } = await made.get(keys);
  expect(found).toEqual(values);
  for (const [i, key] of keys.entries()) {
    const { means, ...exact } = oracle(groups.get(key) as Row[]);
    for (const [name, value] of Object.entries(exact)) expect([name, values[name as 'n'][i]]).toEqual([name, value]);
    for (const [j, name] of (['meanPrice', 'meanChange', 'meanWeight'] as const).entries()) {
      const mean = means[j] as number;
      expect(Math.abs((values[name][i] as number) - mean)).toBeLessThanOrEqual(Math.abs(mean) * 2 ** -20);
    }
  }
}

const build = (device: typeof gpu, rows: readonly Row[], construction: 'table' | 'sort') =>
  Aggregate.from(
    device,
    { keys: Uint32Array.from(rows, ({ key }) => key), values: valuesOf(rows) },
    { combine: COMBINE, construction },
  );

const rowsOf = (count: number, keys: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({
    key: Math.imul(i % keys, 0x9e37_79b1) >>> 0,
    price: Math.imul(i, 0x85eb_ca6b) >>> 0,
    change: Math.imul(i, 0xc2b2_ae35) | 0,
  }));

describe.each(CONSTRUCTIONS)('an Aggregate of several columns, by the construction %s', (construction) => {
  it('combines all of them in one build, like loops over the rows of every key', async () => {
    using made = await build(gpu, [], construction);
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            key: fc.constantFrom(0, 1, 2, 3, 0xffff_ffff),
            price: fc.oneof(fc.nat(5), fc.constantFrom(0xffff_ffff, 0x8000_0000)),
            change: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1)),
          }),
          { maxLength: 200 },
        ),
        async (rows) => {
          await made.rebuild({ keys: Uint32Array.from(rows, ({ key }) => key), values: valuesOf(rows) });
          await isRight(made, rows);
        },
      ),
      { numRuns: 12 },
    );
  });

  it.each([0, 1, 2, 255, 257, 999])('does so for %i items', async (count) => {
    const rows = rowsOf(count, 90);
    using made = await build(small, rows, construction);
    await isRight(made, rows);
  });

  it('adds 64k values of one key exactly, far past 2³²', async () => {
    const keys = new Uint32Array(65_537).fill(9);
    const values = { up: new Uint32Array(65_537).fill(0xffff_ffff), down: new Int32Array(65_537).fill(-(2 ** 31)) };
    const combine = {
      up: { of: 'up', combine: 'sum64' },
      down: { of: 'down', combine: 'sum64' },
      mean: { of: 'down', combine: 'mean' },
    } as const;
    using made = await Aggregate.from(gpu, { keys, values }, { combine, construction });
    const { values: sums } = await made.get(Uint32Array.of(9, 8), { missing: 3 });
    expect(sums.up).toEqual(BigUint64Array.of(65_537n * 0xffff_ffffn, 3n));
    expect(sums.down).toEqual(BigInt64Array.of(-65_537n * 2n ** 31n, 3n));
    expect(sums.mean[0]).toBeCloseTo(-(2 ** 31), -3);
  });

  it('works on an encoder, with a count that only the GPU knows, and in shaders', async () => {
    using buffers = new TestBuffers(gpu);
    const rows = rowsOf(700, 40);
    const { price, weight } = valuesOf(rows);
    const count = buffers.upload(Uint32Array.of(500));
    const input = {
      keys: buffers.upload(Uint32Array.from(rows, ({ key }) => key)),
      values: { price: buffers.upload(price), weight: buffers.upload(weight) },
      count: { buffer: count },
    };
    const combine = {
      n: 'count',
      total: { of: 'price', combine: 'sum64' },
      mean: { of: 'weight', combine: 'mean' },
    } as const;
    const options = { key: u32, construction, combine, value: { weight: valueTypes.f32 } };
    type Made = { n: Uint32Array; total: BigUint64Array; mean: Float32Array };
    const encoder = gpu.device.createCommandEncoder();
    using made = Aggregate.encodeBuild<Uint32Array, Made>(gpu, encoder, input, options);
    const io = { n: buffers.words(700), total: buffers.words(1400), mean: buffers.words(700) };
    const found = buffers.words(3);
    const queries = buffers.upload(Uint32Array.of(0, 5, rows[1]?.key as number));
    made.encodeGet(encoder, { queries, values: io, found, count: 3, missing: 0 });
    gpu.device.queue.submit([encoder.finish()]);
    await made.settle();
    const of = (key: number, used: readonly Row[]) => oracle(used.filter((row) => row.key === key));
    const expected = (used: readonly Row[]) => [of(0, used), undefined, of(rows[1]?.key as number, used)];
    const first = expected(rows.slice(0, 500));
    expect([...(await buffers.read(io.n, 3))]).toEqual(first.map((own) => own?.n ?? 0));
    expect([...new BigUint64Array((await buffers.read(io.total, 6)).buffer)]).toEqual(
      first.map((own) => own?.total ?? 0n),
    );
    expect([...(await buffers.read(found, 3))]).toEqual([1, 0, 1]);

    gpu.write(count, Uint32Array.of(41));
    const again = gpu.device.createCommandEncoder();
    made.encodeRebuild(again, input);
    const size = buffers.words(1);
    const keys = buffers.words(700);
    made.encodeEntries(again, { keys, values: io, count: { buffer: size } });
    gpu.device.queue.submit([again.finish()]);
    const listed = [...(await buffers.read(keys, (await buffers.read(size, 1))[0] as number))];
    expect(listed.length).toBe(40);
    const counts = await buffers.read(io.n, 40);
    for (const [i, key] of listed.entries()) expect(counts[i]).toBe(of(key, rows.slice(0, 41)).n);

    const face = made.wgsl({ name: 'sales', group: 0 });
    const output = buffers.words(4);
    const code = `${face.code}
      @group(1) @binding(0) var<storage, read_write> output: array<u32>;
      @compute @workgroup_size(1) fn main() {
        let hit = sales_find(0u);
        output[0] = hit.n; output[1] = hit.total.x; output[2] = hit.total.y; output[3] = u32(hit.mean);
      }`;
    const module = gpu.device.createShaderModule({ code });
    const pipeline = gpu.device.createComputePipeline({ layout: 'auto', compute: { module } });
    await gpu.run((commands) => {
      const pass = commands.beginComputePass();
      pass.setPipeline(pipeline);
      const own = [{ binding: 0, resource: { buffer: output } }];
      for (const [group, entries] of [face.entries, own].entries()) {
        pass.setBindGroup(group, gpu.device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries }));
      }
      pass.dispatchWorkgroups(1);
      pass.end();
    });
    const { n, total, means } = of(0, rows.slice(0, 41));
    expect([...(await buffers.read(output, 4))]).toEqual([
      n,
      Number(total & 0xffff_ffffn),
      Number(total >> 32n),
      Math.trunc(means[2] as number),
    ]);
  });
});

describe('one result by a name', () => {
  const keys = Uint32Array.of(1, 2, 1, 1);

  it('is exact as sum64, of 64-bit values too', async () => {
    const values = Uint32Array.of(0xffff_ffff, 5, 0xffff_ffff, 2);
    using wide = await Aggregate.from(gpu, { keys, values }, { combine: 'sum64' });
    const { values: sums } = await wide.get(Uint32Array.of(1, 2, 3), { missing: 7 });
    expectTypeOf(sums).toEqualTypeOf<BigUint64Array<ArrayBuffer>>();
    expect(sums).toEqual(BigUint64Array.of(0x2_0000_0000n, 5n, 7n));
    using own = await Aggregate.from(
      gpu,
      { keys, values: BigInt64Array.of(-1n, 5n, -(2n ** 62n), 2n) },
      { combine: 'sum64' },
    );
    expect((await own.get(Uint32Array.of(1, 2))).values).toEqual(BigInt64Array.of(1n - 2n ** 62n, 5n));
  });

  it('is the mean', async () => {
    using mean = await Aggregate.from(gpu, { keys, values: Int32Array.of(-5, 7, 2, 0) }, { combine: 'mean' });
    const { values } = await mean.get(Uint32Array.of(1, 2, 3));
    expectTypeOf(values).toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expect([...values]).toEqual([-1, 7, 0]);
    for (const construction of CONSTRUCTIONS) {
      using floats = await Aggregate.from(
        gpu,
        { keys, values: Float32Array.of(0.5, 9, 1, 3) },
        { combine: 'mean', construction },
      );
      expect([...(await floats.get(Uint32Array.of(1, 2, 3), { missing: -1 })).values]).toEqual([1.5, 9, -1]);
    }
  });
});

describe('several results', () => {
  const keys = Uint32Array.of(1, 2, 1);
  const values = Uint32Array.of(3, 4, 5);

  it('may be of one array of values, or of none', async () => {
    using made = await Aggregate.from(gpu, { keys, values }, { combine: { n: 'count', total: 'sum', low: 'min' } });
    const { values: got, found } = await made.get(Uint32Array.of(1, 7));
    expectTypeOf(got.n).toEqualTypeOf<Uint32Array<ArrayBuffer>>();
    expect(got).toEqual({ n: Uint32Array.of(2, 0), total: Uint32Array.of(8, 0), low: Uint32Array.of(3, 0) });
    expect([...found]).toEqual([1, 0]);
    using counted = await Aggregate.from(gpu, { keys }, { combine: { n: 'count' } });
    expect((await counted.entries()).values).toEqual({ n: Uint32Array.of(2, 1) });
    expect([...(await made.index.idsOfItems())]).toEqual([0, 1, 0]);
  });

  it('have types that the compiler knows', async () => {
    const columns = { price: Float32Array.of(1, 2, 3), items: Int32Array.of(1, 2, 3) };
    const combine = {
      n: 'count',
      sum: { of: 'price', combine: 'sum' },
      wide: { of: 'items', combine: 'sum64' },
    } as const;
    using made = await Aggregate.from(gpu, { keys: ['a', 'b', 'a'], values: columns }, { combine });
    const { values: got } = await made.get(['a']);
    expectTypeOf(got.sum).toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expectTypeOf(got.wide).toEqualTypeOf<BigInt64Array<ArrayBuffer>>();
    expect(got).toEqual({ n: Uint32Array.of(2), sum: Float32Array.of(4), wide: BigInt64Array.of(4n) });
    // @ts-expect-error: there is no such column
    const wrong = Aggregate.from(gpu, { keys, values: columns }, { combine: { n: { of: 'weight', combine: 'sum' } } });
    await throwsCode(wrong, 'invalid-input');
  });

  it('are refused where they make no sense, and leave nothing behind', async () => {
    const refused: readonly [unknown, unknown][] = [
      [values, {}],
      [values, { n: 'median' }],
      [values, { found: 'count' }],
      [values, { 'a b': 'count' }],
      [values, { n: { of: 'price', combine: 'sum' } }],
      [undefined, { n: 'sum' }],
      [{ price: values }, 'sum'],
      [{ price: values }, { n: 'sum' }],
      [{ price: values }, { n: { of: 'price', comine: 'sum' } }],
      [{ price: values.subarray(1) }, { n: { of: 'price', combine: 'sum' } }],
      [{ price: new Float64Array(3) }, { n: { of: 'price', combine: 'sum' } }],
      [{ price: values }, { n: { of: ['price'], combine: 'sum' } }],
      [{ price: values }, { n: { of: [Symbol('price')], combine: 'sum' } }],
    ];
    for (const [given, combine] of refused) {
      const input = { keys, values: given as Uint32Array };
      const { error, madeBytes } = await liveBuffers(gpu, () =>
        Aggregate.from(gpu, input, { combine: combine as 'sum' }),
      );
      expect([JSON.stringify(combine), (error as { code?: string })?.code]).toEqual([
        JSON.stringify(combine),
        'invalid-input',
      ]);
      expect(madeBytes).toBe(0);
    }
    const combine = { n: { of: 'price', combine: 'sum' } } as const;
    const price = gpu.upload('test/price', Float32Array.of(1, 2, 3));
    for (const value of [{ prize: valueTypes.f32 }, valueTypes.f32, 'f32']) {
      // Without a type that is heard of, floats would be added as whole numbers.
      const misnamed = Aggregate.from(gpu, { keys, values: { price } }, { combine, value: value as never });
      await throwsCode(misnamed, 'invalid-input', String(value));
    }
    price.destroy();
    const floats = { keys, values: new Float32Array(3) };
    await throwsCode(Aggregate.from(gpu, floats, { combine: 'sum64' }), 'unsupported');
    await throwsCode(Aggregate.from(gpu, { keys, values: new BigInt64Array(3) }, { combine: 'mean' }), 'unsupported');
    const { result, live } = await liveBuffers(gpu, async () => {
      using made = await Aggregate.from(
        gpu,
        { keys, values: { price: values } },
        { combine: { n: { of: 'price', combine: 'mean' } } },
      );
      await throwsCode(made.rebuild({ keys, values }), 'invalid-input', 'values without their column');
      await throwsCode(made.rebuild({ keys, values: { price: new Int32Array(3) } }), 'invalid-input', 'another type');
      expect(() =>
        made.encodeGet(gpu.device.createCommandEncoder(), { queries: {} as GPUBuffer, values: {} as never, count: 1 }),
      ).toThrow('must be a GPUBuffer');
      return [...(await made.get(keys)).values.n];
    });
    expect(result).toEqual([4, 4, 4]);
    expect(live).toEqual([]);
  });
});
