import { crc32, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILTERS, PngError } from '../../../bench/pictures/png/format.ts';
import { readPng } from '../../../bench/pictures/png/read.ts';
import { writePng } from '../../../bench/pictures/png/write.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const word = (n: number): number[] => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];

/** A chunk as the standard has it; its checksum may be another. */
const chunk = (name: string, content: ArrayLike<number>, checksum?: number): number[] => {
  const named = [...Buffer.from(name, 'latin1'), ...Array.from(content)];
  return [...word(content.length), ...named, ...word(checksum ?? crc32(Uint8Array.from(named)))];
};

interface Made {
  readonly width?: number;
  readonly height?: number;
  readonly bits?: number;
  readonly colour?: number;
  readonly interlace?: number;
  /** Filter bytes and rows, not yet compressed. */
  readonly rows?: readonly number[];
  /** Chunks between the header and the pixels. */
  readonly before?: readonly number[];
}

const header = ({ width = 1, height = 1, bits = 8, colour = 6, interlace = 0 }: Made): number[] =>
  chunk('IHDR', [...word(width), ...word(height), bits, colour, 0, 0, interlace]);

/** A file that was made by hand. */
const fileOf = (made: Made): Uint8Array => {
  const { rows = [0, 1, 2, 3, 4], before = [] } = made;
  const pixels = chunk('IDAT', deflateSync(Uint8Array.from(rows)));
  return Uint8Array.from([...SIGNATURE, ...header(made), ...before, ...pixels, ...chunk('IEND', [])]);
};

/** Red, green, blue and alpha of every pixel. */
const bytesOf = (file: Uint8Array): number[] => [...new Uint8Array(readPng(file).pixels.buffer)];

const grey = (value: number, alpha = 255): number[] => [value, value, value, alpha];

describe('a picture', () => {
  it.each(FILTERS)('comes back as it was written, filtered by %s', (filter) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), fc.nat(), (width, height, seed) => {
        const pixels = Uint32Array.from({ length: width * height }, (_, i) => Math.imul(i + seed, 0x9e3779b1) >>> 0);
        const file = writePng({ width, height, pixels }, filter);
        expect(readPng(file)).toEqual({ width, height, pixels });
      }),
    );
  });

  it('is read from a part of a larger array', () => {
    const file = writePng({ width: 2, height: 1, pixels: Uint32Array.of(5, 0xfffffff0) });
    const larger = new Uint8Array(file.length + 7);
    larger.set(file, 3);
    expect(readPng(larger.subarray(3, 3 + file.length)).pixels).toEqual(Uint32Array.of(5, 0xfffffff0));
  });

  it('is read from rows that were filtered in all ways', () => {
    // Two pixels of red, green and blue; every row but the first is the same as that above it.
    const rows = [
      ...[0, 10, 20, 30, 40, 50, 60],
      ...[1, 10, 20, 30, 30, 30, 30],
      ...[2, 0, 0, 0, 0, 0, 0],
      ...[3, 5, 10, 15, 15, 15, 15],
      ...[4, 0, 0, 0, 0, 0, 0],
    ];
    const row = [10, 20, 30, 255, 40, 50, 60, 255];
    expect(bytesOf(fileOf({ width: 2, height: 5, colour: 2, rows }))).toEqual([...row, ...row, ...row, ...row, ...row]);
  });

  it('may be grey, with one to eight bits', () => {
    const read = (bits: number, width: number, row: number[]) =>
      bytesOf(fileOf({ width, colour: 0, bits, rows: [0, ...row] })).filter((_, i) => i % 4 === 0);
    expect(read(8, 3, [0, 7, 255])).toEqual([0, 7, 255]);
    expect(read(4, 3, [0x0f, 0x30])).toEqual([0, 255, 51]);
    expect(read(2, 5, [0b00011011, 0b01000000])).toEqual([0, 85, 170, 255, 85]);
    expect(read(1, 9, [0b10110000, 0b10000000])).toEqual([255, 0, 255, 255, 0, 0, 0, 0, 255]);
  });

  it('may be grey with alpha', () => {
    expect(bytesOf(fileOf({ width: 2, colour: 4, rows: [0, 9, 8, 7, 6] }))).toEqual([...grey(9, 8), ...grey(7, 6)]);
  });

  it('may have a palette, with alpha for the first of its colours', () => {
    const before = [...chunk('PLTE', [1, 2, 3, 4, 5, 6, 7, 8, 9]), ...chunk('tRNS', [100, 0])];
    const colours = [
      [1, 2, 3, 100],
      [4, 5, 6, 0],
      [7, 8, 9, 255],
    ];
    expect(bytesOf(fileOf({ width: 3, colour: 3, before, rows: [0, 0, 1, 2] }))).toEqual(colours.flat());
    expect(bytesOf(fileOf({ width: 3, colour: 3, bits: 2, before, rows: [0, 0b00011000] }))).toEqual(colours.flat());
  });

  it('may have one colour that is transparent', () => {
    const rgb = fileOf({ width: 2, colour: 2, before: chunk('tRNS', [0, 4, 0, 5, 0, 6]), rows: [0, 1, 2, 3, 4, 5, 6] });
    expect(bytesOf(rgb)).toEqual([1, 2, 3, 255, 4, 5, 6, 0]);
    const shades = fileOf({ width: 2, colour: 0, before: chunk('tRNS', [0, 9]), rows: [0, 8, 9] });
    expect(bytesOf(shades)).toEqual([...grey(8), ...grey(9, 0)]);
  });

  it.each([
    [1, 1],
    [3, 2],
    [5, 5],
    [8, 8],
    [9, 17],
  ])('may be interlaced, of %i × %i', (width, height) => {
    const starts = [
      [0, 0, 8, 8],
      [4, 0, 8, 8],
      [0, 4, 4, 8],
      [2, 0, 4, 4],
      [0, 2, 2, 4],
      [1, 0, 2, 2],
      [0, 1, 1, 2],
    ] as const;
    const rows: number[] = [];
    for (const [left, top, across, down] of starts) {
      for (let y = top; y < height && left < width; y += down) {
        rows.push(0);
        for (let x = left; x < width; x += across) rows.push(y * width + x);
      }
    }
    const read = bytesOf(fileOf({ width, height, colour: 0, interlace: 1, rows }));
    expect(read.filter((_, i) => i % 4 === 0)).toEqual(Array.from({ length: width * height }, (_, i) => i));
  });

  it('may be in many chunks, between others that are not known', () => {
    const [first, rest] = [0, 5].map((from) =>
      deflateSync(Uint8Array.of(0, 1, 2, 3, 4)).subarray(from, from ? undefined : 5),
    );
    const file = [
      ...[...SIGNATURE, ...header({}), ...chunk('tEXt', [65, 0, 66])],
      ...[...chunk('IDAT', first as Uint8Array), ...chunk('IDAT', []), ...chunk('IDAT', rest as Uint8Array)],
      ...chunk('IEND', []),
    ];
    expect(bytesOf(Uint8Array.from(file))).toEqual([1, 2, 3, 4]);
  });
});

describe('a file is refused that', () => {
  const whole = fileOf({});

  it('is cut off, wherever that is', () => {
    for (let length = 0; length < whole.length; length++) {
      expect(() => readPng(whole.subarray(0, length)), `${length} bytes`).toThrow(PngError);
    }
  });

  it('has a bit that is wrong', () => {
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const forged = whole.slice();
      forged[bit >> 3] = (forged[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => readPng(forged), `bit ${bit}`).toThrow(PngError);
    }
  });

  it.each<[string, Made, RegExp]>([
    ['has no pixels', { width: 0 }, /0 × 1 pixels/],
    ['says it has more pixels than anybody has', { width: 0xffffffff, height: 0xffffffff }, /no more than 268435456/],
    ['says it has more pixels than are in it', { width: 10_000, height: 10_000 }, /5 bytes of pixels instead of/],
    ['has more pixels than it says', { rows: [0, 1, 2, 3, 4, 5] }, /cannot be unpacked/],
    ['has 16 bits a channel', { bits: 16 }, /kind 6 with 16 bits are not read/],
    ['has bits that no such pixels have', { colour: 2, bits: 4 }, /kind 2 with 4 bits/],
    ['has pixels of no kind', { colour: 5 }, /kind 5/],
    ['is interlaced in a way that is not known', { interlace: 2 }, /interlaced in a way/],
    ['has a filter that is not known', { rows: [5, 1, 2, 3, 4] }, /the filter 5/],
    ['has no palette', { colour: 3, rows: [0, 0] }, /no palette/],
    [
      'has a colour beyond its palette',
      { colour: 3, rows: [0, 1], before: chunk('PLTE', [1, 2, 3]) },
      /the palette does not/,
    ],
    ['has half a colour in its palette', { colour: 3, rows: [0, 0], before: chunk('PLTE', [1, 2]) }, /whole colours/],
    ['has half a transparent colour', { colour: 2, rows: [0, 1, 2, 3], before: chunk('tRNS', [1, 2]) }, /too few/],
    ['has two headers', { before: header({}) }, /two headers/],
    ['has a chunk that nobody knows and has to', { before: chunk('XYZW', []) }, /a chunk XYZW/],
    ['has a chunk with another checksum', { before: chunk('tEXt', [1], 7) }, /checksum of a chunk "tEXt"/],
  ])('%s', (_, made, message) => {
    const read = () => readPng(fileOf(made));
    expect(read).toThrow(PngError);
    expect(read).toThrow(message);
  });

  it('has pixels that are no data of zlib', () => {
    const file = [...SIGNATURE, ...header({}), ...chunk('IDAT', [1, 2, 3]), ...chunk('IEND', [])];
    expect(() => readPng(Uint8Array.from(file))).toThrow(/cannot be unpacked/);
  });

  it('has no header first', () => {
    expect(() => readPng(Uint8Array.from([...SIGNATURE, ...chunk('IEND', [])]))).toThrow(
      /does not begin with a header/,
    );
    const short = [...SIGNATURE, ...chunk('IHDR', [1, 2]), ...chunk('IEND', [])];
    expect(() => readPng(Uint8Array.from(short))).toThrow(/2 bytes instead of 13/);
  });

  it('would be unpacked to far more than it says', () => {
    const bomb = chunk('IDAT', deflateSync(new Uint8Array(2 ** 26)));
    const file = Uint8Array.from([...SIGNATURE, ...header({}), ...bomb, ...chunk('IEND', [])]);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => readPng(file)).toThrow(/cannot be unpacked/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 23);
  });
});
