import { describe, expect, it } from 'vitest';
import { extentCount, Gate, type Gpu, knownExtent, type Recorder, record, Workspace } from '../../src/gpu/index.ts';
import {
  exclusiveScan,
  histogram,
  recordCompact,
  recordExclusiveScan,
  recordFill,
  recordHistogram,
  recordSort,
} from '../../src/primitives/index.ts';
import { recordMergeSort } from '../../src/primitives/mergeSort.ts';
import { mergeSortKernels } from '../../src/primitives/mergeSortKernels.wgsl.ts';
import { kernel, storage, wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { equalWords } from '../conformance/expect.ts';
import { indices, wordsBelow } from '../conformance/primitiveWords.ts';
import { compactOracle, exclusiveScanOracle, histogramOracle, pick, sortedOrder } from '../oracles/primitives.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const COUNT = 100_003;

/** The same device, said to allow so few workgroups side by side that every grid gets a second dimension. */
function withNarrowGrids(gpu: Gpu, perDimension: number): Gpu {
  const limits = { maxComputeWorkgroupsPerDimension: perDimension };
  return new Proxy(gpu, {
    get(target, name) {
      if (name === 'limits') return limits;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** By the low 12 bits of a word: eight of them first, the others where those are equal. */
const mergedWords = storage('words', 'array<u32>');
const merge = mergeSortKernels(
  'test/merge',
  wgsl`fn lead(item: u32) -> u32 { return (${mergedWords}[item] >> 4u) & 0xffu; }`,
  wgsl`fn less(itemA: u32, itemB: u32) -> bool { return (${mergedWords}[itemA] & 15u) < (${mergedWords}[itemB] & 15u); }`,
);

/** Records all primitives over the same words; returns what checks their results. */
function recordAll(
  recorder: Recorder,
  buffers: TestBuffers,
  workspace: Workspace,
  items = knownExtent(recorder.gpu, COUNT),
) {
  const words = wordsBelow(COUNT);
  const flags = wordsBelow(COUNT, 2);
  const [input, keys, values] = [buffers.upload(words), buffers.upload(words), buffers.upload(indices(COUNT))];
  const [filled, scanned, kept] = [buffers.words(COUNT), buffers.words(COUNT), buffers.words(COUNT)];
  const [leads, merged] = [buffers.words(items.max), buffers.words(items.max)];
  const [total, few, many] = [buffers.words(1), buffers.words(100), buffers.words(COUNT)];
  recordFill(recorder, { output: filled, value: 3, items });
  recordExclusiveScan(recorder, { input, output: scanned, items, workspace });
  recordSort(recorder, { keys, values, items, workspace, bits: 12 });
  recordMergeSort(recorder, merge, { bound: [[mergedWords, input]], leads, order: merged, items, workspace });
  const keep = { values: input, flags: buffers.upload(flags), output: kept, total: { buffer: total } };
  recordCompact(recorder, { ...keep, items, workspace });
  recordHistogram(recorder, { values, output: few, bins: 100, items });
  recordHistogram(recorder, { values, output: many, bins: COUNT, items });
  return async () => {
    const order = sortedOrder(words, 0, 12);
    const chosen = compactOracle(words, flags);
    equalWords(await buffers.read(filled, COUNT), new Uint32Array(COUNT).fill(3), 'fill');
    equalWords(await buffers.read(scanned, COUNT), exclusiveScanOracle(words).output, 'scan');
    equalWords(await buffers.read(keys, COUNT), pick(words, order), 'sorted keys');
    equalWords(await buffers.read(values, COUNT), order, 'sorted values');
    equalWords(await buffers.read(merged, COUNT), order, 'merged item numbers');
    equalWords(await buffers.read(total, 1), [chosen.length], 'how many were kept');
    equalWords(await buffers.read(kept, chosen.length), chosen, 'compact');
    equalWords(await buffers.read(few, 100), histogramOracle(order, 100), 'histogram of few bins');
    equalWords(await buffers.read(many, COUNT), histogramOracle(order, COUNT), 'histogram of many bins');
  };
}

describe('two-dimensional grids', () => {
  it.each([1, 5, 7])('all primitives give the same results with %i workgroups side by side', async (perDimension) => {
    using buffers = new TestBuffers(gpu);
    using workspace = new Workspace(gpu);
    const narrow = withNarrowGrids(gpu, perDimension);
    let check = async () => {};
    await gpu.run((encoder) => {
      check = record(narrow, encoder, 'test', (recorder) => recordAll(recorder, buffers, workspace));
    });
    await check();
  });

  it('all primitives give the same results behind one gate with narrow grids', async () => {
    using buffers = new TestBuffers(gpu);
    using workspace = new Workspace(gpu);
    const narrow = withNarrowGrids(gpu, 5);
    const gate = new Gate(narrow);
    const count = { buffer: buffers.upload(Uint32Array.of(COUNT)) };
    let check = async () => {};
    await gpu.run((encoder) => {
      check = record(narrow, encoder, 'test', (recorder) => {
        gate.open(recorder, count, COUNT + 50_000);
        return recordAll(recorder.behind(gate), buffers, workspace, gate.extent(COUNT + 50_000));
      });
      gate.seal();
    });
    await check();
    gate.destroy();
  });

  it('a workgroup takes on more where there are very many items', { timeout: 180_000 }, async () => {
    const words = wordsBelow(15_000_000, 300);
    const { output, total } = exclusiveScanOracle(words);
    const scanned = await exclusiveScan(gpu, words);
    equalWords(scanned.output, output, 'scan');
    expect(scanned.total).toBe(total);
    equalWords(await histogram(gpu, words, 256), histogramOracle(words, 256), 'histogram');
  });

  it('reaches every item of more workgroups than one dimension allows', async () => {
    using buffers = new TestBuffers(gpu);
    const groups = 70_001;
    expect(groups).toBeGreaterThan(gpu.limits.maxComputeWorkgroupsPerDimension);
    const seen = storage('seen', 'array<u32>', 'read_write');
    const mark = kernel({
      label: 'test/mark',
      threads: 1,
      body: wgsl`if (item < ${extentCount}) { ${seen}[item] += item + 1u; }`,
    });
    const output = buffers.words(groups);
    const bound = [
      [seen, output],
      [extentCount, gpu.constants(groups)],
    ] as const;
    await gpu.run((encoder) => record(gpu, encoder, 'test', (recorder) => recorder.run(mark, bound, groups)));
    equalWords(
      await buffers.read(output, groups),
      indices(groups).map((i) => i + 1),
      'marks',
    );
  });
});
