import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conformance, fullList, shortList } from '../conformance/index.ts';
import { allKinds } from '../conformance/keyKinds.ts';
import { randomKeys } from '../conformance/keySets.ts';
import { keyTypeCases, keyTypeProduct } from '../conformance/keyTypes.ts';
import { schemeNames, subjects } from '../conformance/subjects.ts';
import { PARTS } from './parts.ts';

type Case = (typeof fullList)[number];

/** What the name of a case says: scheme and key type, perhaps a collection, and the behaviour. */
const partsOf = ({ name }: Case): { subject: string; behaviour: string } => {
  const [subject = '', behaviour = ''] = name.split(/: (.*)/s);
  return { subject, behaviour };
};

const isOfSubject = ({ name }: Case): boolean => subjects.some((subject) => name.startsWith(`${subject.name}: `));

const everyday = conformance.filter(isOfSubject);
const inFull = fullList.filter(isOfSubject);

/** The pairs that a list meets, each as `one & other`. */
const pairsOf = (list: readonly Case[], pairOf: (test: Case) => readonly string[]): Set<string> =>
  new Set(list.map((test) => pairOf(test).join(' & ')));

describe('the conformance list', () => {
  it('has a name of its own for every case', () => {
    const names = fullList.map(({ name }) => name);
    expect(names.length - new Set(names).size).toBe(0);
  });

  it('has a short form with cases for every scheme', () => {
    for (const name of schemeNames) {
      expect(shortList.filter(({ scheme }) => scheme === name).length, name).toBeGreaterThan(5);
    }
  });

  it('takes every behaviour through every scheme every day that the full list takes it through', () => {
    const pairOf = (test: Case) => [String(test.scheme), partsOf(test).behaviour];
    expect(pairsOf(everyday, pairOf)).toEqual(pairsOf(inFull, pairOf));
  });

  it('takes every behaviour through every key type every day, if nearly all schemes have it', () => {
    const kindsOf = (list: readonly Case[], wanted: string): string[] =>
      list
        .filter((test) => partsOf(test).behaviour === wanted)
        .map((test) => partsOf(test).subject.replace(`${test.scheme} `, ''));
    const all = new Set(everyday.map((test) => partsOf(test).behaviour));
    const common = [...all].filter((behaviour) => kindsOf(inFull, behaviour).length >= 50);
    expect(common.length).toBeGreaterThan(50);
    for (const behaviour of common) {
      expect(kindsOf(everyday, behaviour), behaviour).toEqual(
        expect.arrayContaining(['u32', 'i32', 'u64', 'vec3i', 'utf8']),
      );
    }
  });

  it('takes every scheme, every key type and every collection through one another, two at a time', () => {
    const partsOfCell = (test: Case) => {
      const { subject } = partsOf(test);
      const kind = allKinds.find(({ name }) => subject.startsWith(`${test.scheme} ${name} `))?.name;
      return [String(test.scheme), String(kind), subject.replace(`${test.scheme} ${kind} `, '')] as const;
    };
    for (const [a, b] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      const pairOf = (test: Case) => [partsOfCell(test)[a], partsOfCell(test)[b]];
      expect(pairsOf(keyTypeCases, pairOf)).toEqual(pairsOf(keyTypeProduct, pairOf));
    }
  });

  it.each([
    ['.', 'every day'],
    ['../full/', 'in full'],
  ])('is run in parts, each by a file of its own: %s, %s', (folder) => {
    const files = readdirSync(new URL(folder, import.meta.url)).filter((name) => /^part.*\.test\.ts$/.test(name));
    expect(files.sort()).toEqual(Array.from({ length: PARTS }, (_, i) => `part${i + 1}.test.ts`));
  });
});

describe('the keys of the conformance list', () => {
  it.each(allKinds)('of type $name are numbers, and come back as the same', (kind) => {
    const keys = [0n, 1n, 15n, 16n, 17n, 272n, 273n, kind.allOnes - 1n, kind.allOnes, ...randomKeys(kind, 500)];
    expect(kind.type.accepts(kind.host(keys))).toBe(true);
    expect(kind.numbers(kind.host(keys))).toEqual(keys);
    const { words, context } = kind.type.encode(kind.host(keys));
    expect(kind.numbers(kind.type.decode(words, context?.[0]))).toEqual(keys);
  });
});
