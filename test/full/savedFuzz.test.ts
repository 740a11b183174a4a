/** Mutated files of every scheme, key type and collection: 10⁵ of them. */
import { describe, expect, it } from 'vitest';
import { schemes } from '../../src/schemes/index.ts';
import { allKinds } from '../conformance/keyKinds.ts';
import { carries, schemeNames } from '../conformance/subjects.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { collectionNames, fuzz, valueTypeAt } from '../table/saved/fuzz.ts';

const gpu = await sharedGpu();

const FILES = Number(process.env.HASHNEST_FUZZ_FILES ?? 100_000);
/** Another one finds other things; a failure names the one that it came with. */
const SEED = Number(process.env.HASHNEST_FUZZ_SEED ?? 1);
const HALF_AN_HOUR_MS = 1_800_000;

const subjects = schemeNames
  .flatMap((name) => allKinds.filter((kind) => carries(name, kind)).map((kind) => ({ name, kind })))
  .flatMap(({ name, kind }) => collectionNames.map((collection) => ({ name, kind, collection })));
const filesEach = Math.ceil(FILES / subjects.length);

describe(`${filesEach * subjects.length} mutated files do no harm`, () => {
  it.each(schemeNames)('%s', { timeout: HALF_AN_HOUR_MS }, async (wanted) => {
    const tally = { files: 0, opened: 0 };
    const mine = subjects.filter(({ name }) => name === wanted);
    for (const [i, { kind, collection }] of mine.entries()) {
      const subject = { collection, kind, scheme: schemes[wanted](), value: valueTypeAt(i) };
      await fuzz(gpu, subject, filesEach, SEED * 1000 + i, tally);
    }
    expect(tally.files).toBe(filesEach * mine.length);
    console.log(`${wanted}: ${tally.files} files, of which ${tally.opened} opened`);
  });
});
