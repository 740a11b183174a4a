import type { BuildError } from '../../src/gpu/index.ts';
import type { ConformanceCase } from './case.ts';
import { equal, isTrue, throwsCode } from './expect.ts';
import { randomSet, valuesFor } from './keySets.ts';
import { answersLike, holdsExactly, mapOf } from './oracle.ts';
import { fillsEverySlot, forSubjects, takesLoad, takesSlots } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

const LOADS = [0.5, 0.8, 0.95, 1];
/** A search for an absent key looks at every slot of a full table. */
const FEW = 100;
const IMPOSSIBLE_LOADS = [0, -0.5, 1.01, Number.NaN, Number.POSITIVE_INFINITY];
const IMPOSSIBLE_CAPACITIES = [0, -1, 1.5, Number.NaN, 2 ** 31 + 1];

export const loadCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'every load up to the greatest',
    async (gpu, subject) => {
      const { maxLoad = 1 } = subject;
      for (const loadFactor of [...LOADS.filter((load) => load < maxLoad), maxLoad]) {
        for (const size of [1, 257, 2000]) {
          const { present: keys, absent } = randomSet(subject.kind, size, size);
          const values = valuesFor(size);
          using map = await buildMap(gpu, subject, { keys, values }, { loadFactor });
          const what = `${size} items at load ${loadFactor}`;
          equal(map.loadFactor, size / map.capacitySlots, `${what}: load`);
          isTrue(map.loadFactor <= loadFactor, `${what}: no more than wanted`);
          if (fillsEverySlot(subject)) equal(map.capacitySlots, Math.ceil(size / loadFactor), `${what}: slots`);
          await answersLike(subject.kind, map, mapOf(keys, values), absent.slice(0, FEW), what);
        }
      }
    },
    { only: takesLoad },
  ),
  ...forSubjects(
    'loads that have a name',
    async (gpu, subject) => {
      for (const loadFactor of subject.namedLoads ?? []) {
        for (const size of [0, 1, 257, 5000]) {
          const { present: keys, absent } = randomSet(subject.kind, size, size);
          const values = valuesFor(size);
          using map = await buildMap(gpu, subject, { keys, values }, { loadFactor });
          await answersLike(
            subject.kind,
            map,
            mapOf(keys, values),
            absent.slice(0, FEW),
            `${size} items, ${loadFactor}`,
          );
        }
      }
    },
    { only: ({ namedLoads }) => namedLoads !== undefined },
  ),
  ...forSubjects(
    '10,000 slots are filled to the last one at the first attempt',
    async (gpu, subject) => {
      const { present, absent } = randomSet(subject.kind, 10_000);
      using set = await buildSet(gpu, subject, present, { capacitySlots: 10_000 });
      equal(set.report.attempts, 1, 'attempts');
      equal(set.loadFactor, 1, 'load');
      await holdsExactly(subject.kind, set, present, absent.slice(0, FEW), 'a full set');
    },
    { only: fillsEverySlot },
  ),
  ...forSubjects(
    'any number of slots is allowed, also one with small factors',
    async (gpu, subject) => {
      for (const capacitySlots of [1, 2, 3, 4, 64, 100, 128, 720, 997]) {
        const size = fillsEverySlot(subject) ? capacitySlots : Math.ceil(capacitySlots / 2);
        const { present: keys, absent } = randomSet(subject.kind, size, size);
        const values = valuesFor(size);
        using map = await buildMap(gpu, subject, { keys, values }, { capacitySlots });
        equal(map.capacitySlots, capacitySlots, 'slots');
        await answersLike(subject.kind, map, mapOf(keys, values), absent.slice(0, FEW), `${capacitySlots} slots`);
      }
    },
    { only: takesSlots },
  ),
  ...forSubjects(
    'impossible loads are refused',
    async (gpu, subject) => {
      const { present } = randomSet(subject.kind, 10);
      for (const loadFactor of IMPOSSIBLE_LOADS) {
        await throwsCode(buildSet(gpu, subject, present, { loadFactor }), 'invalid-input', `load ${loadFactor}`);
      }
    },
    { only: takesLoad },
  ),
  ...forSubjects(
    'impossible numbers of slots are refused',
    async (gpu, subject) => {
      const { present } = randomSet(subject.kind, 10);
      for (const capacitySlots of IMPOSSIBLE_CAPACITIES) {
        await throwsCode(buildSet(gpu, subject, present, { capacitySlots }), 'invalid-input', `${capacitySlots} slots`);
      }
      const both = { capacitySlots: 20, loadFactor: 0.5 };
      await throwsCode(buildSet(gpu, subject, present, both), 'invalid-input', 'both slots and a load');
      for (const duplicates of ['error', 'unique'] as const) {
        const build = buildSet(gpu, subject, present, { capacitySlots: 9, duplicates });
        const { message } = await throwsCode(build, 'invalid-input', 'ten different keys in nine slots');
        isTrue(/10 items/.test(message) && /9 slots/.test(message), `the reason is told: ${message}`);
      }
    },
    { only: takesSlots },
  ),
  ...forSubjects(
    'too few slots for the distinct keys: the error tells how many items were left',
    async (gpu, subject) => {
      const { present } = randomSet(subject.kind, 300);
      const build = buildMap(gpu, subject, { keys: present, values: valuesFor(300) }, { capacitySlots: 128 });
      const { itemsLeft, attempts, message } = await throwsCode<BuildError>(build, 'build-failed');
      if (fillsEverySlot(subject)) equal(itemsLeft, 172, 'items left');
      isTrue(itemsLeft > 0 && itemsLeft <= 172, `${itemsLeft} items are left`);
      isTrue(attempts > 1, 'other seeds were tried');
      isTrue(message.includes(`${itemsLeft} of 300`) && /capacitySlots/.test(message), `what to do: ${message}`);
    },
    { only: takesSlots },
  ),
];
