import { type Construction, KeyIndex } from '../../src/collections/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, isTrue, throwsCode } from './expect.ts';
import type { Keys } from './keyKinds.ts';
import { interleave, randomKeys } from './keySets.ts';
import { REPETITIONS, repeatedKeys } from './repeatedKeys.ts';
import { storedKeys } from './storedKeys.ts';
import { forGpuBuilt, forSubjects, type Subject } from './subjects.ts';
import { optionsOf } from './tables.ts';
import { faceOptions, runShader } from './userShader.ts';

const CONSTRUCTIONS: readonly Construction[] = ['table', 'sort'];
const NO_ID = 0xffff_ffff;

const indexOptions = (subject: Subject, construction: Construction) => ({ ...optionsOf(subject), construction });

/** Throws unless the ids are those of a two-way index over these keys. */
async function isIndexOf({ kind }: Subject, index: KeyIndex<unknown>, keys: Keys, absent: Keys, what: string) {
  const distinct = new Set(keys);
  equal(index.size, distinct.size, `${what}: size`);
  equal(index.report.copies, keys.length - distinct.size, `${what}: copies`);
  const ids = await index.ids(kind.host(keys));
  equal(new Set(ids).size, distinct.size, `${what}: distinct ids`);
  isTrue(
    ids.every((id) => id < distinct.size),
    `${what}: ids are below ${distinct.size}`,
  );
  equalWords(kind.numbers(await index.keysOf(ids)), keys, `${what}: keys of the ids`);
  const mixed = await index.ids(kind.host(interleave(keys, absent.slice(0, keys.length))), { missing: 12_345 });
  for (let i = 0; i < Math.min(keys.length, absent.length); i++) {
    equal(mixed[2 * i], ids[i], `${what}: id of key ${i} among others`);
    equal(mixed[2 * i + 1], 12_345, `${what}: id of an absent key`);
  }
  const noIds = new Uint32Array(absent.length).fill(NO_ID);
  equalWords(await index.ids(kind.host(absent)), noIds, `${what}: absent keys`);
  const entries = await index.entries();
  const entryKeys = kind.numbers(entries.keys);
  equalWords(kind.numbers(await index.keysOf(entries.ids)), entryKeys, `${what}: entries`);
  equal(new Set(entryKeys).size, distinct.size, `${what}: keys of the entries`);
}

/** Throws unless the index knows its items as a plain loop does. */
async function knowsItems({ kind }: Subject, index: KeyIndex<unknown>, keys: Keys, what: string) {
  const ids = await index.ids(kind.host(keys));
  equalWords(await index.idsOfItems(), ids, `${what}: ids of the items`);
  const firsts = new Uint32Array(new Set(keys).size).fill(NO_ID);
  ids.forEach((id, i) => {
    firsts[id] = Math.min(firsts[id] as number, i);
  });
  equalWords(await index.firstItems(), firsts, `${what}: the first item of every key`);
  // By the order of the input, or by the order of the keys.
  if (index.construction === 'table') equalWords(firsts, firsts.slice().sort(), `${what}: ids follow the input`);
  return ids;
}

export const keyIndexCases: readonly ConformanceCase[] = [
  ...forSubjects('a key index gives the same ids every time, and knows its items', async (gpu, subject) => {
    const { kind } = subject;
    for (const construction of CONSTRUCTIONS) {
      const options = { ...indexOptions(subject, construction), keepItems: true };
      for (const count of [0, 1, 2, 700]) {
        const { keys } = repeatedKeys(kind, count);
        const what = `${count} keys, ${construction}`;
        using index = await KeyIndex.from(gpu, { keys: kind.host(keys) }, { ...options, seed: 5 });
        const ids = await knowsItems(subject, index, keys, what);
        using again = await KeyIndex.from(gpu, { keys: kind.host(keys) }, options);
        equalWords(await again.ids(kind.host(keys)), ids, `${what}: ids of another build`);
        const fewer = keys.slice(0, Math.ceil(count / 3));
        await index.rebuild({ keys: kind.host(fewer) });
        await knowsItems(subject, index, fewer, `${what}, rebuilt`);
      }
    }
  }),
  ...forSubjects(
    'a key index gives every distinct key an id, and every id its key',
    async (gpu, subject) => {
      for (const construction of CONSTRUCTIONS) {
        for (const count of [0, 1, 2, 700]) {
          const { keys, absent } = repeatedKeys(subject.kind, count);
          using index = await KeyIndex.from(
            gpu,
            { keys: subject.kind.host(keys) },
            indexOptions(subject, construction),
          );
          await isIndexOf(subject, index, keys, absent, `${count} keys, ${construction}`);
        }
      }
    },
    { short: true },
  ),
  ...forSubjects('a key index of keys that occur once, often, or nearly always, rebuilt', async (gpu, subject) => {
    const { host } = subject.kind;
    for (const construction of CONSTRUCTIONS) {
      const first = { keys: host(randomKeys(subject.kind, 40)) };
      using index = await KeyIndex.from(gpu, first, indexOptions(subject, construction));
      for (const repetition of Object.keys(REPETITIONS) as (keyof typeof REPETITIONS)[]) {
        const { keys, absent } = repeatedKeys(subject.kind, 1500, repetition);
        equal(await index.rebuild({ keys: host(keys) }), index, 'rebuild returns the index');
        await isIndexOf(subject, index, keys, absent, `${repetition}, ${construction}`);
      }
      const { keys, absent } = repeatedKeys(subject.kind, 30, 'some', 5);
      await index.rebuild({ keys: host(keys) });
      await isIndexOf(subject, index, keys, absent, `fewer keys, ${construction}`);
    }
  }),
  ...forGpuBuilt('a key index is built and rebuilt on an encoder, with counts on the GPU', async (gpu, subject) => {
    const MAX = 600;
    const { kind } = subject;
    using buffers = new TestBuffers(gpu);
    const { keys, absent } = repeatedKeys(subject.kind, MAX);
    const input = buffers.keys(kind, keys);
    const queries = buffers.queries(kind, keys);
    for (const construction of CONSTRUCTIONS) {
      const on = (count: number) => ({ buffer: buffers.upload(new Uint32Array([7, count])), offset: 4 });
      const encoder = gpu.device.createCommandEncoder();
      const source = { ...input, count: on(MAX) };
      using index = KeyIndex.encodeBuild(gpu, encoder, source, indexOptions(subject, construction));
      gpu.device.queue.submit([encoder.finish()]);
      await index.settle();
      await isIndexOf(subject, index, keys, absent, `encoded, ${construction}`);
      for (const count of [0, 1, 257]) {
        const again = gpu.device.createCommandEncoder();
        index.encodeRebuild(again, { ...input, count: on(count) });
        const io = { ...queries, ids: buffers.words(MAX), found: buffers.words(MAX), count: on(MAX) };
        index.encodeIds(again, io);
        const back = { ids: io.ids, keys: buffers.words(MAX * kind.type.words), count: on(count) };
        index.encodeKeysOf(again, back);
        gpu.device.queue.submit([again.finish()]);
        await index.settle();
        await isIndexOf(subject, index, keys.slice(0, count), absent, `${count} keys, ${construction}`);
        const size = (await buffers.read(index.sizeOnGpu.buffer, 1))[0];
        equal(size, index.size, 'the size on the GPU');
        const used = keys.slice(0, count);
        const words = await buffers.read(back.keys, count * kind.type.words);
        equalWords(await storedKeys(kind, index.table, words), used, 'keys of the ids on the GPU');
        equalWords(await buffers.read(io.ids, count), await index.ids(kind.host(used)), 'ids on the GPU');
      }
      const over = gpu.device.createCommandEncoder();
      index.encodeRebuild(over, { ...input, count: on(MAX + 11) });
      gpu.device.queue.submit([over.finish()]);
      await throwsCode(index.settle(), 'invalid-input', `a count beyond the buffer, ${construction}`);
    }
  }),
  ...forSubjects('a key index in a shader goes both ways', async (gpu, subject) => {
    const { kind } = subject;
    const { keys, absent } = repeatedKeys(kind, 200);
    using index = await KeyIndex.from(gpu, { keys: kind.host(keys) }, optionsOf(subject));
    const queries = interleave(keys, absent);
    const face = index.wgsl({ name: 'tags', group: 1, ...faceOptions(kind) });
    // Strings come back as slices of the index's own bytes: there only the length can be compared.
    const [back, given] = face.code.includes('TableSlice')
      ? ['tags_key(hit.value).y', 'key.y']
      : ['tags_key(hit.value)', 'key'];
    const words = await runShader(gpu, {
      kind,
      queries,
      tables: [face],
      code: face.code,
      statements: 'let hit = tags_find(key);',
      answer: `vec4u(u32(hit.found), hit.value, u32(hit.found && all(${back} == ${given})), 0u)`,
    });
    const ids = await index.ids(kind.host(queries));
    for (let i = 0; i < queries.length; i++) {
      const found = ids[i] === NO_ID ? 0 : 1;
      equal(words[4 * i], found, `query ${i} found`);
      if (found) equal(words[4 * i + 1], ids[i], `id of query ${i}`);
      equal(words[4 * i + 2], found, `key of the id of query ${i}`);
    }
  }),
  ...forSubjects('a saved key index opens as it was, and refuses calls once destroyed', async (gpu, subject) => {
    for (const construction of CONSTRUCTIONS) {
      const { host } = subject.kind;
      const { keys, absent } = repeatedKeys(subject.kind, 300);
      const index = await KeyIndex.from(gpu, { keys: host(keys) }, indexOptions(subject, construction));
      const bytes = await index.toBytes();
      using opened = await KeyIndex.fromBytes(gpu, bytes, { key: subject.kind.type, scheme: subject.make() });
      await isIndexOf(subject, opened, keys, absent, `opened, ${construction}`);
      equalWords(await opened.ids(host(keys)), await index.ids(host(keys)), 'ids');
      equalWords(await opened.toBytes(), bytes, 'saved again');
      const more = repeatedKeys(subject.kind, 500, 'none', 3);
      await opened.rebuild({ keys: host(more.keys) });
      await isIndexOf(subject, opened, more.keys, more.absent, `rebuilt, ${construction}`);
      index.destroy();
      index.destroy();
      for (const call of [() => index.ids(host(keys)), () => index.keysOf(new Uint32Array(1)), () => index.keys()]) {
        await throwsCode(call, 'destroyed');
      }
    }
  }),
];
