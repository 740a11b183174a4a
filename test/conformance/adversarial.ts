import type { ConformanceCase } from './case.ts';
import { equal, isTrue } from './expect.ts';
import { adversarialSets, valuesFor } from './keySets.ts';
import { answersLike, holdsExactly, mapOf } from './oracle.ts';
import { forSubjects, takesLoad } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

const COUNT = 2000;

export const adversarialCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'maps of keys with a pattern',
    async (gpu, subject) => {
      for (const { name, present: keys, absent } of adversarialSets(subject.kind, COUNT)) {
        const values = valuesFor(keys.length);
        using map = await buildMap(gpu, subject, { keys, values });
        await answersLike(subject.kind, map, mapOf(keys, values), absent, name);
      }
    },
    { short: true },
  ),
  ...forSubjects('sets of keys with a pattern', async (gpu, subject) => {
    for (const { name, present, absent } of adversarialSets(subject.kind, COUNT)) {
      using set = await buildSet(gpu, subject, present);
      await holdsExactly(subject.kind, set, present, absent, name);
    }
  }),
  ...forSubjects(
    'keys with a pattern probe no longer than random ones',
    async (gpu, subject) => {
      for (const { name, present } of adversarialSets(subject.kind, COUNT)) {
        using set = await buildSet(gpu, subject, present, { loadFactor: 0.5, seed: 7 });
        equal(set.report.attempts, 1, `${name}: attempts`);
        const { average } = (await set.stats()).present;
        // Half full, linear probing takes 1.5 probes on average, the others fewer.
        isTrue(average < 1.75, `${name}: ${average} probes are close to 1.5`);
      }
    },
    { only: takesLoad },
  ),
  ...forSubjects('0 and all ones are keys like any other', async (gpu, subject) => {
    const { kind } = subject;
    const ends = [0n, kind.allOnes];
    const bulk = Array.from({ length: 100 }, (_, i) => BigInt(i) * 12_345n + 1n);
    for (const chosen of [[], [0n], [kind.allOnes], ends]) {
      const keys = [...bulk.slice(0, 50), ...chosen, ...bulk.slice(50)];
      const absent = ends.filter((key) => !chosen.includes(key));
      const values = valuesFor(keys.length, 50);
      const what = `with ${chosen.join(' and ') || 'neither'}`;
      using map = await buildMap(gpu, subject, { keys, values });
      await answersLike(kind, map, mapOf(keys, values), absent, what);
      using set = await buildSet(gpu, subject, keys);
      await holdsExactly(kind, set, keys, absent, what);
    }
  }),
];
