import { HashMap, HashSet } from '../../src/collections/index.ts';
import { Gpu } from '../../src/gpu/index.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, throwsCode } from './expect.ts';
import { randomSet, valuesFor } from './keySets.ts';
import { answersLike, holdsExactly, mapOf, sameEntries } from './oracle.ts';
import { forSubjects } from './subjects.ts';
import { buildMap, buildSet, namesOf } from './tables.ts';

export const savingCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'a saved map opens as it was',
    async (gpu, subject) => {
      for (const size of [0, 1, 500]) {
        const { present: keys, absent } = randomSet(subject.kind, size, size);
        const values = valuesFor(size);
        using map = await buildMap(gpu, subject, { keys, values }, { duplicates: 'first', seed: 77 });
        const bytes = await map.toBytes();
        using opened = await HashMap.fromBytes(gpu, bytes, namesOf(subject));
        await answersLike(subject.kind, opened, mapOf(keys, values), absent, `${size} items, opened`);
        for (const name of ['capacitySlots', 'tableBytes', 'loadFactor', 'size'] as const) {
          equal(opened[name], map[name], name);
        }
        equal(opened.report.seed, 77, 'seed');
        // The bytes know their types as well as the caller does, where these are built in.
        equal(opened.value.name, 'u32', 'value type');
        equal(opened.key.name, subject.kind.name, 'key type');
        equal(opened.scheme.name, map.scheme.name, 'scheme');
        equalWords(await opened.toBytes(), bytes, 'saved again');
      }
    },
    { short: true },
  ),
  ...forSubjects('a saved set opens as it was', async (gpu, subject) => {
    const { present, absent } = randomSet(subject.kind, 500);
    using set = await buildSet(gpu, subject, present);
    const bytes = await set.toBytes();
    // Not every reader of files returns bytes that begin at a whole word.
    const shifted = new Uint8Array(bytes.length + 1).subarray(1);
    shifted.set(bytes);
    using opened = await HashSet.fromBytes(gpu, shifted, namesOf(subject));
    await holdsExactly(subject.kind, opened, present, absent, 'opened');
    await throwsCode(HashMap.fromBytes(gpu, bytes, namesOf(subject)), 'bad-format', 'a set opened as a map');
  }),
  ...forSubjects('a table that was rebuilt, or opened and then rebuilt, is saved as it is', async (gpu, subject) => {
    const { kind } = subject;
    const first = randomSet(kind, 500);
    const second = randomSet(kind, 120, 2);
    const third = randomSet(kind, 900, 3);
    using map = await buildMap(gpu, subject, { keys: first.present, values: valuesFor(500) });
    await map.rebuild({ keys: kind.host(second.present), values: valuesFor(120) });
    using opened = await HashMap.fromBytes(gpu, await map.toBytes(), namesOf(subject));
    sameEntries(kind, await opened.entries(), mapOf(second.present, valuesFor(120)), 'opened');
    await opened.rebuild({ keys: kind.host(third.present), values: valuesFor(900) });
    using again = await HashMap.fromBytes(gpu, await opened.toBytes(), namesOf(subject));
    await answersLike(kind, again, mapOf(third.present, valuesFor(900)), third.absent, 'rebuilt, saved, opened');
  }),
  ...forSubjects('a saved table opens on another GPU with lower limits', async (gpu, subject) => {
    using other = await Gpu.open({ limits: 'default' });
    const { present: keys, absent } = randomSet(subject.kind, 300);
    const values = valuesFor(300);
    using map = await buildMap(gpu, subject, { keys, values });
    using opened = await HashMap.fromBytes(other, await map.toBytes(), namesOf(subject));
    await answersLike(subject.kind, opened, mapOf(keys, values), absent, 'opened');
  }),
  ...forSubjects('an altered or missing byte is noticed', async (gpu, subject) => {
    const names = namesOf(subject);
    const { present: keys } = randomSet(subject.kind, 20);
    using map = await buildMap(gpu, subject, { keys, values: valuesFor(20) });
    const bytes = await map.toBytes();
    // Some tables of few keys are long.
    const step = Math.max(7, Math.floor(bytes.length / 200));
    for (let at = 0; at < bytes.length; at += at < 16 || at > bytes.length - 8 ? 1 : step) {
      const altered = bytes.slice();
      altered[at] = (altered[at] as number) ^ (1 << (at % 8));
      await throwsCode(HashMap.fromBytes(gpu, altered, names), 'bad-format', `byte ${at} altered`);
    }
    for (const length of [0, 1, 4, 11, 12, 15, 16, 100, bytes.length >> 1, bytes.length - 1]) {
      await throwsCode(HashMap.fromBytes(gpu, bytes.slice(0, length), names), 'bad-format', `cut off at ${length}`);
    }
    const longer = new Uint8Array(bytes.length + 4);
    longer.set(bytes);
    await throwsCode(HashMap.fromBytes(gpu, longer, names), 'bad-format', 'bytes added');
    await throwsCode(HashSet.fromBytes(gpu, bytes, names), 'bad-format', 'a map opened as a set');
  }),
];
