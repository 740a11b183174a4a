import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conformance, fullList, shortList } from '../conformance/index.ts';
import { allKinds } from '../conformance/keyKinds.ts';
import { randomKeys } from '../conformance/keySets.ts';
import { sampledSubjects, subjects } from '../conformance/subjects.ts';
import { PARTS } from './parts.ts';

const casesOf = (list: typeof fullList, { name }: { readonly name: string }): number =>
  list.filter((test) => test.name.startsWith(`${name}: `)).length;

describe('the conformance list', () => {
  it('has a name of its own for every case', () => {
    const names = fullList.map(({ name }) => name);
    expect(names.length - new Set(names).size).toBe(0);
  });

  it('has a short form with cases for every scheme and key type', () => {
    for (const subject of subjects) expect(casesOf(shortList, subject), subject.name).toBeGreaterThan(5);
  });

  it('has a sample of every scheme and of every behaviour with the other key types, and all of them in its full form', () => {
    const sampled = (list: typeof fullList) =>
      list.filter(({ name }) => sampledSubjects.some((subject) => name.startsWith(`${subject.name}: `)));
    const behavioursOf = (list: typeof fullList) => new Set(sampled(list).map(({ name }) => name.split(': ')[1]));
    expect(behavioursOf(conformance)).toEqual(behavioursOf(fullList));
    for (const subject of sampledSubjects) {
      expect(casesOf(conformance, subject), subject.name).toBeGreaterThan(3);
      expect(casesOf(fullList, subject), subject.name).toBeGreaterThan(50);
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
