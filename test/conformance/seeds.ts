import type { ConformanceCase } from './case.ts';
import { equal, equalWords, isTrue, throwsCode } from './expect.ts';
import { interleave, randomSet, valuesFor } from './keySets.ts';
import { forSubjects } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

export const seedCases: readonly ConformanceCase[] = [
  ...forSubjects('the same seed gives the same function and the same answers', async (gpu, subject) => {
    const { present, absent } = randomSet(subject.kind, 500);
    const keys = [...present, ...present];
    const values = valuesFor(keys.length);
    const queries = subject.kind.host(interleave(present, absent));
    for (const seed of [0, 1, 0xffff_ffff]) {
      using a = await buildMap(gpu, subject, { keys, values }, { seed });
      using b = await buildMap(gpu, subject, { keys, values }, { seed });
      equal(a.report.seed, seed, 'seed');
      // Where invocations race, one of them may need another attempt; the constants of each attempt are still the same.
      if (a.report.attempts === b.report.attempts) {
        equalWords(a.table.state.header.hash, b.table.state.header.hash, 'constants');
      }
      const [answerA, answerB] = [await a.get(queries), await b.get(queries)];
      equalWords(answerA.values, answerB.values, 'values');
      equalWords(answerA.found, answerB.found, 'found');
    }
  }),
  ...forSubjects('without a seed every table draws its own', async (gpu, subject) => {
    const { present } = randomSet(subject.kind, 10);
    const functions = new Set<string>();
    for (let i = 0; i < 4; i++) {
      using set = await buildSet(gpu, subject, present);
      functions.add(set.table.state.header.hash.join());
      equal(set.report.seed, undefined, 'seed');
    }
    // On the host there may be a table that needs no constants.
    isTrue(functions.size > 1 || subject.isHostBuilt, 'four tables do not all have the same function');
    for (const seed of [-1, 0.5, 2 ** 32, Number.NaN]) {
      await throwsCode(buildSet(gpu, subject, present, { seed }), 'invalid-input', `seed ${seed}`);
    }
  }),
];
