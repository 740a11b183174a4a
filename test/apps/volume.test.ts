import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeVolume } from '../../bench/pictures/volumes.ts';
import { SparseVolume, type Vector } from '../../src/apps.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { bytesOf, notBackground, sparseWords, WHITE, WHITE_BYTES, wordsOf } from './pictures.ts';

const gpu = await sharedGpu();

describe('a sparse volume', () => {
  it.each([
    [1, 1, 1],
    [1, 1, 70],
    [70, 1, 3],
    [5, 256, 1],
    [17, 9, 23],
  ])('of %i × %i × %i comes back as it was', async (width, height, depth) => {
    const voxels = sparseWords(width * height * depth, 0.3, WHITE);
    using volume = await SparseVolume.from(gpu, { width, height, depth, voxels }, { background: WHITE_BYTES });
    expect([volume.width, volume.height, volume.depth]).toEqual([width, height, depth]);
    expect(volume.size).toBe(notBackground(voxels, WHITE));
    expect(await volume.voxels()).toEqual(bytesOf(voxels));
  });

  it('has its voxels where they were put, in a cube of 1,024³ too', async () => {
    const last = 1023;
    const points = Uint32Array.of(0, 0, 0, last, 0, 0, 0, last, 0, 0, 0, last, last, last, last);
    const colours = Uint32Array.of(1, 2, 3, 4, 5);
    using volume = await SparseVolume.from(gpu, { width: 1024, height: 1024, depth: 1024, points, colours });
    const outside = [1024, 0, 0, 0, 1024, 0, 0, 0, 1024, -1, 0, 0, 0, -1, 0, 0, 0, -1, 1, 1, 1];
    expect(wordsOf(await volume.get(Int32Array.of(...points, ...outside)))).toEqual(
      Uint32Array.of(1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0),
    );
  });

  it('holds the voxels of a surface', async () => {
    const side = 40;
    const { places, colours } = makeVolume({ kind: 'armadillo', side });
    const points = Uint32Array.from({ length: 3 * places.length }, (_, i) => {
      const place = places[Math.floor(i / 3)] as number;
      return Math.floor(place / side ** (i % 3)) % side;
    });
    using volume = await SparseVolume.from(gpu, { width: side, height: side, depth: side, points, colours });
    const expected = new Uint32Array(side ** 3);
    for (const [i, place] of places.entries()) expected[place] = colours[i] as number;
    expect(volume.size).toBe(places.length);
    expect(await volume.voxels()).toEqual(bytesOf(expected));
  });

  it('is built, unpacked and sliced by recorded commands', async () => {
    const [width, height, depth] = [11, 7, 5];
    const voxels = sparseWords(width * height * depth, 0.3, 0);
    const input = gpu.upload('test/voxels', voxels);
    const { live } = await liveBuffers(gpu, async () => {
      const output = gpu.createBuffer('test/output', voxels.byteLength);
      const layer = gpu.createBuffer('test/layer', 4 * height * depth);
      let volume: SparseVolume | undefined;
      const [all, across] = await gpu.run(
        (encoder) => {
          volume = SparseVolume.encodeBuild(gpu, encoder, { width, height, depth, voxels: input, most: 200 });
          volume.encodeUnpack(encoder, { output });
          const slice = { origin: [4, 0, 0], u: [0, 1, 0], v: [0, 0, 1], width: height, height: depth } as const;
          volume.encodeSlice(encoder, { ...slice, output: layer });
        },
        [
          { buffer: output, bytes: voxels.byteLength },
          { buffer: layer, bytes: 4 * height * depth },
        ],
      );
      expect(new Uint32Array(all as ArrayBuffer)).toEqual(voxels);
      expect(new Uint32Array(across as ArrayBuffer)).toEqual(voxels.filter((_, i) => i % width === 4));
      const again = voxels.map((word) => word && word ^ 5);
      gpu.write(input, again);
      await gpu.run((encoder) => volume?.encodeRebuild(encoder, { voxels: input }));
      expect(await (await volume?.settle())?.voxels()).toEqual(bytesOf(again));
      for (const made of [volume, output, layer]) made?.destroy();
    });
    expect(live).toEqual([]);
    input.destroy();
  });
});

describe('a slice', () => {
  const sides = [19, 13, 11] as const;
  const [width, height, depth] = sides;
  const voxels = sparseWords(width * height * depth, 0.5, 0);
  const at = (cell: readonly number[]): number => {
    const isInside = cell.every((x, i) => x >= 0 && x < (sides[i] as number));
    const [x, y, z] = cell as [number, number, number];
    return isInside ? (voxels[x + width * (y + height * z)] as number) : 0;
  };
  const made = SparseVolume.from(gpu, { width, height, depth, voxels });

  it('along the sides shows rows, columns and layers, and background around', async () => {
    const volume = await made;
    const words = wordsOf(
      await volume.slice({ origin: [-2, 3, -1], u: [1, 0, 0], v: [0, 0, 1], width: 23, height: 14 }),
    );
    const expected = Uint32Array.from({ length: 23 * 14 }, (_, i) => at([(i % 23) - 2, 3, Math.floor(i / 23) - 1]));
    expect(words).toEqual(expected);
  });

  it('at any orientation shows the nearest voxels: exactly where 32-bit floats are', async () => {
    const volume = await made;
    // Eighths: no sum of them is rounded.
    const eighths = fc.integer({ min: -12, max: 12 }).map((n) => n / 8);
    const vector = fc.tuple(eighths, eighths, eighths);
    await fc.assert(
      fc.asyncProperty(vector, vector, vector, async (origin, u, v) => {
        const words = wordsOf(await volume.slice({ origin, u, v, width: 12, height: 9 }));
        const expected = Uint32Array.from({ length: 12 * 9 }, (_, i) =>
          at(
            origin.map((start, k) =>
              Math.floor(start + (i % 12) * (u[k] as number) + Math.floor(i / 12) * (v[k] as number) + 0.5),
            ),
          ),
        );
        expect(words).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });

  it('at any orientation shows voxels that are near, also where floats are rounded', async () => {
    const volume = await made;
    const real = fc.double({ min: -2, max: 2, noNaN: true });
    const vector = fc.tuple(real, real, real);
    await fc.assert(
      fc.asyncProperty(vector, vector, vector, async (origin, u, v) => {
        const words = wordsOf(await volume.slice({ origin, u, v, width: 10, height: 10 }));
        for (const [i, word] of words.entries()) {
          const point = origin.map(
            (start, k) => start + (i % 10) * (u[k] as number) + Math.floor(i / 10) * (v[k] as number),
          );
          const [low, high] = [-1e-4, 1e-4].map((off) => point.map((x) => Math.floor(x + 0.5 + off))) as [
            number[],
            number[],
          ];
          const candidates = Array.from({ length: 8 }, (_, bits) =>
            at(low.map((x, k) => ((bits >> k) & 1 ? (high[k] as number) : x))),
          );
          expect(candidates).toContain(word);
        }
      }),
      { numRuns: 15 },
    );
  });

  it.each<[string, object, RegExp]>([
    ['no origin', { origin: undefined }, /SparseVolume\.slice: origin must be three finite numbers, not undefined/],
    ['half an origin', { origin: [1, 2] }, /origin must be three finite numbers, not Array\(2\)/],
    ['a step that is no number', { u: [1, 0, Number.NaN] }, /u must be three finite numbers/],
    ['a step of text', { v: '123' }, /v must be three finite numbers, not '123'/],
    ['no width', { width: 0 }, /width must be a whole number from 1/],
    ['half a row', { height: 1.5 }, /height must be a whole number from 1/],
    ['a row that floats cannot count', { width: 2 ** 24 + 1 }, /width must be a whole number from 1 to 16777216/],
    ['a column that they cannot', { height: 2 ** 24 + 1 }, /height must be a whole number from 1 to 16777216/],
    ['more pixels than fit', { width: 2 ** 24, height: 2 ** 24 }, /number of pixels is 281474976710656, but/],
    ['a misspelt member', { orgin: [0, 0, 0], origin: undefined }, /slice have no orgin; did you mean origin\?/],
  ])('is refused that has %s', async (_, change, message) => {
    const volume = await made;
    const good = { origin: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], width: 2, height: 2 } as const;
    await expect(volume.slice({ ...good, ...change } as typeof good)).rejects.toThrow(message);
  });

  it('takes vectors in typed arrays', async () => {
    const volume = await made;
    const vector = (...numbers: number[]) => Float32Array.from(numbers) as unknown as Vector;
    const slice = { origin: vector(1, 2, 3), u: vector(1, 0, 0), v: vector(0, 1, 0), width: 1, height: 1 };
    expect(wordsOf(await volume.slice(slice))).toEqual(Uint32Array.of(at([1, 2, 3])));
  });
});
