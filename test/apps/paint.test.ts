import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SparseOptions } from '../../src/apps/build.ts';
import { type PaintInput, SparsePaint } from '../../src/apps.ts';
import { Gpu } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { bucketCuckoo, robinHood } from '../../src/schemes/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

// WebGPU's own limits: eight storage buffers.
const gpu = await sharedGpu('default');
const random = randomWords(43);

/** Dabs as plain numbers: x, y and the colour. */
type Dab = readonly [x: number, y: number, colour: number];

const dabsOf = (dabs: readonly Dab[]) => ({
  points: Int32Array.from(dabs.flatMap((dab) => dab.slice(0, 2))),
  colours: Uint32Array.from(dabs, ([, , colour]) => colour),
});

/** The same picture, painted plainly. */
class Canvas {
  readonly words: Uint32Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.words = new Uint32Array(width * height);
  }

  paint(dabs: readonly Dab[]): void {
    for (const [x, y, colour] of dabs) {
      if (x >= 0 && y >= 0 && x < this.width && y < this.height) this.words[y * this.width + x] = colour;
    }
  }
}

const wordsOf = async (paint: SparsePaint): Promise<Uint32Array> => new Uint32Array((await paint.pixels()).buffer);

/** A round brush; colours tell the dabs of a stroke apart. */
function brush(x: number, y: number, radius: number): Dab[] {
  const dabs: Dab[] = [];
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      if (dx * dx + dy * dy <= radius * radius) dabs.push([x + dx, y + dy, random() | 1]);
    }
  }
  return dabs;
}

const create = (input: PaintInput, options?: SparseOptions) => SparsePaint.create(gpu, input, options);

/** Records a stroke and submits it. */
async function encoded(paint: SparsePaint, dabs: readonly Dab[], on: Gpu = gpu): Promise<void> {
  const { points, colours } = dabsOf(dabs);
  const buffers = { points: on.upload('test/points', points), colours: on.upload('test/colours', colours) };
  const count = on.upload('test/count', Uint32Array.of(dabs.length));
  await on.run((encoder) => paint.encodePaint(encoder, { ...buffers, count: { buffer: count } }));
  for (const buffer of [buffers.points, buffers.colours, count]) buffer.destroy();
}

describe('painting', () => {
  it.each([
    ['robinHood at 0.8', robinHood()],
    ['robinHood at 0.99', robinHood({ loadFactor: 0.99 })],
    ['bucketCuckoo', bucketCuckoo()],
  ])('stores what is painted and nothing else: %s', async (_, scheme) => {
    using paint = await create({ width: 200, height: 130 }, { scheme, seed: 4 });
    const canvas = new Canvas(200, 130);
    expect(await wordsOf(paint)).toEqual(canvas.words);
    for (const stroke of [brush(50, 60, 20), brush(70, 60, 20), brush(60, 60, 9), brush(100, 100, 1)]) {
      await paint.paint(dabsOf(stroke));
      canvas.paint(stroke);
      expect(await wordsOf(paint)).toEqual(canvas.words);
      expect(paint.size).toBe(canvas.words.filter((word) => word !== 0).length);
    }
  });

  it('changes colours in place, without building anew', async () => {
    using paint = await create({ width: 64, height: 64 });
    await paint.paint(dabsOf(brush(30, 30, 10)));
    const { build } = paint.map.table.state.header;
    await paint.paint(dabsOf(brush(30, 30, 5)));
    expect(paint.map.table.state.header.build).toBe(build);
    await paint.paint(dabsOf([[0, 0, 7]]));
    expect(paint.map.table.state.header.build).not.toBe(build);
  });

  it('lets the last of several dabs at one point count, new or not', async () => {
    using paint = await create({ width: 9, height: 9 });
    const dabs = (from: number): Dab[] => Array.from({ length: 3000 }, (_, i) => [i % 9, i % 7, from + i]);
    const canvas = new Canvas(9, 9);
    for (const from of [1, 10_000, 20_000]) {
      await paint.paint(dabsOf(dabs(from)));
      canvas.paint(dabs(from));
      expect(await wordsOf(paint)).toEqual(canvas.words);
    }
  });

  it('takes strokes that nobody waits for, in their order, from arrays that change at once', async () => {
    using paint = await create({ width: 40, height: 40 });
    const canvas = new Canvas(40, 40);
    const strokes = Array.from({ length: 6 }, (_, i) => brush(10 + 3 * i, 15, 6));
    const all = strokes.map((stroke) => {
      const dabs = dabsOf(stroke);
      const painted = paint.paint(dabs);
      dabs.points.fill(0);
      dabs.colours.fill(1);
      canvas.paint(stroke);
      return painted;
    });
    const seen = wordsOf(paint);
    await Promise.all(all);
    expect(await seen).toEqual(canvas.words);
  });

  it('is the same on an encoder, as long as there is room', async () => {
    using paint = await create({ width: 60, height: 50, most: 900 }, { scheme: robinHood({ loadFactor: 0.95 }) });
    const canvas = new Canvas(60, 50);
    for (const stroke of [
      brush(20, 20, 9),
      brush(25, 20, 9),
      [
        [-1, 4, 9],
        [60, 4, 9],
        [5, 50, 9],
        [59, 49, 8],
      ] satisfies Dab[],
    ]) {
      await encoded(paint, stroke);
      canvas.paint(stroke);
    }
    await paint.settle();
    expect(await wordsOf(paint)).toEqual(canvas.words);
    const { most } = paint;
    await encoded(paint, brush(40, 30, 19));
    await expect(paint.settle())
      .rejects.toMatchObject({ name: 'TooManyItemsError' })
      .catch(() => {});
    expect(paint.most).toBe(most);
  });

  it('loses nothing where a table cannot be built on the encoder', async () => {
    // Multiples of all sizes that a table of so few texels can have.
    const places = Array.from({ length: 35 }, (_, i) => i * 37 * 41 * 43);
    const dabs: Dab[] = places.map((place, i) => [place % 65_535, Math.floor(place / 65_535), i + 1]);
    using paint = await create({ width: 65_535, height: 65_535, most: 37 }, { scheme: robinHood({ loadFactor: 1 }) });
    await encoded(paint, [[5, 5, 99]]);
    await encoded(paint, dabs);
    await encoded(paint, [[6, 6, 98]]);
    await paint.settle();
    expect(paint.size).toBe(37);
    const { points, colours } = dabsOf([[5, 5, 99], ...dabs, [6, 6, 98]]);
    expect(new Uint32Array((await paint.get(points)).buffer)).toEqual(colours);
    await paint.paint(dabsOf([[7, 7, 97]]));
    expect(paint.size).toBe(38);
  });

  it('makes room for texels, not for dabs', async () => {
    using paint = await create({ width: 9, height: 9 });
    await paint.paint(dabsOf(Array.from({ length: 10_000 }, (_, i) => [3, 3, i])));
    expect([paint.size, paint.map.loadFactor > 0.02]).toEqual([1, true]);
  });

  it('frees what encoded strokes have outgrown', async () => {
    using paint = await create({ width: 300, height: 300 });
    for (let i = 1; i <= 4; i++) {
      await paint.paint(dabsOf(brush(100, 100, 10 * i)));
      await encoded(paint, brush(100, 100, 3));
      await paint.settle();
    }
    expect(await wordsOf(paint)).toHaveLength(90_000);
  });

  it('keeps a shader face that was made before', async () => {
    using paint = await create({ width: 32, height: 32 });
    const face = paint.wgsl({ name: 'paint', group: 0 });
    await paint.paint(dabsOf(brush(10, 10, 3)));
    expect(paint.wgsl({ name: 'paint', group: 0 }).code).toBe(face.code);
  });

  it('paints any strokes like a plain canvas', async () => {
    const dab = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 6 }), fc.nat(0xffff_ffff));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(dab, { maxLength: 20 }), { maxLength: 6 }), async (strokes) => {
        using paint = await create({ width: 13, height: 7 });
        const canvas = new Canvas(13, 7);
        for (const stroke of strokes) {
          await paint.paint(dabsOf(stroke));
          canvas.paint(stroke);
        }
        expect(await wordsOf(paint)).toEqual(canvas.words);
      }),
      { numRuns: 15 },
    );
  });
});

describe('what cannot be painted', () => {
  it('is refused, and changes nothing', async () => {
    using paint = await create({ width: 10, height: 10 });
    await paint.paint(dabsOf([[1, 1, 5]]));
    const before = await wordsOf(paint);
    const refused: readonly [unknown, RegExp][] = [
      [
        { points: Int32Array.of(10, 0), colours: Uint32Array.of(1) },
        /SparsePaint.paint: points: \(10, 0\) is outside of 10 × 10/,
      ],
      [{ points: Int32Array.of(1), colours: Uint32Array.of(1) }, /coordinates/],
      [{ points: Int32Array.of(1, 1), colours: Uint32Array.of(1, 2) }, /colours has 8 bytes/],
      [{ points: [1, 1], colours: Uint32Array.of(1) }, /points must be/],
      [{ points: Int32Array.of(1, 1), colors: Uint32Array.of(1) }, /colors/],
      [null, /dabs/],
    ];
    for (const [dabs, message] of refused) await expect(paint.paint(dabs as never)).rejects.toThrow(message);
    const encoder = gpu.device.createCommandEncoder();
    expect(() => paint.encodePaint(encoder, {} as never)).toThrow(/SparsePaint.encodePaint/);
    expect(await wordsOf(paint)).toEqual(before);
    await expect(create({ width: 0, height: 3 })).rejects.toThrow(/width/);
    await expect(create({ width: 3, height: 3, most: -1 })).rejects.toThrow(/most/);
  });

  it('changes nothing if there is no memory for it', async () => {
    const own = await Gpu.open();
    const paint = await SparsePaint.create(own, { width: 10, height: 10 });
    await paint.paint(dabsOf([[5, 5, 1]]));
    const { allocate } = own;
    own.allocate = () => Promise.reject(new Error('none left'));
    await expect(
      paint.paint(
        dabsOf([
          [5, 5, 2],
          [6, 6, 2],
        ]),
      ),
    ).rejects.toThrow('none left');
    own.allocate = allocate;
    expect([paint.size, ...new Uint32Array((await paint.get(Int32Array.of(5, 5, 6, 6))).buffer)]).toEqual([1, 1, 0]);
    paint.destroy();
    own.destroy();
  });

  it('once destroyed, is nothing at all, also while it is painted on', async () => {
    const busy = await create({ width: 10, height: 10 });
    const painting = busy.paint(dabsOf([[1, 1, 5]]));
    busy.destroy();
    await expect(painting).rejects.toMatchObject({ code: 'destroyed' });
    const paint = await create({ width: 10, height: 10 });
    paint.destroy();
    await expect(paint.paint(dabsOf([[1, 1, 5]]))).rejects.toMatchObject({ code: 'destroyed' });
    await expect(paint.pixels()).rejects.toMatchObject({ code: 'destroyed' });
  });
});
