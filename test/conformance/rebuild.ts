import type { ConformanceCase } from './case.ts';
import { equal, isTrue, throwsCode } from './expect.ts';
import { type Keys, randomKeys, randomSet, valuesFor } from './keySets.ts';
import { answersLike, holdsExactly, mapOf, sameEntries } from './oracle.ts';
import { forSubjects } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

const FIRST = 500;

export const rebuildCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'a map is rebuilt from fewer, as many and more items',
    async (gpu, subject) => {
      const start = randomSet(subject.kind, FIRST);
      using map = await buildMap(gpu, subject, { keys: start.present, values: valuesFor(FIRST) });
      const { capacitySlots, tableBytes } = map;
      for (const size of [100, FIRST, 0, 1, 257]) {
        const { present: keys, absent } = randomSet(subject.kind, size, size + 2);
        const values = valuesFor(size);
        equal(await map.rebuild({ keys, values }), map, 'rebuild returns the map');
        const what = `rebuilt from ${size} items`;
        await answersLike(subject.kind, map, mapOf(keys, values), absent, what);
        sameEntries(await map.entries(), mapOf(keys, values), what);
        equal(map.capacitySlots, capacitySlots, `${what}: slots`);
        equal(map.tableBytes, tableBytes, `${what}: bytes`);
      }
      const { present: keys, absent } = randomSet(subject.kind, 2000, 3);
      const values = valuesFor(2000);
      await map.rebuild({ keys, values });
      isTrue(map.capacitySlots > capacitySlots, 'the table has grown');
      await answersLike(subject.kind, map, mapOf(keys, values), absent, 'rebuilt from more items');
    },
    { short: true },
  ),
  ...forSubjects('a set is rebuilt from fewer, as many and more keys', async (gpu, subject) => {
    using set = await buildSet(gpu, subject, randomKeys(subject.kind, FIRST));
    for (const size of [100, FIRST, 0, 1, 2000]) {
      const { present, absent } = randomSet(subject.kind, size, size + 2);
      await set.rebuild({ keys: present });
      await holdsExactly(subject.kind, set, present, absent, `rebuilt from ${size} keys`);
    }
  }),
  ...forSubjects('after a failed rebuild a table says so until it is rebuilt', async (gpu, subject) => {
    const { kind } = subject;
    const keys = randomKeys(kind, FIRST);
    const values = valuesFor(FIRST);
    using map = await buildMap(gpu, subject, { keys, values }, { duplicates: 'error' });
    const copies = kind.from([1n, 2n, 1n]);
    await throwsCode(map.rebuild({ keys: copies, values: valuesFor(3) }), 'duplicate-key', 'the rebuild');
    await throwsCode(map.get(keys), 'duplicate-key', 'get');
    await throwsCode(map.entries(), 'duplicate-key', 'entries');
    await throwsCode(map.toBytes(), 'duplicate-key', 'toBytes');
    await map.rebuild({ keys, values });
    await answersLike(kind, map, mapOf(keys, values), kind.from([1n, 2n]), 'rebuilt after a failure');
  }),
  ...forSubjects('a rebuild that is refused changes nothing', async (gpu, subject) => {
    const keys = randomKeys(subject.kind, FIRST);
    const values = valuesFor(FIRST);
    using map = await buildMap(gpu, subject, { keys, values });
    await throwsCode(map.rebuild({ keys, values: valuesFor(FIRST - 1) }), 'invalid-input', 'too few values');
    await throwsCode(
      map.rebuild({ keys: [1, 2] as unknown as Keys, values: valuesFor(2) }),
      'invalid-input',
      'no keys',
    );
    await throwsCode(
      map.rebuild({ keys, values: new Float32Array(FIRST) as unknown as Uint32Array }),
      'invalid-input',
      'values of another type',
    );
    await answersLike(subject.kind, map, mapOf(keys, values), randomKeys(subject.kind, 9, 2), 'after refusals');
  }),
];
