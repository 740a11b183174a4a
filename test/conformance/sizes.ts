import type { ConformanceCase } from './case.ts';
import { keyKinds } from './keyKinds.ts';
import { randomSet, valuesFor } from './keySets.ts';
import { answersLike, holdsExactly, mapOf } from './oracle.ts';
import { forSubjects } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

/** None, the fewest, and as many as fill a workgroup or a subgroup of one, give or take one. */
const SIZES = [0, 1, 2, 63, 64, 65, 255, 256, 257, 2000];

export const sizeCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'a map of any size answers like a Map',
    async (gpu, subject) => {
      for (const size of SIZES) {
        const { present: keys, absent } = randomSet(subject.kind, size, size + 1);
        const values = valuesFor(size);
        using map = await buildMap(gpu, subject, { keys, values });
        await answersLike(subject.kind, map, mapOf(keys, values), absent, `${size} items`);
      }
    },
    { short: true },
  ),
  ...forSubjects('a set of any size answers like a Set', async (gpu, subject) => {
    for (const size of SIZES) {
      const { present, absent } = randomSet(subject.kind, size, size + 1);
      using set = await buildSet(gpu, subject, present);
      await holdsExactly(subject.kind, set, present, absent, `${size} keys`);
    }
  }),
  ...forSubjects(
    '65,536 items',
    async (gpu, subject) => {
      const { present: keys, absent } = randomSet(subject.kind, 65_536);
      const values = valuesFor(keys.length);
      using map = await buildMap(gpu, subject, { keys, values });
      await answersLike(subject.kind, map, mapOf(keys, values), absent, '65,536 items');
    },
    { only: ({ kind }) => kind === keyKinds.u32 || kind === keyKinds.vec3i },
  ),
];
