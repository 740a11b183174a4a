import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SparseImage } from '../../src/apps.ts';
import { bucketCuckoo, chaining, cuckoo, eytzinger, linearProbing, perfect, sortedArray } from '../../src/index.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { bytesOf, notBackground, sparseWords, WHITE, WHITE_BYTES, wordsOf } from './pictures.ts';

const gpu = await sharedGpu();

const SCHEMES = { bucketCuckoo, chaining, cuckoo, eytzinger, linearProbing, perfect, sortedArray };

describe('a sparse image', () => {
  it.each([
    [1, 1],
    [1, 300],
    [300, 1],
    [255, 3],
    [256, 2],
    [257, 5],
    [64, 64],
    [97, 131],
  ])('of %i × %i comes back as it was', async (width, height) => {
    const pixels = sparseWords(width * height, 0.2, WHITE);
    using image = await SparseImage.from(gpu, { width, height, pixels }, { background: WHITE_BYTES });
    expect([image.width, image.height, image.background]).toEqual([width, height, [...WHITE_BYTES]]);
    expect(image.size).toBe(notBackground(pixels, WHITE));
    expect(await image.pixels()).toEqual(bytesOf(pixels));
  });

  it('comes back as it was, whatever its size, colours and background', async () => {
    const colour = fc.constantFrom(0, 1, 0xff, 0xff000000, 0x80402010, 0xfffffffe, WHITE);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(colour, { minLength: 1, maxLength: 12 }),
        fc.option(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), { nil: undefined }),
        async (width, height, colours, given) => {
          const pixels = Uint32Array.from(
            { length: width * height },
            (_, i) => colours[(Math.imul(i, 0x9e3779b1) >>> 8) % colours.length] as number,
          );
          const background = wordsOf(Uint8Array.from(given ?? [0, 0, 0, 0]))[0] as number;
          using image = await SparseImage.from(gpu, { width, height, pixels }, given ? { background: given } : {});
          expect(image.size).toBe(notBackground(pixels, background));
          expect(await image.pixels()).toEqual(bytesOf(pixels));
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each([0, 1])('may be all background, or have none at all: %i', async (share) => {
    const pixels = sparseWords(33 * 17, share, 0).map((word) => (share === 1 ? word | 1 : word));
    using image = await SparseImage.from(gpu, { width: 33, height: 17, pixels });
    expect(image.size).toBe(share * 33 * 17);
    expect(await image.pixels()).toEqual(bytesOf(pixels));
  });

  it.each(Object.entries(SCHEMES))('can be in a table of %s', async (_, scheme) => {
    const pixels = sparseWords(60 * 50, 0.3, 0);
    using image = await SparseImage.from(gpu, { width: 60, height: 50, pixels }, { scheme: scheme() });
    expect(image.map.scheme.name).toBe(scheme().name);
    expect(await image.pixels()).toEqual(bytesOf(pixels));
  });

  it('takes no more memory than the load of its scheme says', async () => {
    const pixels = sparseWords(200 * 200, 0.3, 0);
    const scheme = linearProbing({ loadFactor: 0.99 });
    using image = await SparseImage.from(gpu, { width: 200, height: 200, pixels }, { scheme });
    expect(image.map.loadFactor).toBeGreaterThan(0.985);
    expect(image.tableBytes).toBeLessThan((image.size / 0.985) * 8 + 1000);
    expect(await image.pixels()).toEqual(bytesOf(pixels));
  });

  it('takes bytes, words, parts of arrays, shared memory and buffers', async () => {
    const pixels = sparseWords(15 * 11, 0.5, 0);
    const bytes = bytesOf(pixels);
    const offset = new Uint8Array(bytes.length + 5);
    offset.set(bytes, 3);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    const buffer = gpu.upload('test/pixels', pixels);
    // Larger than needed.
    const larger = gpu.upload('test/larger', Uint32Array.of(...pixels, 7, 8, 9));
    const given = [bytes, Uint8Array.from(bytes), pixels, offset.subarray(3, -2), shared, buffer, larger];
    for (const pixels of given) {
      using image = await SparseImage.from(gpu, { width: 15, height: 11, pixels });
      expect(await image.pixels()).toEqual(bytes);
    }
    buffer.destroy();
    larger.destroy();
  });

  it('reads arrays before it returns', async () => {
    const pixels = sparseWords(20 * 20, 0.5, 0);
    const expected = bytesOf(pixels.slice());
    const made = SparseImage.from(gpu, { width: 20, height: 20, pixels });
    pixels.fill(99);
    using image = await made;
    expect(await image.pixels()).toEqual(expected);
    const points = Uint32Array.of(3, 4, 5, 6);
    const colours = Uint32Array.of(1, 2);
    const listed = SparseImage.from(gpu, { width: 20, height: 20, points, colours });
    points.fill(0);
    colours.fill(9);
    using other = await listed;
    expect(wordsOf(await other.get(Int32Array.of(3, 4, 5, 6, 0, 0)))).toEqual(Uint32Array.of(1, 2, 0));
  });

  it('can be made of some pixels; the last at a place counts', async () => {
    const points = Uint32Array.of(0, 0, 6, 4, 2, 3, 6, 4);
    const colours = Uint8Array.from([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]);
    using image = await SparseImage.from(gpu, { width: 7, height: 5, points, colours });
    const expected = new Uint32Array(35);
    expected[0] = 0x01010101;
    expected[2 + 7 * 3] = 0x03030303;
    expected[6 + 7 * 4] = 0x04040404;
    expect(image.size).toBe(3);
    expect(wordsOf(await image.pixels())).toEqual(expected);
  });

  it('takes a member that is undefined for one that is not there', async () => {
    const pixels = Uint32Array.of(1, 2);
    const input = { width: 2, height: 1, pixels, points: undefined, colours: undefined };
    using image = await SparseImage.from(gpu, input as never, { background: undefined, scheme: undefined } as never);
    expect(await image.pixels()).toEqual(bytesOf(pixels));
  });

  it('tells the colours at points, and background outside', async () => {
    const pixels = sparseWords(9 * 8, 0.5, WHITE);
    using image = await SparseImage.from(gpu, { width: 9, height: 8, pixels }, { background: WHITE_BYTES });
    const points: number[] = [];
    for (let y = -2; y < 11; y++) for (let x = -3; x < 12; x++) points.push(x, y);
    points.push(2 ** 31 - 1, 0, -(2 ** 31), 5, 0, -(2 ** 31));
    const expected = Uint32Array.from({ length: points.length / 2 }, (_, i) => {
      const [x, y] = points.slice(2 * i, 2 * i + 2) as [number, number];
      return x >= 0 && x < 9 && y >= 0 && y < 8 ? (pixels[x + 9 * y] as number) : WHITE;
    });
    expect(wordsOf(await image.get(Int32Array.from(points)))).toEqual(expected);
    expect(wordsOf(await image.get(Uint32Array.of(0xffffffff, 0xffffffff, 0, 0)))).toEqual(
      Uint32Array.of(WHITE, pixels[0] as number),
    );
    expect(await image.get(new Int32Array())).toEqual(new Uint8ClampedArray());
  });

  it('may be far larger than an array of its pixels', async () => {
    const points = Uint32Array.of(65_534, 65_534, 0, 65_534, 65_534, 0);
    const colours = Uint32Array.of(5, 6, 7);
    using image = await SparseImage.from(gpu, { width: 65_535, height: 65_535, points, colours });
    expect(wordsOf(await image.get(Uint32Array.of(...points, 1, 1)))).toEqual(Uint32Array.of(5, 6, 7, 0));
  });

  it('is read in parts where it has more pixels than one submission', async () => {
    const [width, height] = [2051, 2048];
    const points = Uint32Array.of(0, 0, 2050, 2047, 17, 2046, 2050, 2000);
    using image = await SparseImage.from(gpu, { width, height, points, colours: Uint32Array.of(5, 6, 7, 8) });
    const words = wordsOf(await image.pixels());
    const stored = [...words.entries()].filter(([, word]) => word !== 0);
    expect(stored).toEqual([
      [0, 5],
      [2050 + width * 2000, 8],
      [17 + width * 2046, 7],
      [2050 + width * 2047, 6],
    ]);
  });

  it('leaves no buffers behind, whether it succeeds or not', async () => {
    const pixels = sparseWords(400, 0.5, 0);
    const made = await liveBuffers(gpu, async () => {
      const image = await SparseImage.from(gpu, { width: 20, height: 20, pixels });
      await image.pixels();
      image.destroy();
      await expect(image.pixels()).rejects.toThrow('destroyed');
      expect(() => image.wgsl({ name: 'a', group: 0 })).toThrow('destroyed');
    });
    expect(made).toMatchObject({ error: undefined, live: [] });
    const tooSmall = linearProbing({ capacitySlots: 10 });
    const failed = await liveBuffers(gpu, () =>
      SparseImage.from(gpu, { width: 20, height: 20, pixels }, { scheme: tooSmall }),
    );
    expect(failed.error).toMatchObject({ code: expect.stringMatching(/invalid-input|build-failed/) });
    expect(failed.live).toEqual([]);
  });
});

describe('on the encoder face, a sparse image', () => {
  const [width, height] = [101, 67];
  const make = (seed: number) => sparseWords(width * height, 0.3, WHITE, seed);

  it('is built from a buffer and unpacked into another, and nothing goes through the host', async () => {
    const pixels = make(1);
    const input = gpu.upload('test/pixels', pixels);
    const output = gpu.createBuffer('test/output', pixels.byteLength + 8);
    let image: SparseImage | undefined;
    const [bytes] = await gpu.run(
      (encoder) => {
        image = SparseImage.encodeBuild(gpu, encoder, { width, height, pixels: input }, { background: WHITE_BYTES });
        image.encodeUnpack(encoder, { output });
      },
      [{ buffer: output, bytes: pixels.byteLength + 8 }],
    );
    expect(new Uint32Array(bytes as ArrayBuffer)).toEqual(Uint32Array.of(...pixels, 0, 0));
    await image?.settle();
    expect(image?.size).toBe(notBackground(pixels, WHITE));
    expect(await image?.pixels()).toEqual(bytesOf(pixels));
    for (const made of [image, input, output]) made?.destroy();
  });

  it('is rebuilt every frame in the same memory', async () => {
    const most = Math.ceil(0.4 * width * height);
    const inputs = [1, 2, 3].map((seed) => gpu.upload('test/pixels', make(seed)));
    const { result, live } = await liveBuffers(gpu, async () => {
      const encoder = gpu.device.createCommandEncoder();
      const first = { width, height, pixels: inputs[0] as GPUBuffer, most };
      const image = SparseImage.encodeBuild(gpu, encoder, first, { background: WHITE_BYTES });
      gpu.device.queue.submit([encoder.finish()]);
      for (const [i, pixels] of inputs.entries()) {
        await gpu.run((next) => image.encodeRebuild(next, { pixels }));
        await image.settle();
        expect(await image.pixels(), `frame ${i}`).toEqual(bytesOf(make(i + 1)));
      }
      const { tableBytes } = image;
      image.destroy();
      return tableBytes;
    });
    expect(live).toEqual([]);
    // Room for `most`, not for all pixels.
    expect(result).toBeLessThan(width * height * 8);
    for (const buffer of inputs) buffer.destroy();
  });

  it('says so where it has more pixels than there is room for', async () => {
    const pixels = gpu.upload('test/pixels', make(1));
    let image: SparseImage | undefined;
    await gpu.run((encoder) => {
      image = SparseImage.encodeBuild(gpu, encoder, { width, height, pixels, most: 10 }, { background: WHITE_BYTES });
    });
    await expect(image?.settle()).rejects.toThrow(/10/);
    image?.destroy();
    pixels.destroy();
  });

  it.each([0, 1, 3])('has room for just as many as were asked for: %i', async (most) => {
    const words = new Uint32Array(width * height).fill(7, 5, 5 + most);
    const pixels = gpu.upload('test/pixels', words);
    let image: SparseImage | undefined;
    await gpu.run((encoder) => {
      image = SparseImage.encodeBuild(gpu, encoder, { width, height, pixels, most });
    });
    await image?.settle();
    expect(await image?.pixels()).toEqual(bytesOf(words));
    image?.destroy();
    pixels.destroy();
  });

  it('is recorded into a pass that is open', async () => {
    const pixels = make(4);
    const input = gpu.upload('test/pixels', pixels);
    const output = gpu.createBuffer('test/output', pixels.byteLength);
    let image: SparseImage | undefined;
    const [bytes] = await gpu.run(
      (encoder) => {
        const pass = encoder.beginComputePass();
        image = SparseImage.encodeBuild(gpu, pass, { width, height, pixels: input }, { background: WHITE_BYTES });
        image.encodeUnpack(pass, { output });
        pass.end();
      },
      [{ buffer: output, bytes: pixels.byteLength }],
    );
    expect(new Uint32Array(bytes as ArrayBuffer)).toEqual(pixels);
    for (const made of [image, input, output]) made?.destroy();
  });
});
