import type { DuplicateKeyError, Gpu } from '../../src/gpu/index.ts';
import type { ConformanceCase } from './case.ts';
import { equal, isTrue, throwsCode } from './expect.ts';
import type { Key, KeyKind, Keys } from './keyKinds.ts';
import { randomKeys, valuesFor } from './keySets.ts';
import { holdsExactly, keepsCopies } from './oracle.ts';
import { fillsEverySlot, forSubjects, type Subject, takesSlots } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

const COUNT = 2000;

/** Inputs in which keys occur more than once. */
function inputsWithCopies(kind: KeyKind): { readonly name: string; readonly keys: Keys }[] {
  const some = randomKeys(kind, COUNT);
  const pick = (choose: (i: number) => Key) => Array.from({ length: COUNT }, (_, i) => choose(i));
  const at = (i: number) => some[i] as Key;
  return [
    { name: 'the first and the last equal', keys: pick((i) => at(i === COUNT - 1 ? 0 : i)) },
    // Whoever always names the first item is wrong here.
    { name: 'one pair, far from the first', keys: pick((i) => at(i === 1300 ? 700 : i)) },
    { name: 'every key twice', keys: pick((i) => at(i % (COUNT / 2))) },
    { name: 'seven keys over and over', keys: pick((i) => at(i % 7)) },
    { name: 'all equal', keys: pick(() => at(5)) },
    { name: 'all 0', keys: pick(() => 0n) },
    { name: 'all ones only', keys: pick(() => kind.allOnes) },
    { name: '0 and all ones among others', keys: pick((i) => [0n, kind.allOnes, at(i % 500)][i % 3] as Key) },
  ];
}

export const duplicateCases: readonly ConformanceCase[] = [
  ...(['first', 'last', 'any'] as const).flatMap((duplicates) =>
    forSubjects(
      `of copies, '${duplicates}' keeps what it says`,
      async (gpu, subject) => {
        const { kind } = subject;
        const absent = randomKeys(kind, COUNT + 100).slice(COUNT);
        const values = valuesFor(COUNT);
        for (const { name, keys } of inputsWithCopies(kind)) {
          const distinct = new Set(keys).size;
          using map = await buildMap(gpu, subject, { keys, values }, { duplicates });
          await keepsCopies(kind, map, { keys, values }, duplicates, absent, name);
          equal(map.report.copies, COUNT - distinct, `${name}: copies reported`);
          using set = await buildSet(gpu, subject, keys, { duplicates });
          await holdsExactly(kind, set, keys, absent, name);
        }
      },
      { short: duplicates === 'last' },
    ),
  ),
  ...(['error', 'unique'] as const).flatMap((duplicates) =>
    forSubjects(`'${duplicates}' accepts distinct keys and names a copy`, async (gpu, subject) => {
      const keys = randomKeys(subject.kind, COUNT);
      const values = valuesFor(COUNT);
      using map = await buildMap(gpu, subject, { keys, values }, { duplicates });
      await keepsCopies(subject.kind, map, { keys, values }, 'first', randomKeys(subject.kind, 9, 2), 'distinct');
      using set = await buildSet(gpu, subject, keys, { duplicates });
      equal(set.size, COUNT, 'size');
      for (const input of inputsWithCopies(subject.kind)) await namesCopy(gpu, subject, input, duplicates);
    }),
  ),
  ...forSubjects(
    'copies need no slots of their own',
    async (gpu, subject) => {
      const keys = Array.from({ length: COUNT }, (_, i) => BigInt(i % 16));
      const values = valuesFor(COUNT);
      const capacitySlots = fillsEverySlot(subject) ? 16 : 32;
      using map = await buildMap(gpu, subject, { keys, values }, { capacitySlots, duplicates: 'first' });
      equal(map.size, 16, 'size');
      equal(map.capacitySlots, capacitySlots, 'slots');
      await keepsCopies(subject.kind, map, { keys, values }, 'first', [16n], 'few slots');
    },
    { only: takesSlots },
  ),
];

async function namesCopy(
  gpu: Gpu,
  subject: Subject,
  { name, keys }: { readonly name: string; readonly keys: Keys },
  duplicates: 'error' | 'unique',
): Promise<void> {
  const builds = [
    () => buildMap(gpu, subject, { keys, values: valuesFor(COUNT) }, { duplicates }),
    () => buildSet(gpu, subject, keys, { duplicates }),
  ];
  for (const build of builds) {
    const { index, message } = await throwsCode<DuplicateKeyError>(build, 'duplicate-key', name);
    const copies = keys.filter((key) => key === keys[index]).length;
    isTrue(copies > 1, `${name}: the key of item ${index} occurs twice`);
    isTrue(message.includes(`item ${index}`), `${name}: the message names item ${index}`);
  }
}
