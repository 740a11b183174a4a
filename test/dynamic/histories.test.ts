import fc from 'fast-check';
import { describe, it } from 'vitest';
import { dyCuckoo } from '../../src/schemes/dyCuckoo/index.ts';
import { regionCuckoo } from '../../src/schemes/regionCuckoo/index.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { inFull } from '../inFull.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { LONG_HISTORY, play, step } from './history.ts';

const gpu = await sharedGpu('default');
const { u32, u64, vec3i, utf8 } = keyKinds;

describe('a collection that lives is like a Map through any history', () => {
  const schemes = [regionCuckoo(), dyCuckoo(), dyCuckoo({ subtables: 2 })];
  it.each(schemes)('with u32 keys and values by $name', { timeout: 120_000 }, async (scheme) => {
    const history = fc.asyncProperty(fc.array(step, { maxLength: 12 }), (steps) => play(gpu, u32, 1, steps, scheme));
    await fc.assert(history, { numRuns: inFull ? 20 : 8, endOnFailure: false });
  });

  // One history with all widths and all key types is in test/full.
  const everyday = [
    { kind: u32, words: 0 },
    { kind: u64, words: 2 },
    { kind: vec3i, words: 3 },
    { kind: utf8, words: 1 },
  ] as const;
  it.each(inFull ? [...everyday, { kind: u32, words: 4 } as const] : everyday)(
    'with $kind.name keys and values of $words words',
    { timeout: 120_000 },
    async ({ kind, words }) => {
      await play(gpu, kind, words, LONG_HISTORY);
      const history = fc.asyncProperty(fc.array(step, { maxLength: 6 }), (steps) => play(gpu, kind, words, steps));
      await fc.assert(history, { numRuns: inFull ? 3 : 1, endOnFailure: true });
    },
  );
});
