import { HashMap, HashSet } from '../../src/collections/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equalWords, throwsCode } from './expect.ts';
import { randomKeys, randomSet, valuesFor } from './keySets.ts';
import { answersLike, holdsExactly, mapOf } from './oracle.ts';
import { forSubjects } from './subjects.ts';
import { optionsOf } from './tables.ts';

export const callersBufferCases: readonly ConformanceCase[] = [
  ...forSubjects("a caller's buffers are only read, and stay the caller's", async (gpu, subject) => {
    const { kind } = subject;
    const { present: keys, absent } = randomSet(kind, 700);
    const values = valuesFor(700);
    const [count, options] = [600, optionsOf(subject)];
    const expected = mapOf(keys.slice(0, count), values.slice(0, count));
    using buffers = new TestBuffers(gpu);
    const input = { ...buffers.items(subject.kind, { keys, values }), count };

    const map = await HashMap.from(gpu, input, options);
    using set = await HashSet.from(gpu, input, options);
    await answersLike(kind, map, expected, keys.slice(count), 'built from buffers');
    await holdsExactly(kind, set, keys.slice(0, count), absent, 'built from buffers');
    await map.rebuild(input);
    map.destroy();
    const { words } = kind.type.encode(kind.host(keys));
    equalWords(await buffers.read(input.keys, words.length), words, 'keys afterwards');
    equalWords(await buffers.read(input.values, 700), values, 'values afterwards');

    const other = buffers.items(subject.kind, { keys, values });
    using mapOfOther = await HashMap.from(gpu, { ...other, count }, options);
    for (const buffer of Object.values(other)) buffer.destroy();
    await answersLike(kind, mapOfOther, expected, absent, 'after the input was destroyed');
  }),
  ...forSubjects('arrays and buffers may be mixed', async (gpu, subject) => {
    const keys = randomKeys(subject.kind, 300);
    const values = valuesFor(300);
    using buffers = new TestBuffers(gpu);
    const input = buffers.items(subject.kind, { keys, values });
    const options = optionsOf(subject);
    const absent = randomKeys(subject.kind, 9, 2);
    using a = await HashMap.from(gpu, { keys: subject.kind.host(keys), values: input.values }, options);
    await answersLike(subject.kind, a, mapOf(keys, values), absent, 'keys in an array');
    using b = await HashMap.from(gpu, { ...input, values, count: 300 }, options);
    await answersLike(subject.kind, b, mapOf(keys, values), absent, 'values in an array');
  }),
  ...forSubjects('a destroyed input buffer is an error, and the GPU goes on', async (gpu, subject) => {
    const keys = randomKeys(subject.kind, 300);
    const values = valuesFor(300);
    const options = optionsOf(subject);
    using buffers = new TestBuffers(gpu);
    const input = { ...buffers.items(subject.kind, { keys, values }), count: 300 };
    input.keys.destroy();
    await throwsCode(HashMap.from(gpu, input, options), 'gpu-fault', 'a destroyed buffer of keys');
    using map = await HashMap.from(gpu, { keys: subject.kind.host(keys), values }, options);
    await answersLike(subject.kind, map, mapOf(keys, values), randomKeys(subject.kind, 9, 2), 'built from arrays');
  }),
  ...forSubjects('buffers of no items may be small', async (gpu, subject) => {
    const options = optionsOf(subject);
    using buffers = new TestBuffers(gpu);
    const tiny = gpu.device.createBuffer({ size: 4, usage: 0x80 });
    const context = subject.kind.type.access('input').context && { context: tiny };
    using map = await HashMap.from(gpu, { keys: tiny, values: tiny, count: 0, ...context }, options);
    const queries = randomKeys(subject.kind, 9);
    await answersLike(subject.kind, map, new Map(), queries, 'no items');
    const encoder = gpu.device.createCommandEncoder();
    map.encodeGet(encoder, { queries: tiny, values: buffers.words(1), count: 0, ...context });
    if (!subject.isHostBuilt) {
      const input = { keys: tiny, values: buffers.words(1), count: 0, ...context };
      using encoded = HashMap.encodeBuild(gpu, encoder, input, options);
      gpu.device.queue.submit([encoder.finish()]);
      await encoded.settle();
      await answersLike(subject.kind, encoded, new Map(), queries, 'no items, encoded');
    }
    tiny.destroy();
  }),
];
