import {
  compact,
  encodeHistogram,
  exclusiveScan,
  fill,
  gatherRows,
  histogram,
  sort,
} from '../../src/primitives/index.ts';
import {
  compactOracle,
  exclusiveScanOracle,
  gatherRowsOracle,
  histogramOracle,
  pick,
  sortedOrder,
} from '../oracles/primitives.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords } from './expect.ts';
import { primitiveEncoderCases } from './primitiveEncoders.ts';
import { awkwardWords, indices, PRIMITIVE_SIZES, wordsBelow } from './primitiveWords.ts';

const MANY = 65_537;
const AWKWARD_LENGTH = 5000;

/** Every bit, none, one digit, digits that do not divide evenly, and odd and even numbers of passes. */
const BIT_RANGES = [
  [0, 32],
  [0, 0],
  [0, 1],
  [31, 1],
  [3, 7],
  [24, 8],
  [4, 12],
  [5, 17],
  [0, 24],
  [1, 31],
] as const;

/** A bin more or less than fits workgroup memory, and far more. */
const BINS = [1, 2, 255, 2048, 2049, 70_000];

export const primitiveCases: readonly ConformanceCase[] = [
  {
    name: 'fill writes every word of an array of any size',
    short: true,
    async run(gpu) {
      for (const size of [...PRIMITIVE_SIZES, MANY]) {
        equalWords(await fill(gpu, size, 0xfedcba98), new Uint32Array(size).fill(0xfedcba98), `${size} words`);
      }
    },
  },
  {
    name: 'exclusiveScan sums arrays of any size',
    short: true,
    async run(gpu) {
      for (const size of [...PRIMITIVE_SIZES, MANY]) {
        const input = wordsBelow(size);
        const expected = exclusiveScanOracle(input);
        const { output, total } = await exclusiveScan(gpu, input);
        equalWords(output, expected.output, `the sums of ${size} words`);
        equal(total, expected.total, `the total of ${size} words`);
      }
    },
  },
  {
    name: 'exclusiveScan wraps sums of awkward words around',
    short: false,
    async run(gpu) {
      for (const [what, input] of Object.entries(awkwardWords(AWKWARD_LENGTH))) {
        const expected = exclusiveScanOracle(input);
        const { output, total } = await exclusiveScan(gpu, input);
        equalWords(output, expected.output, what);
        equal(total, expected.total, `the total of ${what}`);
      }
    },
  },
  {
    name: 'sort orders pairs of any number and keeps equal keys in order',
    short: true,
    async run(gpu) {
      for (const size of [...PRIMITIVE_SIZES, MANY]) {
        const keys = wordsBelow(size, Math.max(1, size >> 1));
        const order = sortedOrder(keys);
        const sorted = await sort(gpu, keys, { values: indices(size) });
        equalWords(sorted.keys, pick(keys, order), `${size} keys`);
        equalWords(sorted.values as Uint32Array, order, `the values of ${size} keys`);
      }
    },
  },
  {
    name: 'sort orders keys without values',
    short: false,
    async run(gpu) {
      for (const size of [0, 1, 2, 3840, 3841, 20_000]) {
        const keys = wordsBelow(size);
        const sorted = await sort(gpu, keys);
        equalWords(sorted.keys, keys.slice().sort(), `${size} keys`);
        equal(sorted.values, undefined, 'values that nobody gave');
      }
    },
  },
  {
    name: 'sort orders awkward keys',
    short: false,
    async run(gpu) {
      for (const [what, keys] of Object.entries(awkwardWords(AWKWARD_LENGTH))) {
        const order = sortedOrder(keys);
        const sorted = await sort(gpu, keys, { values: indices(keys.length) });
        equalWords(sorted.keys, pick(keys, order), what);
        equalWords(sorted.values as Uint32Array, order, `the values of ${what}`);
      }
    },
  },
  {
    name: 'sort orders by any range of bits and by nothing else',
    short: false,
    async run(gpu) {
      const keys = wordsBelow(AWKWARD_LENGTH);
      for (const [firstBit, bits] of BIT_RANGES) {
        const order = sortedOrder(keys, firstBit, bits);
        const sorted = await sort(gpu, keys, { values: indices(keys.length), firstBit, bits });
        equalWords(sorted.keys, pick(keys, order), `${bits} bits from ${firstBit} on`);
        equalWords(sorted.values as Uint32Array, order, `the values, ${bits} bits from ${firstBit} on`);
      }
    },
  },
  {
    name: 'compact keeps the flagged values in order',
    short: true,
    async run(gpu) {
      for (const size of [...PRIMITIVE_SIZES, MANY]) {
        const values = wordsBelow(size);
        for (const [what, flags] of [
          ['some', wordsBelow(size, 3, 7)],
          ['all', new Uint32Array(size).fill(0x80000000)],
          ['none', new Uint32Array(size)],
        ] as const) {
          equalWords(await compact(gpu, values, flags), compactOracle(values, flags), `${what} of ${size} values`);
        }
      }
    },
  },
  {
    name: 'histogram counts arrays of any size',
    short: true,
    async run(gpu) {
      for (const size of [...PRIMITIVE_SIZES, 4095, 4096, 4097, MANY]) {
        const values = wordsBelow(size, 300);
        equalWords(await histogram(gpu, values, 256), histogramOracle(values, 256), `${size} values`);
      }
    },
  },
  {
    name: 'histogram writes no word behind its bins',
    short: false,
    async run(gpu) {
      using buffers = new TestBuffers(gpu);
      // As many as fit into a workgroup, and one more.
      for (const bins of [1, 2048, 2049]) {
        const values = wordsBelow(5000, bins + 1, bins);
        const output = buffers.upload(new Uint32Array(bins + 1).fill(7));
        await gpu.run((encoder) =>
          encodeHistogram(gpu, encoder, { values: buffers.upload(values), output, bins, count: 5000 }),
        );
        const expected = [...histogramOracle(values, bins), 7];
        equalWords(await buffers.read(output, bins + 1), expected, `${bins} bins`);
      }
    },
  },
  {
    name: 'histogram counts with any number of bins, and leaves greater values out',
    short: false,
    async run(gpu) {
      for (const bins of BINS) {
        for (const limit of [1, bins, 3 * bins, 2 ** 32]) {
          const values = wordsBelow(AWKWARD_LENGTH, limit);
          const expected = histogramOracle(values, bins);
          equalWords(await histogram(gpu, values, bins), expected, `${bins} bins for values below ${limit}`);
        }
      }
    },
  },
  {
    name: 'gatherRows brings rows of any width, and zeros for those that there are none of',
    short: true,
    async run(gpu) {
      for (const rowWords of [1, 3, 4, 20, 2051]) {
        const rows = indices(40 * rowWords).map((i) => i + 1);
        const wanted = indices(rowWords > 1000 ? 9 : 5000).map((i) => (i % 7 === 3 ? 0xffff_ffff - i : (i * 31) % 41));
        const expected = gatherRowsOracle(rows, rowWords, wanted);
        equalWords(await gatherRows(gpu, { rows, rowWords, indices: wanted }), expected, `rows of ${rowWords} words`);
      }
    },
  },
  ...primitiveEncoderCases,
];
