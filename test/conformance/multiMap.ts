import { MultiMap } from '../../src/collections/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, throwsCode } from './expect.ts';
import type { Keys } from './keyKinds.ts';
import { interleave, valuesFor } from './keySets.ts';
import { positionsOf, REPETITIONS, repeatedKeys } from './repeatedKeys.ts';
import { forGpuBuilt, forSubjects, type Subject } from './subjects.ts';
import { namesOf, optionsOf } from './tables.ts';
import { faceOptions, runShader } from './userShader.ts';

/** What the queries must get, one query after the other. */
function expectedValues(keys: Keys, values: Uint32Array, queries: Keys): { values: number[]; offsets: number[] } {
  const positions = positionsOf(keys);
  const all: number[] = [];
  const offsets = [0];
  for (const query of queries) {
    for (const i of positions.get(query) ?? []) all.push(values[i] as number);
    offsets.push(all.length);
  }
  return { values: all, offsets };
}

/** The distinct keys among these. */
const distinctKeys = (keys: Keys): Keys => [...new Set(keys)];

const countsOf = (offsets: readonly number[]): number[] => offsets.slice(1).map((end, i) => end - (offsets[i] ?? 0));

/** Throws unless every key has its values, in the order of the input. */
async function holdsValues(
  { kind }: Subject,
  map: MultiMap<unknown>,
  keys: Keys,
  values: Uint32Array,
  absent: Keys,
  what: string,
): Promise<void> {
  const distinct = distinctKeys(keys);
  equal(map.size, distinct.length, `${what}: size`);
  equal(map.valueCount, keys.length, `${what}: number of values`);
  const queries = interleave(distinct, absent);
  const expected = expectedValues(keys, values, queries);
  const got = await map.retrieve(kind.host(queries));
  equalWords(got.offsets, expected.offsets, `${what}: offsets`);
  equalWords(got.values, expected.values, `${what}: values`);
  equalWords(await map.count(kind.host(queries)), countsOf(expected.offsets), `${what}: counts`);
  const entries = await map.entries();
  const inOrder = expectedValues(keys, values, kind.numbers(entries.keys));
  equalWords(entries.values, inOrder.values, `${what}: values of the entries`);
  equalWords(entries.offsets, inOrder.offsets, `${what}: offsets of the entries`);
}

export const multiMapCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'a multi-map keeps all values of a key, in the order of the input',
    async (gpu, subject) => {
      for (const count of [0, 1, 2, 500]) {
        const { keys, absent } = repeatedKeys(subject.kind, count);
        const values = valuesFor(count);
        using map = await MultiMap.from(gpu, { keys: subject.kind.host(keys), values }, optionsOf(subject));
        await holdsValues(subject, map, keys, values, absent, `${count} items`);
      }
    },
    { short: true },
  ),
  ...forSubjects('a multi-map in any order has the same values', async (gpu, subject) => {
    using map = await MultiMap.from(
      gpu,
      { keys: subject.kind.host([1n]), values: valuesFor(1) },
      { ...optionsOf(subject), order: 'any' },
    );
    for (const repetition of Object.keys(REPETITIONS) as (keyof typeof REPETITIONS)[]) {
      const { keys, absent } = repeatedKeys(subject.kind, 1100, repetition);
      const values = valuesFor(1100);
      await map.rebuild({ keys: subject.kind.host(keys), values });
      const queries = interleave(distinctKeys(keys), absent);
      const expected = expectedValues(keys, values, queries);
      const got = await map.get(subject.kind.host(queries));
      for (const [i, list] of got.entries()) {
        const wanted = expected.values.slice(expected.offsets[i], expected.offsets[i + 1]);
        equalWords(list.sort(), Uint32Array.from(wanted).sort(), `${repetition}: values of query ${i}`);
      }
    }
  }),
  ...forSubjects('a multi-map is rebuilt, saved and opened', async (gpu, subject) => {
    const { host } = subject.kind;
    using map = await MultiMap.from(gpu, { keys: host([1n]), values: valuesFor(1) }, optionsOf(subject));
    for (const repetition of Object.keys(REPETITIONS) as (keyof typeof REPETITIONS)[]) {
      const { keys, absent } = repeatedKeys(subject.kind, 900, repetition);
      const values = valuesFor(900);
      equal(await map.rebuild({ keys: host(keys), values }), map, 'rebuild returns the map');
      await holdsValues(subject, map, keys, values, absent, repetition);
      const bytes = await map.toBytes();
      using opened = await MultiMap.fromBytes(gpu, bytes, namesOf(subject));
      await holdsValues(subject, opened, keys, values, absent, `${repetition}, opened`);
      equalWords(await opened.toBytes(), bytes, 'saved again');
    }
  }),
  ...forGpuBuilt('a multi-map on an encoder writes no further than there is room', async (gpu, subject) => {
    const [ITEMS, ROOM] = [400, 150];
    using buffers = new TestBuffers(gpu);
    const { keys, absent } = repeatedKeys(subject.kind, ITEMS);
    const values = valuesFor(ITEMS);
    const used = 300;
    const word = (n: number) => ({ buffer: buffers.upload(new Uint32Array([9, n])), offset: 4 });
    const encoder = gpu.device.createCommandEncoder();
    const input = { ...buffers.items(subject.kind, { keys, values }), count: word(used) };
    using map = MultiMap.encodeBuild(gpu, encoder, input, optionsOf(subject));
    const queries = interleave(keys.slice(0, 40), absent);
    const runs = [0, 1, 7, queries.length].map((count) => ({
      count,
      counts: buffers.words(queries.length),
      offsets: buffers.words(queries.length),
      values: buffers.upload(new Uint32Array(ROOM + 10).fill(0xabcd)),
      total: { buffer: buffers.upload(new Uint32Array(2).fill(5)), offset: 4 },
    }));
    const asked = buffers.queries(subject.kind, queries);
    for (const { count, counts, ...io } of runs) {
      map.encodeCount(encoder, { ...asked, counts, count: word(count) });
      map.encodeRetrieve(encoder, { ...io, ...asked, count: word(count), capacity: ROOM });
    }
    gpu.device.queue.submit([encoder.finish()]);
    await map.settle();
    await holdsValues(subject, map, keys.slice(0, used), values.slice(0, used), absent, 'settled');
    for (const run of runs) {
      const what = `${run.count} queries`;
      const part = queries.slice(0, run.count);
      const expected = expectedValues(keys.slice(0, used), values, part);
      equal((await buffers.read(run.total.buffer, 2))[1], expected.values.length, `${what}: total`);
      equalWords(await buffers.read(run.offsets, run.count), expected.offsets.slice(0, -1), `${what}: offsets`);
      const written = Array.from(
        { length: ROOM + 10 },
        (_, i) => (i < ROOM ? expected.values[i] : undefined) ?? 0xabcd,
      );
      equalWords(await buffers.read(run.values, ROOM + 10), written, `${what}: values`);
      equalWords(await buffers.read(run.counts, run.count), countsOf(expected.offsets), `${what}: counts`);
    }
    const again = gpu.device.createCommandEncoder();
    map.encodeRebuild(again, { ...input, count: ITEMS });
    gpu.device.queue.submit([again.finish()]);
    await map.settle();
    await holdsValues(subject, map, keys, values, absent, 'rebuilt');
  }),
  ...forSubjects('a multi-map in a shader', async (gpu, subject) => {
    const { kind } = subject;
    const { keys, absent } = repeatedKeys(kind, 200);
    const values = Float32Array.from({ length: 200 }, (_, i) => i / 8);
    const map = await MultiMap.from(gpu, { keys: kind.host(keys), values }, optionsOf(subject));
    const queries = interleave(keys.slice(0, 90), absent);
    const face = map.wgsl({ name: 'votes', group: 1, ...faceOptions(kind) });
    const words = await runShader(gpu, {
      kind,
      queries,
      tables: [face],
      code: face.code,
      statements: `
  let hit = votes_find(key);
  var sum = 0.0;
  for (var i = hit.start; i < hit.start + hit.count; i++) { sum += votes_value(i); }`,
      answer: 'vec4u(u32(hit.found), hit.count, u32(8.0 * sum), 0u)',
    });
    const positions = positionsOf(keys);
    const expected = queries.map((query) => {
      const at = positions.get(query) ?? [];
      return [Number(at.length > 0), at.length, at.reduce((sum, i) => sum + i, 0), 0];
    });
    equalWords(words, expected.flat(), 'answers');
    map.destroy();
    const host = kind.host(keys);
    for (const call of [() => map.get(host), () => map.count(host), () => map.entries(), () => map.size]) {
      await throwsCode(call, 'destroyed');
    }
  }),
];
