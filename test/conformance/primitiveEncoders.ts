/** The primitives over a caller's buffers, encoders, passes and counts. */
import { type Gpu, type GpuCount, type Target, Workspace } from '../../src/gpu/index.ts';
import {
  encodeCompact,
  encodeExclusiveScan,
  encodeFill,
  encodeHistogram,
  encodeSort,
} from '../../src/primitives/index.ts';
import { compactOracle, exclusiveScanOracle, histogramOracle, pick, sortedOrder } from '../oracles/primitives.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equalWords } from './expect.ts';
import { indices, wordsBelow } from './primitiveWords.ts';

const UNTOUCHED = 0xabadcafe;
const BINS = 50;

/** An array of that length that starts with `words`, and with a mark behind them. */
function padded(words: Uint32Array, length: number): Uint32Array {
  const all = new Uint32Array(length).fill(UNTOUCHED);
  all.set(words);
  return all;
}

/**
 * Encodes all primitives over `room` words, for a count that may be on the GPU, and returns what checks that the first
 * `expected` words were used and that those behind them are as they were.
 */
function encodeAll(
  gpu: Gpu,
  target: Target,
  buffers: TestBuffers,
  {
    room,
    count,
    expected,
    workspace,
  }: { room: number; count: number | GpuCount; expected: number; workspace?: Workspace },
): (what: string) => Promise<void> {
  const words = wordsBelow(room, 2 ** 32, room);
  const flags = wordsBelow(room, 2, room + 1);
  const bins = wordsBelow(room, BINS, room + 2);
  const marked = (length = room) => buffers.upload(new Uint32Array(length).fill(UNTOUCHED));
  const [input, keys, values] = [buffers.upload(words), buffers.upload(words), buffers.upload(indices(room))];
  const [filled, scanned, kept] = [marked(), marked(), marked()];
  const [total, keptCount, counts] = [marked(1), marked(1), marked(BINS)];
  const shared = { count, ...(workspace && { workspace }) };

  encodeFill(gpu, target, { output: filled, value: 5, count });
  encodeExclusiveScan(gpu, target, { input, output: scanned, total: { buffer: total }, ...shared });
  encodeSort(gpu, target, { keys, values, ...shared });
  const keep = { values: input, flags: buffers.upload(flags), output: kept, total: { buffer: keptCount } };
  encodeCompact(gpu, target, { ...keep, ...shared });
  encodeHistogram(gpu, target, { values: buffers.upload(bins), output: counts, bins: BINS, count });

  return async (what) => {
    const used = words.subarray(0, expected);
    const scan = exclusiveScanOracle(used);
    const order = sortedOrder(used);
    const chosen = compactOracle(used, flags);
    const inOrder = words.slice();
    inOrder.set(pick(used, order));
    const places = indices(room);
    places.set(order);
    equalWords(await buffers.read(filled, room), padded(new Uint32Array(expected).fill(5), room), `${what}: fill`);
    equalWords(await buffers.read(scanned, room), padded(scan.output, room), `${what}: scan`);
    equalWords(await buffers.read(total, 1), [scan.total], `${what}: total`);
    equalWords(await buffers.read(keys, room), inOrder, `${what}: sorted keys`);
    equalWords(await buffers.read(values, room), places, `${what}: sorted values`);
    equalWords(await buffers.read(kept, room), padded(chosen, room), `${what}: compact`);
    equalWords(await buffers.read(keptCount, 1), [chosen.length], `${what}: how many were kept`);
    const counted = histogramOracle(bins.subarray(0, expected), BINS);
    equalWords(await buffers.read(counts, BINS), counted, `${what}: histogram`);
  };
}

/** Submits what the commands record, and returns what they return. */
function submit<T>(gpu: Gpu, commands: (encoder: GPUCommandEncoder) => T): T {
  const encoder = gpu.device.createCommandEncoder();
  const result = commands(encoder);
  gpu.device.queue.submit([encoder.finish()]);
  return result;
}

export const primitiveEncoderCases: readonly ConformanceCase[] = [
  {
    name: 'primitives leave the words behind the count alone',
    short: false,
    async run(gpu) {
      for (const expected of [0, 1, 3, 3840, 4999]) {
        using buffers = new TestBuffers(gpu);
        const check = submit(gpu, (encoder) =>
          encodeAll(gpu, encoder, buffers, { room: 5000, count: expected, expected }),
        );
        await check(`${expected} of 5000`);
      }
    },
  },
  {
    name: 'primitives take their count from the GPU, and no more than there is room',
    short: true,
    async run(gpu) {
      for (const [room, wanted] of [
        [5000, 0],
        [5000, 1],
        [5000, 3841],
        [5000, 0xffffffff],
        [100, 99],
        [1, 1],
      ] as const) {
        using buffers = new TestBuffers(gpu);
        const count = { buffer: buffers.upload(Uint32Array.of(7, 7, wanted)), offset: 8 };
        const expected = Math.min(room, wanted);
        const check = submit(gpu, (encoder) => encodeAll(gpu, encoder, buffers, { room, count, expected }));
        await check(`${wanted} of ${room}, counted on the GPU`);
      }
    },
  },
  {
    name: 'primitives encoded before one submit share a growing workspace',
    short: false,
    async run(gpu) {
      using buffers = new TestBuffers(gpu);
      using workspace = new Workspace(gpu);
      const checks = submit(gpu, (encoder) =>
        [300, 9000, 4000].map((room) =>
          encodeAll(gpu, encoder, buffers, { room, count: room, expected: room, workspace }),
        ),
      );
      for (const [i, check] of checks.entries()) await check(`call ${i}`);
    },
  },
  {
    name: "primitives record into the caller's open pass",
    short: true,
    async run(gpu) {
      using buffers = new TestBuffers(gpu);
      const count = { buffer: buffers.upload(Uint32Array.of(2000)) };
      const checks = submit(gpu, (encoder) => {
        const pass = encoder.beginComputePass();
        const known = encodeAll(gpu, pass, buffers, { room: 4001, count: 4001, expected: 4001 });
        const onGpu = encodeAll(gpu, pass, buffers, { room: 4001, count, expected: 2000 });
        pass.end();
        return [known, onGpu];
      });
      for (const [i, check] of checks.entries()) await check(`call ${i}`);
    },
  },
  {
    name: 'exclusiveScan works in place, and puts the total right behind the sums',
    short: true,
    async run(gpu) {
      for (const size of [0, 1, 100, 3841, 70_000]) {
        using buffers = new TestBuffers(gpu);
        const words = wordsBelow(size);
        const { output, total } = exclusiveScanOracle(words);
        const [apart, inPlace] = [buffers.words(size + 1), buffers.upload(padded(words, size + 1))];
        submit(gpu, (encoder) => {
          for (const [from, to] of [
            [buffers.upload(words), apart],
            [inPlace, inPlace],
          ] as const) {
            const place = { buffer: to, offset: 4 * size };
            encodeExclusiveScan(gpu, encoder, { input: from, output: to, count: size, total: place });
          }
        });
        equalWords(await buffers.read(apart, size + 1), padded(output, size + 1).fill(total, size), `${size} words`);
        equalWords(await buffers.read(inPlace, size + 1), padded(output, size + 1).fill(total, size), 'in place');
      }
    },
  },
  {
    name: 'fill starts and ends at any word',
    short: false,
    async run(gpu) {
      for (const [room, offsetItems, count] of [
        [64, 0, 61],
        [64, 4, 57],
        [64, 5, 59],
        [63, 4, 59],
        [9001, 8, 8990],
        [9000, 8, 8992],
      ] as const) {
        using buffers = new TestBuffers(gpu);
        const output = buffers.upload(new Uint32Array(room).fill(UNTOUCHED));
        submit(gpu, (encoder) => encodeFill(gpu, encoder, { output, value: 9, count, offsetItems }));
        const expected = new Uint32Array(room).fill(UNTOUCHED).fill(9, offsetItems, offsetItems + count);
        equalWords(await buffers.read(output, room), expected, `${count} words from ${offsetItems} on`);
      }
    },
  },
];
