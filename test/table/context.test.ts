import { afterAll, describe, expect, it } from 'vitest';
import { InvalidInputError, mostBytes, TooLargeError, USAGE } from '../../src/gpu/index.ts';
import { u32, utf8 } from '../../src/index.ts';
import { contextBytes, requireContext, requireContextFits, uploadPieces } from '../../src/table/context.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const bytesOf = (length: number, first: number) => Uint8Array.from({ length }, (_, i) => first + i);

describe('the bytes of keys', () => {
  const pieces = [bytesOf(5, 1), bytesOf(0, 0), bytesOf(8, 11), bytesOf(3, 21)];

  it('take whole words, piece by piece', () => {
    expect(contextBytes(pieces)).toBe(8 + 0 + 8 + 4);
    expect(contextBytes([])).toBe(0);
  });

  it('lie one piece behind the other, each at a whole word', async () => {
    const told: GPUBuffer[] = [];
    const buffer = uploadPieces(gpu, 'test', pieces, (made) => {
      told.push(made);
      return made;
    });
    const [read] = await gpu.run(() => {}, [{ buffer, bytes: 20 }]);
    buffer.destroy();
    expect(told).toEqual([buffer]);
    expect(buffer.size).toBe(20);
    const expected = [1, 2, 3, 4, 5, 0, 0, 0, 11, 12, 13, 14, 15, 16, 17, 18, 21, 22, 23, 0];
    expect([...new Uint8Array(read as ArrayBuffer)]).toEqual(expected);
  });

  it('may be as many as a binding can have', () => {
    const most = mostBytes(gpu.limits);
    expect(() => requireContextFits(gpu, most)).not.toThrow();
    expect(() => requireContextFits(gpu, most + 1)).toThrow(TooLargeError);
  });
});

describe('the context of keys in a buffer', () => {
  const made: GPUBuffer[] = [];
  const buffer = (bytes: number, usage?: number): GPUBuffer => {
    const one = gpu.device.createBuffer({ size: bytes, usage: usage ?? USAGE.STORAGE });
    made.push(one);
    return one;
  };
  afterAll(() => {
    for (const one of made) one.destroy();
  });

  it('is there for keys that have one, and for no others', () => {
    expect(() => requireContext(utf8, buffer(16))).not.toThrow();
    expect(() => requireContext(u32, undefined)).not.toThrow();
    expect(() => requireContext(utf8, undefined)).toThrow(InvalidInputError);
    expect(() => requireContext(u32, buffer(16))).toThrow(InvalidInputError);
  });

  it('is a storage buffer of whole words', () => {
    expect(() => requireContext(utf8, buffer(18))).toThrow(/whole number of words/);
    expect(() => requireContext(utf8, buffer(16, USAGE.UNIFORM))).toThrow(/STORAGE/);
  });
});
