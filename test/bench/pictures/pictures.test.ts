import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Canvas, type Paint, WHITE } from '../../../bench/pictures/canvas.ts';
import { makePicture, PAPER_PICTURES, PICTURE_KINDS } from '../../../bench/pictures/index.ts';
import { makeVolume, VOLUME_KINDS } from '../../../bench/pictures/volumes.ts';

const isDrawn = (word: number): boolean => word !== WHITE;
const checksum = ({ buffer, byteOffset, byteLength }: Uint32Array): number =>
  crc32(new Uint8Array(buffer, byteOffset, byteLength));

/** The pixels that a canvas has painted, as `x,y`. */
const painted = ({ pixels, width }: Canvas): string[] =>
  [...pixels].flatMap((word, i) => (isDrawn(word) ? `${i % width},${Math.floor(i / width)}` : []));

/** The pixels of a sheet whose centres are inside of something. */
const inside = (size: number, is: (x: number, y: number) => boolean): string[] =>
  Array.from({ length: size * size }, (_, i) => [i % size, Math.floor(i / size)] as const).flatMap(([x, y]) =>
    is(x, y) ? `${x},${y}` : [],
  );

const BLACK: Paint = () => 0xff000000;

describe('a canvas', () => {
  it.each([
    { from: [5.2, 6.1], to: [20.7, 13.4] },
    { from: [20.3, 4.6], to: [6.8, 25.1] },
    { from: [3.3, 10.6], to: [27.9, 10.6] },
    { from: [12.4, 3.1], to: [12.4, 28.2] },
    { from: [15.1, 15.3], to: [15.1, 15.3] },
  ] as const)('draws the line $from to $to as all that is near it', ({ from, to }) => {
    const canvas = new Canvas(32, 32, 1024);
    const radius = 2.37;
    canvas.line(from, to, radius, BLACK);
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const near = (x: number, y: number): boolean => {
      const along = ((x - from[0]) * dx + (y - from[1]) * dy) / Math.max(dx * dx + dy * dy, 1e-9);
      const t = Math.min(1, Math.max(0, along));
      return Math.hypot(x - from[0] - t * dx, y - from[1] - t * dy) <= radius;
    };
    expect(painted(canvas)).toEqual(inside(32, near));
    expect(canvas.filled).toBe(painted(canvas).length);
  });

  it.each([0, 0.5, 1.7, 3])('draws an ellipse that is turned by %f', (angle) => {
    const canvas = new Canvas(40, 40, 1600);
    canvas.ellipse([19.3, 20.8], [15.1, 4.7], angle, BLACK);
    const isIn = (x: number, y: number): boolean => {
      const [dx, dy] = [x - 19.3, y - 20.8];
      const along = dx * Math.cos(angle) + dy * Math.sin(angle);
      const across = dy * Math.cos(angle) - dx * Math.sin(angle);
      return (along / 15.1) ** 2 + (across / 4.7) ** 2 <= 1;
    };
    expect(painted(canvas)).toEqual(inside(40, isIn));
  });

  it('draws what is inside of a polygon', () => {
    const canvas = new Canvas(20, 20, 400);
    canvas.polygon(
      [
        [2.5, 2.5],
        [15.5, 2.5],
        [15.5, 17.5],
        [8.5, 9.5],
        [2.5, 17.5],
      ],
      BLACK,
    );
    const isIn = (x: number, y: number): boolean => {
      const notch = x <= 8.5 ? 17.5 - ((x - 2.5) * 8) / 6 : 9.5 + ((x - 8.5) * 8) / 7;
      return x > 2.5 && x < 15.5 && y > 2.5 && y < notch;
    };
    expect(painted(canvas)).toEqual(inside(20, isIn));
  });

  it('leaves white what is beyond its edges, or more than it may have', () => {
    const canvas = new Canvas(8, 8, 10);
    canvas.ellipse([0, 0], [100, 100], 0, BLACK);
    expect(canvas.filled).toBe(10);
    expect(canvas.pixels.filter(isDrawn)).toHaveLength(10);
    canvas.line([-50, -50], [-20, -20], 3, () => 7);
    canvas.line([50, 0], [50, 8], 3, () => 7);
    expect(canvas.pixels).not.toContain(7);
  });
});

describe('pictures', () => {
  it.each(PICTURE_KINDS)('of %s are the same every time, and others for another seed', (kind) => {
    const make = (seed: number) => checksum(makePicture({ kind, width: 200, height: 170, seed }).pixels);
    expect(make(3)).toBe(make(3));
    expect(make(3)).not.toBe(make(4));
  });

  it.each(PICTURE_KINDS)('of %s have as many pixels as they should, in many colours', (kind) => {
    const { pixels } = makePicture({ kind, width: 640, height: 480, filled: 20_000 });
    expect(pixels.filter(isDrawn)).toHaveLength(20_000);
    expect(new Set(pixels).size).toBeGreaterThan(10);
  });

  it.each(PICTURE_KINDS)('of %s can be of one pixel', (kind) => {
    expect(makePicture({ kind, width: 1, height: 1 }).pixels).toHaveLength(1);
  });

  it('have at most all pixels', () => {
    expect(makePicture({ kind: 'random', width: 9, height: 5, filled: 100 }).pixels.filter(isDrawn)).toHaveLength(45);
  });

  it('have by default the shares of the pictures in the paper', () => {
    for (const { kind, width, height, filled } of Object.values(PAPER_PICTURES)) {
      const drawn = makePicture({ kind, width: Math.round(width / 10), height: Math.round(height / 10) }).pixels.filter(
        isDrawn,
      );
      expect(drawn.length / (filled / 100)).toBeCloseTo(1, 1);
    }
  });
});

describe('volumes', () => {
  it.each([
    ['armadillo', 9_200_000],
    ['hairy', 24_000_000],
  ] as const)('of %s have their share of the cube, in order, and touch no side', (kind, voxels) => {
    const side = 64;
    const { places, colours } = makeVolume({ kind, side });
    expect(places.length / side ** 3).toBeCloseTo(voxels / 512 ** 3, 2);
    expect(colours).toHaveLength(places.length);
    expect(places.every((place, i) => i === 0 || place > (places[i - 1] as number))).toBe(true);
    expect([...places].filter((place) => place % side === 0)).toEqual([]);
    expect(new Set(colours).size).toBeGreaterThan(1000);
  });

  it.each(VOLUME_KINDS)('of %s are the same every time', (kind) => {
    const make = () => makeVolume({ kind, side: 24 });
    expect(make()).toEqual(make());
  });
});
