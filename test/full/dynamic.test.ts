/** Tables that live, with every key type and values of every width. */
import { describe, it } from 'vitest';
import { allKinds } from '../conformance/keyKinds.ts';
import { LONG_HISTORY, play } from '../dynamic/history.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

describe.each(allKinds)('a collection of $name keys that lives', (kind) => {
  it.each([0, 1, 2, 3, 4] as const)('is like a Map with values of %i words', { timeout: 120_000 }, async (words) => {
    await play(gpu, kind, words, LONG_HISTORY);
  });
});
