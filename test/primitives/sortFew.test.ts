/** Few items are sorted by one workgroup in one dispatch, wherever they lie before. */
import { describe, expect, it } from 'vitest';
import { record, Workspace } from '../../src/gpu/index.ts';
import { recordSort } from '../../src/primitives/sort.ts';
import { FEW_ITEMS } from '../../src/primitives/sortFew.wgsl.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { equalWords } from '../conformance/expect.ts';
import { indices, wordsBelow } from '../conformance/primitiveWords.ts';
import { pick, sortedOrder } from '../oracles/primitives.ts';
import { sharedGpu } from '../sharedGpu.ts';

/** With the least workgroup memory. */
const gpu = await sharedGpu('default');

const SIZES = [0, 1, 2, 7, 8, 255, 1000, FEW_ITEMS - 1, FEW_ITEMS, FEW_ITEMS + 1];
const RANGES = [
  { firstBit: 0, bits: 32 },
  { firstBit: 3, bits: 5 },
  { firstBit: 31, bits: 1 },
  { firstBit: 8, bits: 0 },
] as const;
const PLACES = ['in place', 'keys apart', 'values apart', 'both apart', 'keys alone', 'keys alone, apart'] as const;

describe('a sort of few items', () => {
  it.each(PLACES)('%s', async (place) => {
    const hasValues = !place.startsWith('keys alone');
    const [keysApart, valuesApart] = [/(keys|both|alone,) apart/.test(place), /(values|both) apart/.test(place)];
    for (const size of SIZES) {
      for (const range of RANGES) {
        using buffers = new TestBuffers(gpu);
        using workspace = new Workspace(gpu);
        const words = wordsBelow(size, 2 ** 32);
        // Half of the keys are there twice.
        words.copyWithin(0, size >> 1);
        const [keysFrom, valuesFrom] = [buffers.upload(words), buffers.upload(indices(size))];
        const keys = keysApart ? buffers.upload(new Uint32Array(size)) : keysFrom;
        const values = valuesApart ? buffers.upload(new Uint32Array(size)) : valuesFrom;
        const call = { keys, keysFrom, ...(hasValues && { values, valuesFrom }), items: size, workspace, ...range };
        await gpu.run((encoder) => record(gpu, encoder, 'sort', (recorder) => recordSort(recorder, call)));
        const order = sortedOrder(words, range.firstBit, range.bits);
        equalWords(await buffers.read(keys, size), pick(words, order), `${size} keys`);
        if (hasValues) equalWords(await buffers.read(values, size), order, `the values of ${size} keys`);
        if (keysApart) equalWords(await buffers.read(keysFrom, size), words, `the ${size} keys that were given`);
        expect(workspace.bytes > 0).toBe(size > FEW_ITEMS && range.bits > 0);
      }
    }
  });
});
