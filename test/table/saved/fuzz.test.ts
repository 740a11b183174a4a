import { expect, it } from 'vitest';
import { chaining, linearProbing, type Scheme } from '../../../src/index.ts';
import { type KeyKind, keyKinds } from '../../conformance/keyKinds.ts';
import { sharedGpu } from '../../sharedGpu.ts';
import { type CollectionName, fuzz, valueTypeAt } from './fuzz.ts';

const gpu = await sharedGpu();

/** A sample; `test/full/savedFuzz.test.ts` has all. */
const SAMPLE: readonly (readonly [CollectionName, Scheme, KeyKind])[] = [
  ['HashMap', linearProbing(), keyKinds.u32],
  ['HashMap', chaining(), keyKinds.u32],
  ['HashSet', linearProbing(), keyKinds.utf8],
  ['KeyIndex', linearProbing(), keyKinds.u32],
  ['MultiMap', linearProbing(), keyKinds.u32],
];
const FILES = 60;

it.each(SAMPLE)('no mutated %s does harm (%#)', async (collection, scheme, kind) => {
  const tally = { files: 0, opened: 0 };
  await fuzz(gpu, { collection, scheme, kind, value: valueTypeAt(0) }, FILES, 2026, tally);
  // Both ends are reached: most are refused, and some have nothing wrong that matters.
  expect(tally.files).toBe(FILES);
  expect(tally.opened).toBeGreaterThan(0);
  expect(tally.opened).toBeLessThan(FILES / 2);
});
