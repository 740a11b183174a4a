import { type Construction, KeyIndex } from '../../src/collections/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, isTrue, throwsCode } from './expect.ts';
import { interleave, type Key, type Keys, randomKeys } from './keySets.ts';
import { REPETITIONS, repeatedKeys } from './repeatedKeys.ts';
import { runShader } from './shaderFace.ts';
import { forSubjects, type Subject } from './subjects.ts';

const CONSTRUCTIONS: readonly Construction[] = ['table', 'sort'];
const NO_ID = 0xffff_ffff;

const optionsOf = ({ kind, make }: Subject, construction: Construction) => ({
  key: kind.type,
  scheme: make(),
  construction,
});

/** Throws unless the ids are those of a two-way index over these keys. */
async function isIndexOf({ kind }: Subject, index: KeyIndex<Keys>, keys: Keys, absent: Keys, what: string) {
  const distinct = new Set<Key>(keys as Iterable<Key>);
  equal(index.size, distinct.size, `${what}: size`);
  equal(index.report.copies, keys.length - distinct.size, `${what}: copies`);
  const ids = await index.ids(keys);
  equal(new Set(ids).size, distinct.size, `${what}: distinct ids`);
  isTrue(
    ids.every((id) => id < distinct.size),
    `${what}: ids are below ${distinct.size}`,
  );
  equalWords<Key>((await index.keysOf(ids)) as ArrayLike<Key>, keys as ArrayLike<Key>, `${what}: keys of the ids`);
  const mixed = await index.ids(interleave(kind, keys, absent.slice(0, keys.length)), { missing: 12_345 });
  for (let i = 0; i < Math.min(keys.length, absent.length); i++) {
    equal(mixed[2 * i], ids[i], `${what}: id of key ${i} among others`);
    equal(mixed[2 * i + 1], 12_345, `${what}: id of an absent key`);
  }
  equalWords(await index.ids(absent), new Uint32Array(absent.length).fill(NO_ID), `${what}: absent keys`);
  const entries = await index.entries();
  equalWords<Key>(
    (await index.keysOf(entries.ids)) as ArrayLike<Key>,
    entries.keys as ArrayLike<Key>,
    `${what}: entries`,
  );
  equal(new Set<Key>(entries.keys as Iterable<Key>).size, distinct.size, `${what}: keys of the entries`);
}

export const keyIndexCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'a key index gives every distinct key an id, and every id its key',
    async (gpu, subject) => {
      for (const construction of CONSTRUCTIONS) {
        for (const count of [0, 1, 2, 700]) {
          const { keys, absent } = repeatedKeys(subject.kind, count);
          using index = await KeyIndex.from(gpu, { keys }, optionsOf(subject, construction));
          await isIndexOf(subject, index, keys, absent, `${count} keys, ${construction}`);
        }
      }
    },
    { short: true },
  ),
  ...forSubjects('a key index of keys that occur once, often, or nearly always, rebuilt', async (gpu, subject) => {
    for (const construction of CONSTRUCTIONS) {
      using index = await KeyIndex.from(gpu, { keys: randomKeys(subject.kind, 40) }, optionsOf(subject, construction));
      for (const repetition of Object.keys(REPETITIONS) as (keyof typeof REPETITIONS)[]) {
        const { keys, absent } = repeatedKeys(subject.kind, 1500, repetition);
        equal(await index.rebuild({ keys }), index, 'rebuild returns the index');
        await isIndexOf(subject, index, keys, absent, `${repetition}, ${construction}`);
      }
      const { keys, absent } = repeatedKeys(subject.kind, 30, 'some', 5);
      await index.rebuild({ keys });
      await isIndexOf(subject, index, keys, absent, `fewer keys, ${construction}`);
    }
  }),
  ...forSubjects('a key index is built and rebuilt on an encoder, with counts on the GPU', async (gpu, subject) => {
    const MAX = 600;
    using buffers = new TestBuffers(gpu);
    const { keys, absent } = repeatedKeys(subject.kind, MAX);
    const input = buffers.upload(keys);
    for (const construction of CONSTRUCTIONS) {
      const on = (count: number) => ({ buffer: buffers.upload(new Uint32Array([7, count])), offset: 4 });
      const encoder = gpu.device.createCommandEncoder();
      const source = { keys: input, count: on(MAX) };
      using index = KeyIndex.encodeBuild(gpu, encoder, source, optionsOf(subject, construction));
      gpu.device.queue.submit([encoder.finish()]);
      await index.settle();
      await isIndexOf(subject, index, keys, absent, `encoded, ${construction}`);
      for (const count of [0, 1, 257]) {
        const again = gpu.device.createCommandEncoder();
        index.encodeRebuild(again, { keys: input, count: on(count) });
        const io = { queries: input, ids: buffers.words(MAX), found: buffers.words(MAX), count: on(MAX) };
        index.encodeIds(again, io);
        const back = { ids: io.ids, keys: buffers.words(MAX * subject.kind.type.words), count: on(count) };
        index.encodeKeysOf(again, back);
        gpu.device.queue.submit([again.finish()]);
        await index.settle();
        await isIndexOf(subject, index, keys.slice(0, count), absent, `${count} keys, ${construction}`);
        const size = (await buffers.read(index.sizeOnGpu.buffer, 1))[0];
        equal(size, index.size, 'the size on the GPU');
        const words = new Uint32Array(keys.slice(0, count).buffer);
        equalWords(await buffers.read(back.keys, words.length), words, 'keys of the ids on the GPU');
        equalWords(await buffers.read(io.ids, count), await index.ids(keys.slice(0, count)), 'ids on the GPU');
      }
      const over = gpu.device.createCommandEncoder();
      index.encodeRebuild(over, { keys: input, count: on(MAX + 11) });
      gpu.device.queue.submit([over.finish()]);
      await throwsCode(index.settle(), 'invalid-input', `a count beyond the buffer, ${construction}`);
    }
  }),
  ...forSubjects('a key index in a shader goes both ways', async (gpu, subject) => {
    const { kind } = subject;
    const { keys, absent } = repeatedKeys(kind, 200);
    using index = await KeyIndex.from(gpu, { keys }, { scheme: subject.make() });
    const queries = interleave(kind, keys, absent);
    const face = index.wgsl({ name: 'tags', group: 1 });
    const keyType = kind.bits === 32 ? 'u32' : 'vec2u';
    const code = `
@group(0) @binding(0) var<storage, read> queries: array<${keyType}>;
@group(0) @binding(1) var<storage, read_write> answers: array<vec4u>;
${face.code}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&queries)) { return; }
  let key = queries[id.x];
  let hit = tags_find(key);
  let same = ${kind.bits === 32 ? 'tags_key(hit.value) == key' : 'all(tags_key(hit.value) == key)'};
  answers[id.x] = vec4u(u32(hit.found), hit.value, u32(hit.found && same), 0u);
}`;
    const words = await runShader(gpu, queries, code, [face]);
    const ids = await index.ids(queries);
    for (let i = 0; i < queries.length; i++) {
      const found = ids[i] === NO_ID ? 0 : 1;
      equal(words[4 * i], found, `query ${i} found`);
      if (found) equal(words[4 * i + 1], ids[i], `id of query ${i}`);
      equal(words[4 * i + 2], found, `key of the id of query ${i}`);
    }
  }),
  ...forSubjects('a saved key index opens as it was, and refuses calls once destroyed', async (gpu, subject) => {
    for (const construction of CONSTRUCTIONS) {
      const { keys, absent } = repeatedKeys(subject.kind, 300);
      const index = await KeyIndex.from(gpu, { keys }, optionsOf(subject, construction));
      const bytes = await index.toBytes();
      using opened = await KeyIndex.fromBytes<Keys>(gpu, bytes);
      await isIndexOf(subject, opened, keys, absent, `opened, ${construction}`);
      equalWords(await opened.ids(keys), await index.ids(keys), 'ids');
      equalWords(await opened.toBytes(), bytes, 'saved again');
      const more = repeatedKeys(subject.kind, 500, 'none', 3);
      await opened.rebuild({ keys: more.keys });
      await isIndexOf(subject, opened, more.keys, more.absent, `rebuilt, ${construction}`);
      index.destroy();
      index.destroy();
      for (const call of [() => index.ids(keys), () => index.keysOf(new Uint32Array(1)), () => index.keys()]) {
        await throwsCode(call, 'destroyed');
      }
    }
  }),
];
