import { HashMap, HashSet } from '../../src/collections/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, throwsCode } from './expect.ts';
import type { KeyKind, Keys } from './keyKinds.ts';
import { interleave, randomSet, valuesFor } from './keySets.ts';
import { answersLike, holdsExactly, mapOf, sameEntries } from './oracle.ts';
import { forGpuBuilt, forSubjects, type Subject } from './subjects.ts';
import { buildMap, type Items, optionsOf } from './tables.ts';

const MISSING = 12_345;

/** Items with queries for them, half of which are absent. */
function workload({ kind }: Subject, size: number, seed: number): { items: Items; queries: Keys } {
  const { present: keys, absent } = randomSet(kind, size, seed);
  return { items: { keys, values: valuesFor(size, seed) }, queries: interleave(keys, absent) };
}

/** Buffers that a search reads and writes. */
function searchBuffers(buffers: TestBuffers, kind: KeyKind, queries: Keys) {
  const count = queries.length;
  return { ...buffers.queries(kind, queries), values: buffers.words(count), found: buffers.words(count), count };
}

/** Throws unless the search has written what the items say. */
async function answered(
  buffers: TestBuffers,
  search: ReturnType<typeof searchBuffers>,
  queries: Keys,
  items: Items,
  what: string,
): Promise<void> {
  const oracle = mapOf(items.keys, items.values);
  const expected = queries.map((key) => oracle.get(key));
  const found = expected.map((value) => Number(value !== undefined));
  equalWords(await buffers.read(search.found, search.count), found, `${what}: found`);
  const values = expected.map((value) => value ?? MISSING);
  equalWords(await buffers.read(search.values, search.count), values, `${what}: values`);
}

export const encoderFaceCases: readonly ConformanceCase[] = [
  ...forGpuBuilt(
    'builds, rebuilds and searches of several tables before one submit',
    async (gpu, subject) => {
      using buffers = new TestBuffers(gpu);
      const encoder = gpu.device.createCommandEncoder();
      const jobs = [300, 1000, 1].map((size, i) => {
        const { items, queries } = workload(subject, size, i + 1);
        const input = { ...buffers.items(subject.kind, items), count: size };
        const map = HashMap.encodeBuild(gpu, encoder, input, optionsOf(subject));
        return { map, items, queries, search: searchBuffers(buffers, subject.kind, queries) };
      });
      for (const { map, search } of jobs) map.encodeGet(encoder, { ...search, missing: MISSING });
      const { map } = jobs[1] as (typeof jobs)[1];
      const { items, queries } = workload(subject, 800, 9);
      map.encodeRebuild(encoder, { ...buffers.items(subject.kind, items), count: 800 });
      const search = searchBuffers(buffers, subject.kind, queries);
      map.encodeGet(encoder, { ...search, missing: MISSING });
      gpu.device.queue.submit([encoder.finish()]);

      for (const [i, job] of jobs.entries()) {
        await answered(buffers, job.search, job.queries, job.items, `table ${i}`);
      }
      await answered(buffers, search, queries, items, 'the rebuilt table');
      for (const { map } of jobs) await map.settle();
      sameEntries(subject.kind, await map.entries(), mapOf(items.keys, items.values), 'the rebuilt table');
      for (const { map } of jobs) map.destroy();
    },
    { short: true },
  ),
  ...forGpuBuilt('a build and its search in two encoders that are submitted together', async (gpu, subject) => {
    using buffers = new TestBuffers(gpu);
    const { items, queries } = workload(subject, 400, 1);
    const [first, second] = [gpu.device.createCommandEncoder(), gpu.device.createCommandEncoder()];
    const input = { ...buffers.keys(subject.kind, items.keys), count: 400 };
    using set = HashSet.encodeBuild(gpu, first, input, optionsOf(subject));
    const search = searchBuffers(buffers, subject.kind, queries);
    set.encodeHas(second, search);
    gpu.device.queue.submit([first.finish(), second.finish()]);
    const oracle = new Set(items.keys);
    const expected = queries.map((key) => Number(oracle.has(key)));
    equalWords(await buffers.read(search.found, search.count), expected, 'found');
    equal(await set.settle(), set, 'settle returns the set');
    await holdsExactly(subject.kind, set, items.keys, queries, 'settled');
  }),
  ...forGpuBuilt("builds and searches in the caller's own compute pass", async (gpu, subject) => {
    using buffers = new TestBuffers(gpu);
    const { items, queries } = workload(subject, 257, 1);
    const encoder = gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const input = { ...buffers.items(subject.kind, items), count: { buffer: buffers.upload(new Uint32Array([257])) } };
    using map = HashMap.encodeBuild(gpu, pass, input, optionsOf(subject));
    const search = searchBuffers(buffers, subject.kind, queries);
    map.encodeGet(pass, { ...search, missing: MISSING });
    pass.end();
    gpu.device.queue.submit([encoder.finish()]);
    await answered(buffers, search, queries, items, 'in a pass');
    await map.settle();
    equal(map.size, 257, 'size');
  }),
  ...forGpuBuilt('a table is rebuilt every frame', async (gpu, subject) => {
    using buffers = new TestBuffers(gpu);
    const frames = [500, 500, 20, 0, 333].map((size, i) => ({ size, ...workload(subject, size, i + 1) }));
    const searches = frames.map(({ queries }) => searchBuffers(buffers, subject.kind, queries));
    let map: HashMap<unknown> | undefined;
    for (const [i, { size, items }] of frames.entries()) {
      const encoder = gpu.device.createCommandEncoder();
      const input = { ...buffers.items(subject.kind, items), count: size };
      if (map) map.encodeRebuild(encoder, input);
      else map = HashMap.encodeBuild(gpu, encoder, input, optionsOf(subject));
      map.encodeGet(encoder, { ...(searches[i] as (typeof searches)[0]), missing: MISSING });
      gpu.device.queue.submit([encoder.finish()]);
    }
    for (const [i, { items, queries }] of frames.entries()) {
      await answered(buffers, searches[i] as (typeof searches)[0], queries, items, `frame ${i}`);
    }
    const last = workload(subject, 501, 1);
    const tooMany = { ...buffers.items(subject.kind, last.items), count: 501 };
    const encoder = gpu.device.createCommandEncoder();
    await throwsCode(() => map?.encodeRebuild(encoder, tooMany), 'invalid-input', 'more items than planned');
    map?.destroy();
  }),
  ...forGpuBuilt('the count may be a word on the GPU', async (gpu, subject) => {
    const MAX = 600;
    using buffers = new TestBuffers(gpu);
    const { items, queries } = workload(subject, MAX, 1);
    const input = buffers.items(subject.kind, items);
    for (const count of [0, 1, 256, 599, MAX]) {
      const encoder = gpu.device.createCommandEncoder();
      const word = { buffer: buffers.upload(new Uint32Array([7, count])), offset: 4 };
      using map = HashMap.encodeBuild(gpu, encoder, { ...input, count: word }, optionsOf(subject));
      const search = searchBuffers(buffers, subject.kind, queries);
      map.encodeGet(encoder, { ...search, missing: MISSING });
      gpu.device.queue.submit([encoder.finish()]);
      const used = { keys: items.keys.slice(0, count), values: items.values.slice(0, count) };
      await answered(buffers, search, queries, used, `${count} of ${MAX} items`);
      await map.settle();
      await answersLike(subject.kind, map, mapOf(used.keys, used.values), items.keys.slice(count), `${count} items`);
    }
  }),
  ...forGpuBuilt('a count on the GPU beyond the buffers is clamped and reported', async (gpu, subject) => {
    const MAX = 100;
    using buffers = new TestBuffers(gpu);
    const { items, queries } = workload(subject, MAX, 1);
    const input = buffers.items(subject.kind, items);
    const encoder = gpu.device.createCommandEncoder();
    const count = { buffer: buffers.upload(new Uint32Array([MAX + 11])) };
    using map = HashMap.encodeBuild(gpu, encoder, { ...input, count }, optionsOf(subject));
    const search = searchBuffers(buffers, subject.kind, queries);
    map.encodeGet(encoder, { ...search, missing: MISSING });
    gpu.device.queue.submit([encoder.finish()]);
    await answered(buffers, search, queries, items, 'the items that fit');
    const { message } = await throwsCode(map.settle(), 'invalid-input', 'settle');
    equal(/\b111\b/.test(message) && /\b100\b/.test(message), true, `the numbers are told: ${message}`);
    await throwsCode(map.get(subject.kind.host(items.keys)), 'invalid-input', 'get');

    const again = gpu.device.createCommandEncoder();
    map.encodeRebuild(again, { ...input, count: MAX });
    gpu.device.queue.submit([again.finish()]);
    await map.settle();
    equal(map.size, MAX, 'size after a good rebuild');
  }),
  ...forSubjects('a count of queries on the GPU is clamped, and nothing behind it is written', async (gpu, subject) => {
    const ROOM = 300;
    const UNTOUCHED = 0xabcd;
    using buffers = new TestBuffers(gpu);
    const { items, queries } = workload(subject, ROOM / 2, 1);
    using map = await buildMap(gpu, subject, items);
    const all = await map.get(subject.kind.host(queries), { missing: MISSING });
    const fresh = () => buffers.upload(new Uint32Array(ROOM).fill(UNTOUCHED));
    const runs = [0, 1, 200, ROOM, ROOM + 1, 0xffff_ffff].map((count) => ({ count, values: fresh(), found: fresh() }));
    const io = buffers.queries(subject.kind, queries);
    const encoder = gpu.device.createCommandEncoder();
    for (const { count, values, found } of runs) {
      const word = { buffer: buffers.upload(new Uint32Array([0, 0, count])), offset: 8 };
      map.encodeGet(encoder, { ...io, values, found, count: word, missing: MISSING });
    }
    gpu.device.queue.submit([encoder.finish()]);
    for (const { count, values, found } of runs) {
      const upTo = (array: ArrayLike<number>) => Uint32Array.from(array, (x, i) => (i < count ? x : UNTOUCHED));
      equalWords(await buffers.read(values, ROOM), upTo(all.values), `${count} queries: values`);
      equalWords(await buffers.read(found, ROOM), upTo(all.found), `${count} queries: found`);
    }
  }),
  ...forGpuBuilt('an encoded build is unsettled until it was submitted', async (gpu, subject) => {
    using buffers = new TestBuffers(gpu);
    const { items } = workload(subject, 64, 1);
    const input = { ...buffers.items(subject.kind, items), count: 64 };
    const encoder = gpu.device.createCommandEncoder();
    using map = HashMap.encodeBuild(gpu, encoder, input, optionsOf(subject));
    await throwsCode(() => map.size, 'invalid-input', 'size');
    await throwsCode(() => map.report, 'invalid-input', 'report');
    await throwsCode(map.entries(), 'invalid-input', 'entries');
    await throwsCode(map.settle(), 'invalid-input', 'settle before the submit');
    gpu.device.queue.submit([encoder.finish()]);
    await map.settle();
    equal(map.size, 64, 'size');
    equal(map.report.attempts, 1, 'attempts');

    const second = gpu.device.createCommandEncoder();
    map.encodeRebuild(second, { ...input, count: 32 });
    await throwsCode(map.settle(), 'invalid-input', 'settle before the second submit');
    gpu.device.queue.submit([second.finish()]);
    await map.settle();
    equal(map.size, 32, 'size after the rebuild');
  }),
  ...forGpuBuilt('a failed encoded build leaves its status on the GPU', async (gpu, subject) => {
    using buffers = new TestBuffers(gpu);
    const items = { keys: [5n, 6n, 5n], values: valuesFor(3) };
    const encoder = gpu.device.createCommandEncoder();
    const options = { ...optionsOf(subject), duplicates: 'error' as const };
    using map = HashMap.encodeBuild(gpu, encoder, { ...buffers.items(subject.kind, items), count: 3 }, options);
    using good = HashMap.encodeBuild(gpu, encoder, { ...buffers.items(subject.kind, items), count: 2 }, options);
    gpu.device.queue.submit([encoder.finish()]);
    const statusOf = async ({ status: { buffer, offset = 0 } }: typeof map) =>
      (await buffers.read(buffer, offset / 4 + 1))[offset / 4];
    equal(await statusOf(good), 0, 'status of a good build');
    equal((await statusOf(map)) !== 0, true, 'a failed build has a status');
    await throwsCode(map.settle(), 'duplicate-key', 'settle');
    await throwsCode(map.settle(), 'duplicate-key', 'settle again');
    await good.settle();
  }),
  ...forSubjects(
    'an encoded build is refused, and leaves a table as it was',
    async (gpu, subject) => {
      using buffers = new TestBuffers(gpu);
      const { items, queries } = workload(subject, 100, 1);
      const input = { ...buffers.items(subject.kind, items), count: 100 };
      const encoder = gpu.device.createCommandEncoder();
      using map = await buildMap(gpu, subject, items);
      await throwsCode(() => HashMap.encodeBuild(gpu, encoder, input, optionsOf(subject)), 'unsupported', 'a build');
      await throwsCode(() => map.encodeRebuild(encoder, input), 'unsupported', 'a rebuild');
      const search = searchBuffers(buffers, subject.kind, queries);
      map.encodeGet(encoder, { ...search, missing: MISSING });
      gpu.device.queue.submit([encoder.finish()]);
      await answered(buffers, search, queries, items, 'the table that there was');
    },
    { only: ({ isHostBuilt }) => isHostBuilt },
  ),
];
