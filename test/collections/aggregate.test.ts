import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Aggregate, type CustomCombiner, DynamicMap, MultiMap, valueTypes } from '../../src/collections/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { bucketCuckoo, cuckoo, twoLevelCuckoo } from '../../src/schemes/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { throwsCode } from '../conformance/expect.ts';
import { positionsOf } from '../conformance/repeatedKeys.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const small = await sharedGpu('default');

const PIECE = 256;

/** The same fold in TypeScript: pieces from the first value on, then the pieces in the same way. */
function foldTwin(values: readonly number[], combine: (a: number, b: number) => number, identity: number): number {
  const piecesOf = (list: readonly number[]) =>
    Array.from({ length: Math.ceil(list.length / PIECE) }, (_, i) => list.slice(i * PIECE, (i + 1) * PIECE));
  let level = piecesOf(values).map((piece) => piece.reduce(combine, identity));
  while (level.length > 1) level = piecesOf(level).map((piece) => piece.reduce(combine));
  return level[0] as number;
}

const addF32 = (a: number, b: number): number => Math.fround(a + b);
const mixed = (a: number, b: number): number => (Math.imul(a, 31) + b) >>> 0;

describe('Aggregate', () => {
  it('answers like a Map of sums and of greatest values', async () => {
    const some = { keys: new Uint32Array(1), values: new Int32Array(1) };
    using sum = await Aggregate.from(gpu, some, { combine: 'sum', scheme: cuckoo() });
    using max = await Aggregate.from(gpu, some, { combine: 'max', construction: 'sort' });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(12), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })), { maxLength: 200 }),
        async (items) => {
          const keys = Uint32Array.from(items, ([key]) => key);
          const values = Int32Array.from(items, ([, value]) => value);
          const queries = Uint32Array.from({ length: 14 }, (_, i) => i);
          const of = (key: number) => items.filter(([own]) => own === key).map(([, value]) => value);
          await sum.rebuild({ keys, values });
          const sums = Array.from(queries, (key) => of(key).reduce((a, b) => (a + b) | 0, 0));
          expect([...(await sum.get(queries)).values]).toEqual(sums);
          await max.rebuild({ keys, values });
          const greatest = Array.from(queries, (key) => (of(key).length > 0 ? Math.max(...of(key)) : -5));
          expect([...(await max.get(queries, { missing: -5 })).values]).toEqual(greatest);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('adds f32 in a fixed order, whatever the table, with the very same bits', async () => {
    // One key has more values than two levels of pieces hold in one.
    const count = 150_000;
    const keys = Uint32Array.from({ length: count }, (_, i) => (i % 10 === 0 ? i % 700 : 77));
    const values = Float32Array.from({ length: count }, (_, i) => Math.sin(i) * 10 ** (i % 9));
    const oracle = new Map(
      [...positionsOf(keys)].map(([key, at]) => [
        key as number,
        foldTwin(
          at.map((i) => values[i] as number),
          addF32,
          0,
        ),
      ]),
    );
    const queries = Uint32Array.from(oracle.keys());
    const expected = Float32Array.from(oracle.values());
    for (const options of [{}, { construction: 'sort' }, { scheme: bucketCuckoo() }] as const) {
      using made = await Aggregate.from(gpu, { keys, values }, { ...options, combine: 'sum' });
      expect((await made.get(queries)).values).toEqual(expected);
      await made.rebuild({ keys, values });
      expect((await made.get(queries)).values).toEqual(expected);
    }
  });

  it('folds by functions that are not associative as documented', async () => {
    const combine = wgsl`fn mixed(a: u32, b: u32) -> u32 { return a * 31u + b; }`;
    const keys = Uint32Array.from({ length: 1400 }, (_, i) => (i < 900 ? 5 : i % 3));
    const values = Uint32Array.from(keys, (_, i) => Math.imul(i, 0x9e37_79b1) >>> 0);
    const custom = { accumulator: 'u32', identity: 7, combine } as const;
    using made = await Aggregate.from(gpu, { keys, values }, { combine: custom });
    const positions = positionsOf(keys);
    const expected = [5, 0, 1, 2].map((key) => {
      const own = (positions.get(key) ?? []).map((i) => values[i] as number);
      return foldTwin(own, mixed, 7);
    });
    expect([...(await made.get(Uint32Array.of(5, 0, 1, 2))).values]).toEqual(expected);
  });

  it('combines in four words, and compares floats with infinities among them', async () => {
    const keys = Uint32Array.of(1, 2, 1, 1);
    const values = Float32Array.of(2, Number.NEGATIVE_INFINITY, -8, 0.5);
    const lift = wgsl`fn lift(v: f32) -> vec4f { return vec4f(1.0, v, v * v, abs(v)); }`;
    const combine = wgsl`fn add(a: vec4f, b: vec4f) -> vec4f { return a + b; }`;
    const moments = { accumulator: 'vec4f', identity: [0, 0, 0, 0], lift, combine } as const;
    using made = await Aggregate.from(gpu, { keys, values }, { combine: moments });
    const { values: got } = await made.get(Uint32Array.of(1, 9), { missing: -1 });
    expect([...got]).toEqual([3, -5.5, 68.25, 10.5, -1, -1, -1, -1]);
    using least = await Aggregate.from(gpu, { keys, values }, { combine: 'min' });
    expect([...(await least.get(Uint32Array.of(1, 2))).values]).toEqual([-8, Number.NEGATIVE_INFINITY]);
  });

  it('takes NaN for greater than all numbers, and −0 for less than 0', async () => {
    const groups = [[NaN, NaN], [NaN, 3], [3, NaN, -4], [Infinity], [-Infinity, NaN], [-0, 0], [0, -0], [-1, -2]];
    const keys = Uint32Array.from(groups.flatMap((group, key) => group.map(() => key)));
    const values = Float32Array.from(groups.flat());
    // Both signs of NaN.
    new Uint32Array(values.buffer)[1] = 0xffc0_0001;
    const min = [NaN, 3, -4, Infinity, -Infinity, -0, -0, -2];
    const max = [NaN, NaN, NaN, Infinity, NaN, 0, 0, -1];
    using made = await Aggregate.from(gpu, { keys, values }, { combine: { min: 'min', max: 'max' } });
    const all = Uint32Array.from(groups.keys());
    expect((await made.get(all)).values).toEqual({ min: Float32Array.from(min), max: Float32Array.from(max) });
    using map = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    for (const [onExisting, expected] of Object.entries({ min, max }) as ['min' | 'max', number[]][]) {
      await map.insert(keys, values, { onExisting });
      expect((await map.get(all)).values).toEqual(Float32Array.from(expected));
      await map.clear();
    }
  });

  it('counts without values, also one key a hundred thousand times', async () => {
    const keys = new Uint32Array(100_000).fill(9);
    using made = await Aggregate.from(gpu, { keys }, { combine: 'count' });
    expect([...(await made.get(Uint32Array.of(9, 8))).values]).toEqual([100_000, 0]);
    expect(await made.entries()).toEqual({ keys: Uint32Array.of(9), values: Uint32Array.of(100_000) });
  });

  it('folds the last key of all in an encoded build, which has room for more keys', async () => {
    using buffers = new TestBuffers(gpu);
    const keys = Uint32Array.from({ length: 1500 }, (_, i) => Math.min(i, 700));
    const values = Float32Array.from(keys, (_, i) => i);
    const encoder = gpu.device.createCommandEncoder();
    const input = { keys: buffers.upload(keys), values: buffers.upload(values), count: 1500 };
    using made = Aggregate.encodeBuild(gpu, encoder, input, { key: u32, value: valueTypes.f32, combine: 'sum' });
    gpu.device.queue.submit([encoder.finish()]);
    await made.settle();
    const last = values.subarray(700).reduce((a, b) => a + b);
    expect([...(await made.get(Uint32Array.of(0, 699, 700))).values]).toEqual([0, 699, last]);
  });

  it('needs no more than the default limits of WebGPU, nor do the others', async () => {
    const keys = BigUint64Array.from({ length: 2000 }, (_, i) => BigInt(i % 90) << 31n);
    const values = Float32Array.from({ length: 2000 }, (_, i) => i);
    const scheme = twoLevelCuckoo();
    for (const construction of ['table', 'sort'] as const) {
      using sums = await Aggregate.from(small, { keys, values }, { combine: 'sum', scheme, construction });
      const { values: got } = await sums.get(keys.slice(0, 1));
      expect(got[0]).toBe(values.filter((_, i) => i % 90 === 0).reduce((a, b) => a + b));
    }
    for (const order of ['input', 'any'] as const) {
      using map = await MultiMap.from(small, { keys, values }, { scheme, order });
      const [list] = await map.get(keys.slice(1, 2));
      expect(list?.sort()).toEqual(values.filter((_, i) => i % 90 === 1));
    }
  });

  it('refuses what makes no sense', async () => {
    const keys = Uint32Array.of(1, 2);
    const values = Uint32Array.of(3, 4);
    const combine = wgsl`fn add(a: f32, b: f32) -> f32 { return a + b; }`;
    const refused: readonly unknown[] = [
      'median',
      { accumulator: 'f64', identity: 0, combine },
      { accumulator: 'vec2f', identity: [0], combine, lift: combine },
      { accumulator: 'f32', identity: 0, combine },
      { accumulator: 'u32', identity: 0, combine: 'a + b' },
      { accumulator: 'u32', identity: 0, combine: wgsl`a + b` },
    ];
    for (const wrong of refused) {
      const options = { combine: wrong as CustomCombiner };
      await throwsCode(Aggregate.from(gpu, { keys, values }, options), 'invalid-input', JSON.stringify(wrong));
    }
    await throwsCode(Aggregate.from(gpu, { keys }, { combine: 'sum' }), 'invalid-input', 'a sum of nothing');
    using made = await Aggregate.from(gpu, { keys, values }, { combine: 'sum' });
    await throwsCode(made.rebuild({ keys }), 'invalid-input', 'a rebuild without values');
    await throwsCode(made.rebuild({ keys, values: new Float32Array(2) }), 'invalid-input', 'values of another type');
  });
});
