import { describe, expect, it } from 'vitest';
import type { Gpu } from '../../src/gpu/index.ts';
import { linearProbing, polynomial32, polynomial64, universal, xorPrime } from '../../src/index.ts';
import type { Duplicates, Scheme, SchemeName, ValueWords } from '../../src/schemes/index.ts';
import { readContents } from '../../src/table/contents.wgsl.ts';
import { Lookup } from '../../src/table/lookup.wgsl.ts';
import { absentStats, presentStats } from '../../src/table/stats.wgsl.ts';
import { Table } from '../../src/table/table.ts';
import { equalWords } from '../conformance/expect.ts';
import { type KeyKind, keyKinds } from '../conformance/keyKinds.ts';
import { randomKeys } from '../conformance/keySets.ts';
import { type Subject, subjects } from '../conformance/subjects.ts';
import { bufferSource } from '../oracles/bufferSource.ts';

const COUNT = 70;
const POLICIES: readonly Duplicates[] = ['first', 'any', 'error', 'unique'];
const VALUE_WORDS: readonly ValueWords[] = [0, 1, 2, 3, 4];

/**
 * Runs everything that a table can do, so that every module it can produce is linked and compiled. `gpu.run` puts
 * validation errors of modules and pipelines into the error it throws.
 */
async function useEverything(gpu: Gpu, scheme: Scheme, kind: KeyKind, valueWords: ValueWords, duplicates: Duplicates) {
  const { words: keyWords } = kind.type.encode(kind.host(randomKeys(kind, COUNT)));
  const valuesIn = Uint32Array.from({ length: COUNT * valueWords }, (_, i) => i * 3 + 1);
  const keys = gpu.upload('test/keys', keyWords);
  const values = gpu.upload('test/values', valuesIn);
  const source = bufferSource({ keys, values: valueWords > 0 ? values : undefined, count: COUNT, maxCount: COUNT });
  const answers = gpu.createBuffer('test/answers', Math.max(4, valuesIn.byteLength));
  const found = gpu.createBuffer('test/found', COUNT * 4);
  const table = await Table.build(gpu, { scheme, key: kind.type, valueWords, duplicates }, source);
  try {
    const lookup = new Lookup(table);
    const search = { queries: keys, found, count: COUNT, ...(valueWords > 0 && { values: answers }) };
    const [answerBytes, foundBytes] = await gpu.run(
      (encoder) => lookup.encode(encoder, search, []),
      [
        { buffer: answers, bytes: valuesIn.byteLength },
        { buffer: found, bytes: COUNT * 4 },
      ],
    );
    equalWords(new Uint32Array(foundBytes as ArrayBuffer), new Uint32Array(COUNT).fill(1), 'found');
    equalWords(new Uint32Array(answerBytes as ArrayBuffer), valuesIn, 'values');
    const contents = await readContents(table);
    equalWords(contents.keys.slice().sort(), keyWords.slice().sort(), 'words of all keys');
    equalWords(contents.values.slice().sort(), valuesIn.slice().sort(), 'words of all values');
    const stats = await presentStats(table);
    expect(stats.searches).toBe(COUNT);
    expect((await absentStats(table, { count: COUNT, words: keyWords })).searches).toBe(0);
    if (table.plan.build.on === 'gpu') {
      await gpu.run((encoder) => table.encodeRebuild(encoder, { ...source, count: { buffer: found } }));
    }
  } finally {
    table.destroy();
    for (const buffer of [keys, values, answers, found]) buffer.destroy();
  }
}

/** Declares the tests of some schemes. */
export function describeModules(gpu: Gpu, isWanted: (scheme: SchemeName) => boolean): void {
  const isTaken = ({ schemeName, kind }: Subject) =>
    isWanted(schemeName) && (schemeName === 'perfectSpatial' || kind === keyKinds.u32 || kind === keyKinds.u64);
  describe('every module that can be linked compiles, and answers', () => {
    describe.each(subjects.filter(isTaken))('$name', ({ kind, make }) => {
      it.each(VALUE_WORDS)('with values of %i words', (valueWords) =>
        useEverything(gpu, make(), kind, valueWords, 'last'),
      );

      it.each(POLICIES)("with duplicates '%s'", async (duplicates) => {
        await useEverything(gpu, make(), kind, 0, duplicates);
        await useEverything(gpu, make(), kind, 2, duplicates);
      });
    });
  });
}

/** Declares the tests of a table by other hash families. */
export function describeFamilies(gpu: Gpu): void {
  it.each([universal, polynomial32, polynomial64, xorPrime])('a table by the hash family $name', (hash) =>
    useEverything(gpu, linearProbing({ hash }), keyKinds.u32, 1, 'last'),
  );
}
