import { Aggregate, type CombinerName, valueTypes } from '../../src/collections/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, isTrue, throwsCode } from './expect.ts';
import type { Keys } from './keyKinds.ts';
import { interleave, valuesFor } from './keySets.ts';
import { positionsOf, repeatedKeys } from './repeatedKeys.ts';
import { forGpuBuilt, forSubjects, type Subject } from './subjects.ts';
import { optionsOf } from './tables.ts';
import { faceOptions, runShader } from './userShader.ts';

const MISSING = 4242;
const NAMES = ['count', 'sum', 'min', 'max'] as const satisfies readonly CombinerName[];

/** A combiner that no order leaves alone: the result tells the order of the values. */
const digits = {
  accumulator: 'u32',
  identity: 7,
  combine: wgsl`fn digits(a: u32, b: u32) -> u32 { return a * 31u + b; }`,
} as const;

const TWINS: Readonly<Record<(typeof NAMES)[number], (values: readonly number[]) => number>> = {
  count: (values) => values.length,
  sum: (values) => values.reduce((sum, value) => sum + value, 0) >>> 0,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
};

/** Throws unless every key has what its values combine to. */
async function combines(
  { kind }: Subject,
  made: Aggregate<unknown>,
  items: { readonly keys: Keys; readonly values: ArrayLike<number> },
  combine: (values: readonly number[]) => number,
  absent: Keys,
  what: string,
): Promise<void> {
  const positions = positionsOf(items.keys);
  const results = new Map([...positions].map(([key, at]) => [key, combine(at.map((i) => items.values[i] as number))]));
  equal(made.size, results.size, `${what}: size`);
  const queries = interleave([...results.keys()], absent);
  const { values, found } = await made.get(kind.host(queries), { missing: MISSING });
  const expected = queries.map((key) => results.get(key) ?? MISSING);
  equalWords(values, expected, `${what}: results`);
  equalWords(
    found,
    queries.map((key) => Number(results.has(key))),
    `${what}: found`,
  );
  const entries = await made.entries();
  const entryKeys = kind.numbers(entries.keys);
  equal(entryKeys.length, results.size, `${what}: number of entries`);
  for (const [i, key] of entryKeys.entries()) equal(entries.values[i], results.get(key), `${what}: entry ${i}`);
}

export const aggregateCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'an aggregate counts, adds and compares the values of every key',
    async (gpu, subject) => {
      for (const count of [0, 1, 500]) {
        const { keys, absent } = repeatedKeys(subject.kind, count);
        const values = valuesFor(count);
        for (const combine of NAMES) {
          const options = { ...optionsOf(subject), combine: combine as 'sum' };
          using made = await Aggregate.from(gpu, { keys: subject.kind.host(keys), values }, options);
          await combines(subject, made, { keys, values }, TWINS[combine], absent, `${combine} of ${count}`);
        }
      }
    },
    { short: true },
  ),
  ...forSubjects('an aggregate combines several columns in one build', async (gpu, subject) => {
    const { keys, absent } = repeatedKeys(subject.kind, 400);
    const columns = { price: valuesFor(400), weight: Float32Array.from(valuesFor(400), (value) => value % 64) };
    const combine = {
      n: 'count',
      total: { of: 'price', combine: 'sum64' },
      order: { of: 'price', combine: digits },
      mean: { of: 'weight', combine: 'mean' },
    } as const;
    for (const construction of ['table', 'sort'] as const) {
      const input = { keys: subject.kind.host(keys), values: columns };
      using made = await Aggregate.from(gpu, input, { ...optionsOf(subject), construction, combine });
      const positions = positionsOf(keys);
      const queries = interleave([...positions.keys()], absent);
      const { values, found } = await made.get(subject.kind.host(queries));
      for (const [i, key] of queries.entries()) {
        const at = positions.get(key) ?? [];
        const prices = at.map((item) => columns.price[item] as number);
        equal(found[i], Number(at.length > 0), `found ${i}, ${construction}`);
        equal(values.n[i], at.length, `count ${i}, ${construction}`);
        equal(values.total[i], BigInt(prices.reduce((sum, price) => sum + price, 0)), `sum ${i}, ${construction}`);
        const folded = prices.reduce((sum, price) => (Math.imul(sum, 31) + price) >>> 0, 7);
        equal(values.order[i], at.length === 0 ? 0 : folded, `fold ${i}, ${construction}`);
        const mean = at.reduce((sum, item) => sum + (columns.weight[item] as number), 0) / Math.max(1, at.length);
        isTrue(Math.abs((values.mean[i] as number) - mean) <= mean * 2 ** -20, `mean ${i}, ${construction}`);
      }
    }
  }),
  ...forSubjects('an aggregate by a function of the caller keeps to the order of the input', async (gpu, subject) => {
    using made = await Aggregate.from(
      gpu,
      { keys: subject.kind.host([1n]), values: valuesFor(1) },
      { ...optionsOf(subject), combine: digits },
    );
    const fold = (values: readonly number[]) => values.reduce((sum, value) => (Math.imul(sum, 31) + value) >>> 0, 7);
    for (const repetition of ['none', 'some'] as const) {
      // Fewer values a key than one thread folds: the fold is one from left to right.
      const { keys, absent } = repeatedKeys(subject.kind, 700, repetition);
      const values = valuesFor(700);
      await made.rebuild({ keys: subject.kind.host(keys), values });
      await combines(subject, made, { keys, values }, fold, absent, repetition);
    }
  }),
  ...forGpuBuilt('an aggregate is built and rebuilt on an encoder, with counts on the GPU', async (gpu, subject) => {
    const MAX = 500;
    using buffers = new TestBuffers(gpu);
    const { keys, absent } = repeatedKeys(subject.kind, MAX);
    const floats = Float32Array.from({ length: MAX }, (_, i) => (i % 50) / 4 - 3);
    const input = { ...buffers.keys(subject.kind, keys), values: buffers.upload(floats) };
    const word = (n: number) => ({ buffer: buffers.upload(new Uint32Array([9, n])), offset: 4 });
    const add = wgsl`fn add(a: vec2f, b: vec2f) -> vec2f { return a + b; }`;
    const lift = wgsl`fn lift(v: f32) -> vec2f { return vec2f(v, 1.0); }`;
    const combine = { accumulator: 'vec2f', identity: [0, 0], lift, combine: add } as const;
    const encoder = gpu.device.createCommandEncoder();
    const options = { ...optionsOf(subject), combine, value: valueTypes.f32 };
    using made = Aggregate.encodeBuild<unknown, Float32Array>(gpu, encoder, { ...input, count: word(300) }, options);
    const queries = interleave(keys.slice(0, 60), absent);
    const asked = buffers.queries(subject.kind, queries);
    const runs = [300, 1, MAX, 0].map((count) => ({ count, values: buffers.words(2 * queries.length) }));
    for (const [i, { count, values }] of runs.entries()) {
      if (i > 0) made.encodeRebuild(encoder, { ...input, count: word(count) });
      made.encodeGet(encoder, { ...asked, values, missing: -1, count: word(queries.length) });
    }
    gpu.device.queue.submit([encoder.finish()]);
    await made.settle();
    equal(made.size, 0, 'size after the last build, of nothing');
    for (const { count, values } of runs) {
      const positions = positionsOf(keys.slice(0, count));
      const expected = queries.map((key) => {
        const at = positions.get(key);
        return at ? [at.reduce((sum, i) => sum + (floats[i] as number), 0), at.length] : [-1, -1];
      });
      const words = await buffers.read(values, 2 * queries.length);
      // Sums of quarters are exact.
      equalWords(new Float32Array(words.buffer), expected.flat(), `${count} items`);
    }
  }),
  ...forSubjects('an aggregate in a shader, of signed and of float values', async (gpu, subject) => {
    const { kind } = subject;
    const { keys, absent } = repeatedKeys(kind, 300);
    const numbers = Array.from({ length: 300 }, (_, i) => ((i * 37) % 100) - 50);
    const options = optionsOf(subject);
    const host = kind.host(keys);
    const least = await Aggregate.from(
      gpu,
      { keys: host, values: Int32Array.from(numbers) },
      { ...options, combine: 'min' },
    );
    const sum = await Aggregate.from(
      gpu,
      { keys: host, values: Float32Array.from(numbers) },
      { ...options, combine: 'sum' },
    );
    const queries = interleave(keys.slice(0, 90), absent);
    const faces = Object.entries({ least, sum }).map(([name, made], i) =>
      made.wgsl({ name, group: i + 1, ...faceOptions(kind) }),
    );
    const words = await runShader(gpu, {
      kind,
      queries,
      tables: faces,
      code: faces.map((face) => face.code).join('\n'),
      statements: `
  let a = least_find(key);
  let b = sum_find(key);`,
      answer: 'vec4u(u32(a.found), u32(a.value + 1000), u32(i32(b.value) + 100000), 0u)',
    });
    const positions = positionsOf(keys);
    for (const [i, query] of queries.entries()) {
      const own = (positions.get(query) ?? []).map((at) => numbers[at] as number);
      equal(words[4 * i], Number(own.length > 0), `query ${i} found`);
      equal(words[4 * i + 1], 1000 + (own.length > 0 ? Math.min(...own) : 0), `least of query ${i}`);
      equal(words[4 * i + 2], 100_000 + own.reduce((total, value) => total + value, 0), `sum of query ${i}`);
    }
    for (const made of [least, sum]) {
      made.destroy();
      await throwsCode(made.get(host), 'destroyed');
      await throwsCode(made.entries(), 'destroyed');
    }
  }),
];
