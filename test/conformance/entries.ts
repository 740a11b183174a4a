/** All entries of a collection in buffers, from which others are built: without the host, in one submission. */
import {
  Aggregate,
  type Construction,
  type EntryBuffers,
  HashMap,
  HashSet,
  KeyIndex,
  MultiMap,
} from '../../src/collections/index.ts';
import type { GpuCount } from '../../src/gpu/index.ts';
import type { Table } from '../../src/table/table.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, throwsCode } from './expect.ts';
import type { Key, KeyKind, Keys } from './keyKinds.ts';
import { randomSet, valuesFor } from './keySets.ts';
import { answersLike, holdsExactly, mapOf, sameEntries } from './oracle.ts';
import { positionsOf, repeatedKeys } from './repeatedKeys.ts';
import { storedKeys } from './storedKeys.ts';
import { forGpuBuilt, forSubjects } from './subjects.ts';
import { buildMap, optionsOf } from './tables.ts';

/** What buffers have in them before. */
const UNTOUCHED = 0xabcd;
/** Entries that a test's buffers have room for beyond those that they must. */
const BEYOND = 4;
const CONSTRUCTIONS: readonly Construction[] = ['table', 'sort'];

/** Buffers for so many entries and a few more, and a word among others that counts them. */
function entryBuffers(buffers: TestBuffers, { type }: KeyKind, capacity: number) {
  const filled = (words: number) => buffers.upload(new Uint32Array(words).fill(UNTOUCHED));
  return {
    keys: filled((capacity + BEYOND) * type.words),
    values: filled(capacity + BEYOND),
    count: { buffer: filled(4), offset: 8 },
  };
}

/** The entries that were written. Throws if anything else was. */
async function entriesIn(buffers: TestBuffers, kind: KeyKind, io: EntryBuffers & { count: GpuCount }, table: Table) {
  const counts = await buffers.read(io.count.buffer, 4);
  const size = counts[2] as number;
  equalWords(counts, [UNTOUCHED, UNTOUCHED, size, UNTOUCHED], 'words around the count');
  const [keyWords, valueWords] = [io.keys.size / 4, io.values.size / 4];
  const [keys, values] = [await buffers.read(io.keys, keyWords), await buffers.read(io.values, valueWords)];
  const used = size * kind.type.words;
  equalWords(keys.subarray(used), new Uint32Array(keyWords - used).fill(UNTOUCHED), 'words behind the keys');
  equalWords(values.subarray(size), new Uint32Array(valueWords - size).fill(UNTOUCHED), 'words behind the values');
  return { keys: await storedKeys(kind, table, keys.slice(0, used)), values: values.slice(0, size), size };
}

const contextOf = (context: GPUBuffer | undefined) => (context ? { context } : {});

/** The same keys where they are numbers already. */
const numbered = (kind: KeyKind): KeyKind => ({ ...kind, numbers: (host) => host as Key[] });

/** The values of every key, in the order of the input. */
const valuesByKey = (keys: Keys, values: ArrayLike<number>): Map<Key, number[]> =>
  new Map([...positionsOf(keys)].map(([key, at]) => [key, at.map((i) => values[i] as number)]));

export const entryCases: readonly ConformanceCase[] = [
  ...forGpuBuilt(
    'a map and a set are built, listed, and built into others in one encoder',
    async (gpu, subject) => {
      const { kind } = subject;
      using buffers = new TestBuffers(gpu);
      for (const [size, later] of [
        [0, 0],
        [1, 0],
        [700, 301],
      ] as const) {
        const options = optionsOf(subject);
        const { present: keys, absent } = randomSet(kind, size, 1);
        const values = valuesFor(size);
        const input = buffers.items(kind, { keys, values });
        const encoder = gpu.device.createCommandEncoder();
        using map = HashMap.encodeBuild(gpu, encoder, { ...input, count: size }, options);
        const first = entryBuffers(buffers, kind, map.keyCapacity);
        map.encodeEntries(encoder, first);
        using copy = HashMap.encodeBuild(gpu, encoder, { ...first, ...contextOf(map.context) }, options);
        // Fewer items, of which the host never hears how many.
        const second = entryBuffers(buffers, kind, map.keyCapacity);
        const word = { buffer: buffers.upload(new Uint32Array([later])) };
        map.encodeRebuild(encoder, { ...input, count: later === 0 ? 0 : word });
        map.encodeEntries(encoder, second);
        using set = HashSet.encodeBuild(gpu, encoder, { ...second, ...contextOf(map.context) }, options);
        const third = entryBuffers(buffers, kind, set.keyCapacity);
        set.encodeKeys(encoder, { keys: third.keys, count: third.count });
        gpu.device.queue.submit([encoder.finish()]);

        for (const made of [map, copy, set]) await made.settle();
        const all = mapOf(keys, values);
        const fewer = mapOf(keys.slice(0, later), values);
        equal(map.keyCapacity >= size, true, 'the capacity');
        sameEntries(numbered(kind), await entriesIn(buffers, kind, first, map.table), all, 'first');
        sameEntries(numbered(kind), await entriesIn(buffers, kind, second, map.table), fewer, 'second');
        await answersLike(kind, copy, all, absent, 'the copy');
        await holdsExactly(kind, set, keys.slice(0, later), absent, 'the set');
        const listed = await buffers.read(third.keys, later * kind.type.words);
        equal(new Set(await storedKeys(kind, set.table, listed)).size, later, 'keys of the set');
        equalWords(await buffers.read(third.values, 1), [UNTOUCHED], 'no values of a set');
      }
    },
    { short: true },
  ),
  ...forSubjects(
    'what is listed on an encoder is what the host reads, whoever built the table',
    async (gpu, subject) => {
      const { kind } = subject;
      using buffers = new TestBuffers(gpu);
      const { present: keys } = randomSet(kind, 400, 3);
      const values = valuesFor(400);
      using map = await buildMap(gpu, subject, { keys, values });
      const io = entryBuffers(buffers, kind, map.keyCapacity);
      const alone = entryBuffers(buffers, kind, map.keyCapacity);
      const encoder = gpu.device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      map.encodeEntries(pass, io);
      map.encodeKeys(pass, { keys: alone.keys, count: alone.count });
      pass.end();
      gpu.device.queue.submit([encoder.finish()]);
      const oracle = mapOf(keys, values);
      sameEntries(numbered(kind), await entriesIn(buffers, kind, io, map.table), oracle, 'entries');
      const listed = await buffers.read(alone.keys, 400 * kind.type.words);
      equal(new Set(await storedKeys(kind, map.table, listed)).size, 400, 'keys alone');
      equalWords(await buffers.read(alone.count.buffer, 4), [UNTOUCHED, UNTOUCHED, 400, UNTOUCHED], 'their count');
    },
  ),
  ...forGpuBuilt('key indexes, multi-maps and aggregates are listed and built into others', async (gpu, subject) => {
    const { kind } = subject;
    const COUNT = 500;
    using buffers = new TestBuffers(gpu);
    const { keys } = repeatedKeys(kind, COUNT);
    const values = valuesFor(COUNT);
    const lists = valuesByKey(keys, values);
    const sums = new Map([...lists].map(([key, list]) => [key, list.reduce((sum, value) => sum + value, 0) >>> 0]));
    for (const construction of CONSTRUCTIONS) {
      for (const count of [0, COUNT]) {
        const options = { ...optionsOf(subject), construction };
        const input = {
          ...buffers.items(kind, { keys, values }),
          count: { buffer: buffers.upload(Uint32Array.of(count)) },
        };
        const encoder = gpu.device.createCommandEncoder();
        using index = KeyIndex.encodeBuild(gpu, encoder, input, options);
        const ofIndex = entryBuffers(buffers, kind, index.keyCapacity);
        const { values: ids, ...io } = ofIndex;
        index.encodeEntries(encoder, { ...io, ids });
        using again = KeyIndex.encodeBuild(gpu, encoder, { ...io, ...contextOf(index.context) }, options);
        using multi = MultiMap.encodeBuild(gpu, encoder, input, options);
        const ofMulti = entryBuffers(buffers, kind, multi.valueCapacity);
        multi.encodeEntries(encoder, ofMulti);
        using manyAgain = MultiMap.encodeBuild(gpu, encoder, { ...ofMulti, ...contextOf(multi.context) }, options);
        using added = Aggregate.encodeBuild(gpu, encoder, input, { ...options, combine: 'sum' });
        const ofSums = entryBuffers(buffers, kind, added.keyCapacity);
        added.encodeEntries(encoder, ofSums);
        const once = { ...ofSums, ...contextOf(added.context) };
        using addedAgain = Aggregate.encodeBuild(gpu, encoder, once, { ...options, combine: 'sum' });
        const alone = entryBuffers(buffers, kind, multi.keyCapacity);
        multi.encodeKeys(encoder, { keys: alone.keys, count: alone.count });
        gpu.device.queue.submit([encoder.finish()]);

        const all = [index, again, multi, manyAgain, added, addedAgain];
        for (const made of all) await made.settle();
        const what = `${count} items, ${construction}`;
        const size = count === 0 ? 0 : lists.size;
        for (const [i, made] of all.entries()) equal(made.size, size, `${what}: size of collection ${i}`);
        const distinct = [...lists.keys()].slice(0, size);

        const indexed = await entriesIn(buffers, kind, ofIndex, index.table);
        equalWords(
          indexed.values,
          Uint32Array.from({ length: size }, (_, id) => id),
          `${what}: ids`,
        );
        equalWords(await index.ids(kind.host(indexed.keys)), indexed.values, `${what}: keys in the order of ids`);
        equalWords(
          kind.numbers(await again.keysOf(await again.ids(kind.host(distinct)))),
          distinct,
          `${what}: ids again`,
        );

        const items = await entriesIn(buffers, kind, ofMulti, multi.table);
        equal(items.size, count, `${what}: number of items`);
        for (const [key, list] of valuesByKey(items.keys, items.values)) {
          equalWords(list, lists.get(key) ?? [], `${what}: values of ${key}`);
        }
        const got = await manyAgain.get(kind.host(distinct));
        for (const [i, key] of distinct.entries())
          equalWords(got[i] as Uint32Array, lists.get(key) ?? [], `${what}: again`);
        const listed = await buffers.read(alone.keys, size * kind.type.words);
        equalWords(
          await multi.index.ids(kind.host(await storedKeys(kind, multi.table, listed))),
          Uint32Array.from({ length: size }, (_, id) => id),
          `${what}: keys of the multi-map`,
        );

        const expected = new Map([...sums].slice(0, size));
        sameEntries(numbered(kind), await entriesIn(buffers, kind, ofSums, added.table), expected, `${what}: sums`);
        sameEntries(kind, await addedAgain.entries(), expected, `${what}: sums again`);
      }
    }
  }),
  ...forGpuBuilt(
    'a build that fails has no entries, and one of too many items those that fit',
    async (gpu, subject) => {
      const { kind } = subject;
      using buffers = new TestBuffers(gpu);
      const items = { keys: [5n, 6n, 5n], values: valuesFor(3) };
      const options = { ...optionsOf(subject), duplicates: 'error' as const };
      const encoder = gpu.device.createCommandEncoder();
      using failed = HashMap.encodeBuild(gpu, encoder, { ...buffers.items(kind, items), count: 3 }, options);
      const none = entryBuffers(buffers, kind, failed.keyCapacity);
      failed.encodeEntries(encoder, none);
      const { present: keys } = randomSet(kind, 100, 1);
      const values = valuesFor(100);
      const tooMany = { buffer: buffers.upload(new Uint32Array([111])) };
      const input = { ...buffers.items(kind, { keys, values }), count: tooMany };
      using clamped = HashMap.encodeBuild(gpu, encoder, input, optionsOf(subject));
      const some = entryBuffers(buffers, kind, clamped.keyCapacity);
      clamped.encodeEntries(encoder, some);
      gpu.device.queue.submit([encoder.finish()]);
      equal((await entriesIn(buffers, kind, none, failed.table)).size, 0, 'entries of a failed build');
      sameEntries(
        numbered(kind),
        await entriesIn(buffers, kind, some, clamped.table),
        mapOf(keys, values),
        'those that fit',
      );
      await throwsCode(failed.settle(), 'duplicate-key', 'settle');
      await throwsCode(() => failed.encodeEntries(encoder, none), 'duplicate-key', 'entries after settle');
    },
  ),
];
