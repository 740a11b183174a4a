import type { ConformanceCase } from './case.ts';
import { equalWords, isTrue } from './expect.ts';
import type { Key } from './keyKinds.ts';
import { randomKeys, valuesFor } from './keySets.ts';
import { mapOf, sameEntries } from './oracle.ts';
import { forSubjects } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

const sorted = (keys: Iterable<Key>): Key[] => [...keys].sort((a, b) => (a < b ? -1 : 1));

export const contentsCases: readonly ConformanceCase[] = [
  ...forSubjects('keys, values and entries are those that went in', async (gpu, subject) => {
    const { kind } = subject;
    for (const size of [0, 1, 2, 300]) {
      const random = randomKeys(kind, size, size + 1);
      for (const ends of [[], [0n, kind.allOnes]]) {
        // Every key twice.
        const keys = [...random, ...ends, ...random, ...ends];
        const values = valuesFor(keys.length);
        const oracle = mapOf(keys, values);
        const what = `${keys.length} items${ends.length > 0 ? ' with 0 and all ones' : ''}`;
        using map = await buildMap(gpu, subject, { keys, values });
        sameEntries(kind, await map.entries(), oracle, what);
        equalWords(sorted(kind.numbers(await map.keys())), sorted(oracle.keys()), `${what}: keys`);
        equalWords((await map.values()).sort(), Uint32Array.from(oracle.values()).sort(), `${what}: values`);
        using set = await buildSet(gpu, subject, keys);
        const inSet = await set.keys();
        isTrue(kind.type.accepts(inSet), 'they have the type of the keys');
        equalWords(sorted(kind.numbers(inSet)), sorted(oracle.keys()), `${what}: keys of the set`);
      }
    }
  }),
];
