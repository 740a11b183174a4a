import { afterAll, describe, expect, it } from 'vitest';
import { ELEMENT_BYTES, InvalidInputError, type Target, TooLargeError, USAGE, Workspace } from '../../src/gpu/index.ts';
import {
  compact,
  compactScratch,
  encodeCompact,
  encodeExclusiveScan,
  encodeFill,
  encodeHistogram,
  encodeSort,
  exclusiveScan,
  fill,
  histogram,
  scanScratch,
  sort,
  sortScratch,
} from '../../src/primitives/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const [small, large, other] = [40, 400, 400].map((bytes) => gpu.createBuffer('test', bytes)) as [
  GPUBuffer,
  GPUBuffer,
  GPUBuffer,
];
const uniforms = gpu.createBuffer('test', 400, USAGE.UNIFORM);
afterAll(() => {
  for (const buffer of [small, large, other, uniforms]) buffer.destroy();
});
// Arguments are checked before the target is touched.
const target = {} as Target;

/** Throws unless the call is refused with that sentence. */
function refused(call: () => void, sentence: string | RegExp): void {
  expect(call).toThrow(InvalidInputError);
  expect(call).toThrow(sentence);
}

describe('encodeExclusiveScan refuses', () => {
  const encode = (options: Partial<Parameters<typeof encodeExclusiveScan>[2]>) => () =>
    encodeExclusiveScan(gpu, target, { input: large, output: other, count: 100, ...options });

  it('buffers that are too small', () => {
    refused(encode({ input: small }), 'count is 100, but input has room for only 10 words');
    refused(encode({ output: small }), 'count is 100, but output has room for only 10 words');
  });
  it('buffers that kernels may not use', () => {
    refused(encode({ input: uniforms }), 'input must be a buffer with the usage STORAGE');
    refused(encode({ count: { buffer: uniforms } }), 'count.buffer must be a buffer with the usage STORAGE');
  });
  it('counts that are none', () => {
    refused(encode({ count: -1 }), 'count must be a whole number, not -1');
    refused(encode({ count: 1.5 }), 'count must be a whole number, not 1.5');
    refused(encode({ count: Number.NaN }), 'count must be a whole number, not NaN');
  });
  it('words that are none', () => {
    refused(encode({ count: { buffer: small, offset: 6 } }), 'count.offset must be a multiple of 4, not 6');
    refused(encode({ count: { buffer: small, offset: 40 } }), 'count.offset is 40, but the buffer has only 40 bytes');
    refused(encode({ total: { buffer: small, offset: -4 } }), 'total.offset must be a multiple of 4, not -4');
  });
  it('a total among the words that are scanned', () => {
    refused(encode({ total: { buffer: other, offset: 396 } }), 'the part before total has room for only 99 words');
    refused(encode({ total: { buffer: large } }), 'the part before total has room for only 0 words');
  });
});

describe('encodeSort refuses', () => {
  const encode = (options: Partial<Parameters<typeof encodeSort>[2]>) => () =>
    encodeSort(gpu, target, { keys: large, values: other, count: 100, ...options });

  it('bits that a key does not have', () => {
    refused(encode({ firstBit: 1, bits: 32 }), 'firstBit 1 and bits 32 do not name a range within 0 to 32');
    refused(encode({ firstBit: 33 }), 'bits must be a whole number, not -1');
    refused(encode({ firstBit: -1 }), 'firstBit must be a whole number, not -1');
    refused(encode({ bits: 0.5 }), 'bits must be a whole number, not 0.5');
  });
  it('keys and values in the same buffer', () => {
    refused(encode({ values: large }), 'keys and values must not be the same buffer');
  });
  it('values that are too few', () => {
    refused(encode({ values: small }), 'count is 100, but values has room for only 10 words');
  });
});

describe('the other encoders refuse', () => {
  it('to compact into what they read, or into too little', () => {
    const io = { values: large, flags: large, output: other, total: { buffer: small }, count: 100 };
    refused(
      () => encodeCompact(gpu, target, { ...io, output: large }),
      'values and output must not be the same buffer',
    );
    refused(() => encodeCompact(gpu, target, { ...io, total: { buffer: other } }), 'output and total must not be');
    refused(() => encodeCompact(gpu, target, { ...io, count: 101 }), 'room for only 100 words');
  });
  it('to count into bins that are not there', () => {
    const io = { values: large, output: small, bins: 10, count: 100 };
    refused(() => encodeHistogram(gpu, target, { ...io, bins: 11 }), 'output has room for only 10 of the 11 bins');
    refused(
      () => encodeHistogram(gpu, target, { ...io, bins: 0 }),
      'bins must be a whole number and at least 1, not 0',
    );
    refused(() => encodeHistogram(gpu, target, { ...io, output: large }), 'must not be the same buffer');
  });
  it('to fill with what is no word, or beyond the end', () => {
    const io = { output: small, value: 0, count: 5 };
    refused(() => encodeFill(gpu, target, { ...io, value: 2 ** 32 }), 'value must be an integer from 0 to 4294967295');
    refused(
      () => encodeFill(gpu, target, { ...io, offsetItems: 6 }),
      'count is 5, but output has room for only 4 words',
    );
    refused(() => encodeFill(gpu, target, { ...io, offsetItems: 11 }), 'output is too small by 1 words');
    refused(() => encodeFill(gpu, target, { ...io, offsetItems: 0.5 }), 'offsetItems must be a whole number, not 0.5');
  });
});

describe('with arrays', () => {
  it('lengths must agree', async () => {
    await expect(compact(gpu, new Uint32Array(3), new Uint32Array(2))).rejects.toThrow('3 values but 2 flags');
    await expect(sort(gpu, new Uint32Array(3), { values: new Uint32Array(2) })).rejects.toThrow('3 keys but 2 values');
  });
  const words = Uint32Array.of(1, 2, 3);
  const CALLS = {
    exclusiveScan: ['input', exclusiveScan],
    histogram: ['values', (on, array) => histogram(on, array, 4)],
    compact: ['values', (on, array) => compact(on, array, words)],
    'compact by flags': ['flags', (on, array) => compact(on, words, array)],
    sort: ['keys', sort],
    'sort with values': ['values', (on, array) => sort(on, words, { values: array })],
  } satisfies Record<string, [string, (on: typeof gpu, array: Uint32Array) => Promise<unknown>]>;
  it.each(Object.entries(CALLS))('%s takes words and nothing else', async (_, [name, call]) => {
    const gone = Uint32Array.of(1, 2, 3);
    structuredClone(gone, { transfer: [gone.buffer] });
    for (const array of [[1, 2, 3], Float32Array.of(1, 2, 3), new Proxy(words, {})]) {
      const error = await call(gpu, array as never).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidInputError);
      expect((error as Error).message).toContain(`${name} must be a Uint32Array`);
    }
    await expect(call(gpu, gone)).rejects.toThrow(`${name}: an array has lost its memory`);
  });
  it('arrays must not be longer than a buffer of the device', async () => {
    const standard = await sharedGpu('default');
    const long = new Uint32Array(standard.limits.maxStorageBufferBindingSize / 4 + 1);
    for (const [name, call] of [CALLS.exclusiveScan, CALLS.histogram, CALLS.compact, CALLS.sort] as const) {
      const error = await call(standard, long).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TooLargeError);
      expect((error as Error).message).toContain(`the length of ${name} is ${long.length}`);
    }
  });
  it('sizes must be possible on the device', async () => {
    await expect(fill(gpu, 2 ** 40, 0)).rejects.toBeInstanceOf(TooLargeError);
    await expect(fill(gpu, -1, 0)).rejects.toBeInstanceOf(InvalidInputError);
    await expect(histogram(gpu, new Uint32Array(1), 2 ** 40)).rejects.toBeInstanceOf(TooLargeError);
  });
});

describe('scratch memory', () => {
  it('is what the plan says, and not more', () => {
    for (const [count, withValues, bits] of [
      [100, true, 32],
      [10_000, false, 32],
      [100, true, 5],
    ] as const) {
      using workspace = new Workspace(gpu);
      const [keys, values] = [0, 1].map(() => gpu.createBuffer('test', 4 * count)) as [GPUBuffer, GPUBuffer];
      const encoder = gpu.device.createCommandEncoder();
      encodeSort(gpu, encoder, { keys, ...(withValues && { values }), count, bits, workspace });
      const planned = sortScratch(count, { withValues, bits });
      expect(workspace.bytes).toBe(planned.reduce((sum, { bytes }) => sum + Math.max(ELEMENT_BYTES, bytes), 0));
      for (const buffer of [keys, values]) buffer.destroy();
    }
  });
  it('has a name of its own in every primitive', () => {
    const names = sortScratch(10, { withValues: true }).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(compactScratch(10)).toEqual(scanScratch(10));
  });
});
