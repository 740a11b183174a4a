/** What parts that prepare have in common. */
import type { Gpu } from '../gpu/index.ts';
import { rehearse } from '../gpu/rehearsal.ts';
import { COUNTERS, headerOffset } from '../schemes/contract/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { Recorded } from './prepare.ts';

/** Compiles what calls with so many items need. What they read back is as if all keys differed. */
export const rehearseCalls = (gpu: Gpu, items: number, calls: (idle: Gpu) => Promise<unknown>): Promise<void> =>
  rehearse(gpu, readsFor(items), calls);

/** From headers of first builds, from counters of first batches, from the size of an index, how many cells there are, and how many values a key has. */
const readsFor = (count: number) => (label: string) => {
  // Schemes that work on the host would do so for items that are all the same. Who prepares them does it for one.
  if (count > 1 && label.endsWith('host/keys')) throw new Error(label);
  if (label.endsWith('/header')) return { [headerOffset('count')]: count, [headerOffset('build')]: 1 };
  if (label.endsWith('/counters')) return { [COUNTERS.indexOf('batch') * WORD_BYTES]: 1 };
  if (label.endsWith('keyIndex/size') || label.endsWith('apps/total')) return { 0: count };
  return label.endsWith('multiMap/count/counts') ? { 0: 1 } : undefined;
};

/** A buffer with room for so many words of so many items. */
export const roomOn = (idle: Gpu, items: number, words = 1): GPUBuffer =>
  idle.createBuffer('prepare', items * words * WORD_BYTES);

/** Records searches for keys: for each choice of answers, and for a count that only the GPU knows. */
export function recordSearches(made: Recorded): void {
  const { gpu, table } = made;
  const { key, valueWords } = table.settings;
  const [found, values] = [roomOn(gpu, 1), roomOn(gpu, 1, valueWords)];
  const answers = valueWords > 0 ? [{ found }, { values }, { found, values }] : [{ found }];
  const queries = {
    queries: roomOn(gpu, 1, key.words),
    count: { buffer: roomOn(gpu, 1) },
    context: key.hasContext ? roomOn(gpu, 1) : undefined,
  };
  const encoder = gpu.device.createCommandEncoder();
  for (const wanted of answers) made.encodeSearch(encoder, { ...queries, ...wanted }, Array(valueWords).fill(0));
}
