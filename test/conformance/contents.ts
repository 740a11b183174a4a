import type { ConformanceCase } from './case.ts';
import { equal, equalWords } from './expect.ts';
import { type Key, randomKeys, valuesFor } from './keySets.ts';
import { mapOf, sameEntries } from './oracle.ts';
import { forSubjects } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

const sorted = (keys: Iterable<Key>): Key[] => [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

export const contentsCases: readonly ConformanceCase[] = [
  ...forSubjects('keys, values and entries are those that went in', async (gpu, subject) => {
    const { kind } = subject;
    for (const size of [0, 1, 2, 300]) {
      const random = Array.from(randomKeys(kind, size, size + 1) as ArrayLike<Key>, BigInt);
      for (const ends of [[], [0n, kind.allOnes]]) {
        // Every key twice.
        const keys = kind.from([...random, ...ends, ...random, ...ends]);
        const values = valuesFor(keys.length);
        const oracle = mapOf(keys, values);
        const what = `${keys.length} items${ends.length > 0 ? ' with 0 and all ones' : ''}`;
        using map = await buildMap(gpu, subject, { keys, values });
        sameEntries(await map.entries(), oracle, what);
        equalWords(sorted((await map.keys()) as Iterable<Key>), sorted(oracle.keys()), `${what}: keys`);
        equalWords((await map.values()).sort(), Uint32Array.from(oracle.values()).sort(), `${what}: values`);
        using set = await buildSet(gpu, subject, keys);
        const inSet = await set.keys();
        equal(inSet.constructor, keys.constructor, 'type of the keys');
        equalWords(sorted(inSet as Iterable<Key>), sorted(oracle.keys()), `${what}: keys of the set`);
      }
    }
  }),
];
