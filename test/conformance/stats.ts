import type { Collection, ProbeStats } from '../../src/collections/index.ts';
import type { HashConstants } from '../../src/hashing/index.ts';
import type { ConformanceCase } from './case.ts';
import { equal, isTrue } from './expect.ts';
import { type KeyKind, type Keys, keyKinds, wordsOf } from './keyKinds.ts';
import { interleave, randomKeys, randomSet } from './keySets.ts';
import { probeTwins } from './probeTwins.ts';
import { fillsEverySlot, forSubjects, type Subject } from './subjects.ts';
import { buildSet } from './tables.ts';

const PERCENTS = [50, 80, 90, 99, 100] as const;

/** Average and points of a list of probe lengths, the plain way. */
function summary(lengths: readonly number[]): ProbeStats {
  const inOrder = [...lengths].sort((a, b) => a - b);
  const point = (percent: number) => inOrder[Math.ceil((lengths.length * percent) / 100) - 1] ?? 0;
  return {
    searches: lengths.length,
    average: lengths.length === 0 ? 0 : lengths.reduce((sum, n) => sum + n, 0) / lengths.length,
    within: { 50: point(50), 80: point(80), 90: point(90), 99: point(99), 100: point(100) },
  };
}

function sameStats(actual: ProbeStats, expected: ProbeStats, what: string): void {
  equal(actual.searches, expected.searches, `${what}: searches`);
  isTrue(Math.abs(actual.average - expected.average) < 1e-9, `${what}: ${actual.average} is ${expected.average}`);
  for (const percent of PERCENTS)
    equal(actual.within[percent], expected.within[percent], `${what}: within ${percent}%`);
}

/** Counts the probes of searches for the table's own keys and for others in TypeScript. */
async function agreesWithTwin(kind: KeyKind, set: Collection<unknown>, absent: Keys, what: string): Promise<void> {
  const twin = probeTwins[set.scheme.name as keyof typeof probeTwins] as NonNullable<(typeof probeTwins)['cuckoo']>;
  const probesOf = await twin(kind, set);
  const { present, absent: misses } = await set.stats({ absent: kind.host(absent) });
  sameStats(present, summary(kind.numbers(await set.keys()).map(probesOf)), `${what}, present`);
  sameStats(misses, summary(absent.map(probesOf)), `${what}, absent`);
}

/** Inserts one key after the other. Of linear probing it is known that the order changes lengths but not their sum. */
function averageOfLinearProbing({ type }: KeyKind, set: Collection<unknown>, keys: Keys): number {
  const { table, capacitySlots } = set;
  const { family } = table.plan;
  const constants = table.state.header.hash as unknown as HashConstants;
  const taken = new Uint8Array(capacitySlots);
  let probes = 0;
  for (const key of keys) {
    let slot = family.reduceTwin(family.hashTwin(wordsOf(key, type.words), constants)[0], capacitySlots);
    for (probes++; taken[slot]; probes++) slot = (slot + 1) % capacitySlots;
    taken[slot] = 1;
  }
  return probes / keys.length;
}

/** Twins know keys that are plain words, in the order of their numbers; one knows points. */
const hasTwin = ({ schemeName, kind }: Subject): boolean =>
  probeTwins[schemeName] !== null &&
  (schemeName === 'perfectSpatial' || kind === keyKinds.u32 || kind === keyKinds.u64);

export const statsCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'probes are counted as a twin in TypeScript counts them',
    async (gpu, subject) => {
      for (const size of [0, 1, 1000]) {
        const { present, absent } = randomSet(subject.kind, size, size);
        using set = await buildSet(gpu, subject, present);
        await agreesWithTwin(subject.kind, set, absent, `${size} keys`);
      }
    },
    { only: hasTwin },
  ),
  ...forSubjects(
    'probes are counted right in a table without an empty slot',
    async (gpu, subject) => {
      const { present, absent } = randomSet(subject.kind, 300);
      using set = await buildSet(gpu, subject, present, { loadFactor: 1 });
      await agreesWithTwin(subject.kind, set, absent, 'a full table');
    },
    { only: (subject) => fillsEverySlot(subject) && hasTwin(subject) },
  ),
  ...forSubjects(
    'the average does not depend on the order of insertion',
    async (gpu, subject) => {
      const keys = randomKeys(subject.kind, 2000);
      using set = await buildSet(gpu, subject, keys, { loadFactor: 0.9 });
      const { average } = (await set.stats()).present;
      const expected = averageOfLinearProbing(subject.kind, set, keys);
      isTrue(
        Math.abs(average - expected) < 1e-9,
        `${average} probes are ${expected}, as for one insertion after another`,
      );
    },
    { only: (subject) => subject.schemeName === 'linearProbing' && hasTwin(subject) },
  ),
  ...forSubjects('given keys that are present do not count as absent; drawn ones are plenty', async (gpu, subject) => {
    const { present, absent } = randomSet(subject.kind, 200);
    using set = await buildSet(gpu, subject, present);
    const mixed = await set.stats({ absent: subject.kind.host(interleave(present, absent.slice(0, 50))) });
    equal(mixed.present.searches, 200, 'present keys');
    equal(mixed.absent.searches, 50, 'absent keys');
    const drawn = await set.stats();
    isTrue(drawn.absent.searches >= 900, 'about a thousand keys are drawn');
    const none = await set.stats({ absent: subject.kind.host([]) });
    equal(none.absent.searches, 0, 'no absent keys given');
    equal(none.absent.average, 0, 'average of none');
  }),
];
