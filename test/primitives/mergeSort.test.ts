import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ELEMENT_BYTES, Gate, record, Workspace } from '../../src/gpu/index.ts';
import { mergeSortScratch, recordMergeSort } from '../../src/primitives/mergeSort.ts';
import { mergeSortKernels } from '../../src/primitives/mergeSortKernels.wgsl.ts';
import { MERGE_TILE } from '../../src/primitives/mergeSortTile.wgsl.ts';
import { storage, wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { equalWords } from '../conformance/expect.ts';
import { awkwardWords, wordsBelow } from '../conformance/primitiveWords.ts';
import { pick } from '../oracles/primitives.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

/** Keys of two words, of which only the first is the lead. */
const keys = storage('keys', 'array<vec2u>');
const kernels = mergeSortKernels(
  'test/mergeSort',
  wgsl`fn lead(item: u32) -> u32 { return ${keys}[item].x; }`,
  wgsl`fn less(itemA: u32, itemB: u32) -> bool { return ${keys}[itemA].y < ${keys}[itemB].y; }`,
);

/** Item numbers by lead, then by the rest, then in the order of the input. */
const orderOracle = (leads: Uint32Array, rests: Uint32Array): Uint32Array =>
  Uint32Array.from(leads.keys()).sort(
    (a, b) => (leads[a] as number) - (leads[b] as number) || (rests[a] as number) - (rests[b] as number) || a - b,
  );

const interleaved = (leads: Uint32Array, rests: Uint32Array): Uint32Array =>
  Uint32Array.from({ length: 2 * leads.length }, (_, i) => (i % 2 === 0 ? leads : rests)[i >> 1] as number);

describe('recordMergeSort', () => {
  /** Sorts; with a number of items that only the GPU knows where `counted` is given. */
  async function mergeSort(leads: Uint32Array, rests: Uint32Array, counted?: number) {
    const count = leads.length;
    const gate = new Gate(gpu);
    using workspace = new Workspace(gpu);
    using buffers = new TestBuffers(gpu);
    const input = buffers.upload(interleaved(leads, rests));
    const [leadsOut, order] = [buffers.words(count), buffers.words(count)];
    await gpu.run((encoder) =>
      record(gpu, encoder, 'test', (recorder) => {
        const call = { bound: [[keys, input]], leads: leadsOut, order, workspace } as const;
        if (counted === undefined) {
          recordMergeSort(recorder, kernels, { ...call, items: count });
        } else {
          gate.open(recorder, { buffer: buffers.upload(Uint32Array.of(counted)) }, count);
          recordMergeSort(recorder.behind(gate), kernels, { ...call, items: gate.extent(count) });
          gate.seal();
        }
      }),
    );
    const scratch = mergeSortScratch(count).reduce((sum, { bytes }) => sum + Math.max(ELEMENT_BYTES, bytes), 0);
    expect(workspace.bytes).toBeLessThanOrEqual(scratch);
    gate.destroy();
    return { leads: await buffers.read(leadsOut, count), order: await buffers.read(order, count) };
  }

  async function expectSorted(leads: Uint32Array, rests: Uint32Array, what: string) {
    const expected = orderOracle(leads, rests);
    const sorted = await mergeSort(leads, rests);
    equalWords(sorted.order, expected, `the order of ${what}`);
    equalWords(sorted.leads, pick(leads, expected), `the leads of ${what}`);
  }

  it('sorts any number of items, equal ones in the order of the input', async () => {
    const tiles = [1, 2, 3, 4, 5].flatMap((n) => [n * MERGE_TILE - 1, n * MERGE_TILE, n * MERGE_TILE + 1]);
    for (const count of [0, 1, 2, 3, 6, 7, 8, 13, 255, 1000, ...tiles]) {
      // About as many leads as items, three to choose from behind each: copies, and comparisons of both kinds.
      await expectSorted(wordsBelow(count, 1 + (count >> 1)), wordsBelow(count, 3, 7), `${count} items`);
    }
  });

  it('sorts many tiles', () => expectSorted(wordsBelow(65_537, 30_000), wordsBelow(65_537, 9, 3), '65,537 items'));

  it('sorts awkward leads, and awkward keys behind equal leads', async () => {
    const count = 3 * MERGE_TILE + 100;
    const equal = new Uint32Array(count).fill(0xffffffff);
    for (const [what, words] of Object.entries(awkwardWords(count))) {
      await expectSorted(words, equal, `${what} before equal words`);
      await expectSorted(equal, words, `${what} behind equal leads`);
    }
  });

  it('sorts as many items as a count on the GPU says, and writes nothing behind them', async () => {
    const room = 4 * MERGE_TILE + 5;
    const [leads, rests] = [wordsBelow(room, 500), wordsBelow(room, 4, 9)];
    for (const counted of [0, 1, MERGE_TILE, 2 * MERGE_TILE + 3, room, room + 1000]) {
      const expected = orderOracle(leads.subarray(0, counted), rests.subarray(0, counted));
      const { order } = await mergeSort(leads, rests, counted);
      equalWords(order.subarray(0, counted), expected, `${counted} of ${room} items`);
      equalWords(order.subarray(counted), new Uint32Array(Math.max(0, room - counted)), `what is behind ${counted}`);
    }
  });

  it('sorts any items', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat({ max: 20 }), fc.nat({ max: 3 })), { maxLength: 600 }), async (items) =>
        expectSorted(
          Uint32Array.from(items, ([lead]) => lead),
          Uint32Array.from(items, ([, rest]) => rest),
          'any items',
        ),
      ),
      { numRuns: 25 },
    ));
});
