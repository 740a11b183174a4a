import type { ConformanceCase } from './case.ts';
import { equal, isTrue, throwsCode } from './expect.ts';
import { randomKeys, randomSet, valuesFor } from './keySets.ts';
import { answersLike, holdsExactly, mapOf, sameEntries } from './oracle.ts';
import { forSubjects } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

const FIRST = 500;

export const rebuildCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'a map is rebuilt from fewer, as many and more items',
    async (gpu, subject) => {
      const { host } = subject.kind;
      const start = randomSet(subject.kind, FIRST);
      // A seed, because with bad luck a table grows, and then it has more slots.
      using map = await buildMap(gpu, subject, { keys: start.present, values: valuesFor(FIRST) }, { seed: 2009 });
      const { capacitySlots, tableBytes } = map;
      const hasContext = map.table.buffers.context !== undefined;
      for (const size of [100, FIRST, 0, 1, 257]) {
        const { present: keys, absent } = randomSet(subject.kind, size, size + 2);
        const values = valuesFor(size);
        equal(await map.rebuild({ keys: host(keys), values }), map, 'rebuild returns the map');
        const what = `rebuilt from ${size} items`;
        await answersLike(subject.kind, map, mapOf(keys, values), absent, what);
        sameEntries(subject.kind, await map.entries(), mapOf(keys, values), what);
        equal(map.capacitySlots, capacitySlots, `${what}: slots`);
        // Of strings as many bytes are kept as the longest took together.
        if (!hasContext) equal(map.tableBytes, tableBytes, `${what}: bytes`);
      }
      const { present: keys, absent } = randomSet(subject.kind, 2000, 3);
      const values = valuesFor(2000);
      await map.rebuild({ keys: host(keys), values });
      isTrue(map.capacitySlots > capacitySlots, 'the table has grown');
      await answersLike(subject.kind, map, mapOf(keys, values), absent, 'rebuilt from more items');
    },
    { short: true },
  ),
  ...forSubjects('a set is rebuilt from fewer, as many and more keys', async (gpu, subject) => {
    using set = await buildSet(gpu, subject, randomKeys(subject.kind, FIRST));
    for (const size of [100, FIRST, 0, 1, 2000]) {
      const { present, absent } = randomSet(subject.kind, size, size + 2);
      await set.rebuild({ keys: subject.kind.host(present) });
      await holdsExactly(subject.kind, set, present, absent, `rebuilt from ${size} keys`);
    }
  }),
  ...forSubjects('after a failed rebuild a table says so until it is rebuilt', async (gpu, subject) => {
    const { kind } = subject;
    const keys = randomKeys(kind, FIRST);
    const values = valuesFor(FIRST);
    using map = await buildMap(gpu, subject, { keys, values }, { duplicates: 'error' });
    const copies = kind.host([1n, 2n, 1n]);
    await throwsCode(map.rebuild({ keys: copies, values: valuesFor(3) }), 'duplicate-key', 'the rebuild');
    await throwsCode(map.get(kind.host(keys)), 'duplicate-key', 'get');
    await throwsCode(map.entries(), 'duplicate-key', 'entries');
    await throwsCode(map.toBytes(), 'duplicate-key', 'toBytes');
    await map.rebuild({ keys: kind.host(keys), values });
    await answersLike(kind, map, mapOf(keys, values), [1n, 2n], 'rebuilt after a failure');
  }),
  ...forSubjects('a rebuild that is refused changes nothing', async (gpu, subject) => {
    const keys = randomKeys(subject.kind, FIRST);
    const values = valuesFor(FIRST);
    using map = await buildMap(gpu, subject, { keys, values });
    const host = subject.kind.host(keys);
    await throwsCode(map.rebuild({ keys: host, values: valuesFor(FIRST - 1) }), 'invalid-input', 'too few values');
    await throwsCode(map.rebuild({ keys: 12 as never, values: valuesFor(2) }), 'invalid-input', 'no keys');
    await throwsCode(
      map.rebuild({ keys: host, values: new Float32Array(FIRST) as unknown as Uint32Array }),
      'invalid-input',
      'values of another type',
    );
    await answersLike(subject.kind, map, mapOf(keys, values), randomKeys(subject.kind, 9, 2), 'after refusals');
  }),
];
