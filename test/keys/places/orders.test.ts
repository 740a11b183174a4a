import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitReversed, type Coordinates, link, morton, type PlaceOrder, rowMajor } from '../../../src/index.ts';
import { fromWords, wordsOf } from '../../../src/keys/index.ts';
import { join, wgsl } from '../../../src/wgsl/index.ts';
import { awkwardWords, evaluate } from '../../evaluate.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();

type Numbered = (point: readonly bigint[]) => bigint;

/** Bit i of coordinate c is bit i × coordinates + c. */
const interleaved: Numbered = (point) =>
  point.reduce((all, coordinate, axis) => {
    for (let i = 0n; i < 32n; i++) all |= ((coordinate >> i) & 1n) << (i * BigInt(point.length) + BigInt(axis));
    return all;
  }, 0n);

/** The lowest bits in reverse, as text. */
const reversed = (bits: number, coordinate: bigint): bigint => {
  const digits = coordinate.toString(2).padStart(32, '0');
  return BigInt(`0b${digits.slice(0, 32 - bits)}${[...digits.slice(32 - bits)].reverse().join('')}`);
};

const rows =
  (...sizes: number[]): Numbered =>
  (point) =>
    point.reduce(
      (all, coordinate, axis) =>
        all + coordinate * sizes.slice(0, axis).reduce((step, size) => step * BigInt(size), 1n),
      0n,
    );

interface Subject {
  readonly title: string;
  readonly order: PlaceOrder;
  readonly numbered: Numbered;
  readonly coordinates: Coordinates;
  readonly sizes: readonly number[];
}

const subject = (order: PlaceOrder, numbered: Numbered, sizes: readonly number[]): Subject => ({
  title: `${order.name} ${JSON.stringify(order.options)} of ${sizes.length} coordinates`,
  order,
  numbered,
  coordinates: sizes.length as Coordinates,
  sizes,
});

const reversedMorton = (bits: number, coordinates: Coordinates): Subject =>
  subject(
    bitReversed(bits),
    (point) => interleaved(point.map((coordinate) => reversed(bits, coordinate))),
    Array(coordinates).fill(2 ** bits),
  );

/** Orders with one-word places. */
const SUBJECTS: readonly Subject[] = [
  subject(morton, interleaved, [65_536, 65_536]),
  subject(morton, interleaved, [1024, 1024, 1024]),
  subject(morton, interleaved, [256, 256, 256, 256]),
  reversedMorton(1, 2),
  reversedMorton(10, 2),
  reversedMorton(16, 2),
  reversedMorton(7, 3),
  reversedMorton(10, 3),
  reversedMorton(8, 4),
  subject(rowMajor(640), rows(640), [640, 6_710_886]),
  subject(rowMajor(640, 480), rows(640), [640, 480]),
  subject(rowMajor(1), rows(1), [1, 2 ** 32]),
  subject(rowMajor(2 ** 32 - 1), rows(2 ** 32 - 1), [2 ** 32 - 1, 1]),
  subject(rowMajor(65_536, 65_536), rows(65_536), [65_536, 65_536]),
  subject(rowMajor(65_536, 65_536), rows(65_536, 65_536), [65_536, 65_536, 1]),
  subject(rowMajor(7, 11), rows(7, 11), [7, 11, 55_778_796]),
  subject(rowMajor(7, 11, 13), rows(7, 11, 13), [7, 11, 13, 4_290_676]),
];

/** Points at the ends, at powers of two, and in between. */
const pointsIn = (sizes: readonly number[]): fc.Arbitrary<number[]> =>
  fc.tuple(
    ...sizes.map((size) =>
      fc.oneof(
        fc.constantFrom(...[0, size - 1, ...awkwardWords.filter((word) => word < size)]),
        fc.integer({ min: 0, max: size - 1 }),
      ),
    ),
  );

describe.each(SUBJECTS)('$title', ({ order, numbered, coordinates, sizes }) => {
  // Any number of coordinates: rest arguments are typed by it.
  const places = order.of(coordinates as 2);
  const samples = fc.sample(pointsIn(sizes), 300);

  it('says how far coordinates reach', () => {
    expect(places.sizes).toEqual(sizes);
    expect(places.coordinates).toBe(coordinates);
  });

  it('gives every point its place, and every place its point', () => {
    fc.assert(
      fc.property(pointsIn(sizes), (point) => {
        const place = places.place(...(point as [number, number]));
        expect(BigInt(place)).toBe(numbered(point.map(BigInt)));
        expect(places.point(place)).toEqual(point);
      }),
    );
  });

  it('does so with arrays of points', () => {
    const flat = Uint32Array.from(samples.flat());
    const expected = samples.map((point) => places.place(...(point as [number, number])));
    expect([...places.places(flat)]).toEqual(expected);
    expect(places.points(places.places(flat))).toEqual(flat);
  });

  it('does the same in WGSL', async () => {
    const got = await evaluate(gpu, samples, (point) => ({
      statements: wgsl`let place = ${places.wgsl.place}(vec${coordinates}u(${join(point, ', ')}));
  let again = ${places.wgsl.point}(place);`,
      results: ['place', ...point.map((_, axis) => `again[${axis}]`)],
    }));
    expect(got).toEqual(samples.map((point) => [places.place(...(point as [number, number])), ...point]));
  });

  it('refuses points and places beyond', () => {
    for (const [axis, size] of sizes.entries()) {
      for (const wrong of [size, -1, 0.5, Number.NaN, '0', undefined]) {
        const point = sizes.map((_, other) => (other === axis ? wrong : 0));
        expect(() => places.place(...(point as [number, number]))).toThrow(
          `${order.name}.place: ${'xyzw'[axis]} must be a whole number below ${size}, not `,
        );
      }
    }
    const count = sizes.reduce((product, size) => product * size);
    expect(() => places.point(count)).toThrow(`${order.name}.point: place must be a whole number below ${count}`);
    expect(places.point(count - 1)).toHaveLength(coordinates);
  });
});

/** All 32 bits of signed coordinates. */
const WIDE: readonly Subject[] = [
  ...([2, 3, 4] as const).flatMap((coordinates) => {
    const sizes = Array(coordinates).fill(2 ** 32);
    return [
      subject(morton, interleaved, sizes),
      ...[1, 10, 31, 32].map((bits) => ({ ...reversedMorton(bits, coordinates), sizes })),
    ];
  }),
  ...[1, 2, 640, 65_535, 65_536, 65_537, 2 ** 31, 2 ** 32 - 1].map((size) =>
    subject(rowMajor(size), rows(size), [2 ** 32, 2 ** 32]),
  ),
  subject(rowMajor(640, 480), rows(640, 480), Array(3).fill(2 ** 32)),
  subject(rowMajor(2 ** 32 - 1, 2 ** 32 - 1), rows(2 ** 32 - 1, 2 ** 32 - 1), Array(3).fill(2 ** 32)),
  subject(rowMajor(7, 11, 13), rows(7, 11, 13), Array(4).fill(2 ** 32)),
  subject(rowMajor(2 ** 32 - 1, 65_537, 2 ** 31), rows(2 ** 32 - 1, 65_537, 2 ** 31), Array(4).fill(2 ** 32)),
];

describe.each(WIDE)('wide places by $title', ({ order, numbered, coordinates, sizes }) => {
  const { words, place, twin } = order.wide(coordinates);
  const samples = [
    ...[0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1].map((word) => Array<number>(coordinates).fill(word)),
    ...fc.sample(pointsIn(sizes), 200),
  ];

  it('are those of coordinates from -2^31 on, the least significant word first', () => {
    for (const key of samples) {
      const shifted = key.map((word) => BigInt((word | 0) + 2 ** 31));
      const got = twin(key).reduce((all, word, i) => all + (BigInt(word) << BigInt(32 * i)), 0n);
      expect(got).toBe(numbered(shifted));
      expect(twin(key)).toHaveLength(words);
    }
  });

  it('are the same in WGSL', async () => {
    const got = await evaluate(gpu, samples, (key) => ({
      statements: wgsl`let place = ${place}(${fromWords(key)});`,
      results: wordsOf(words, 'place'),
    }));
    expect(got).toEqual(samples.map((key) => twin(key)));
  });
});

describe('orders of points', () => {
  it('keep neighbours across zero together, but for the bit-reversed one', () => {
    const distance = (order: PlaceOrder, a: number[], b: number[]) => {
      const [from, to] = [a, b].map((key) => {
        const [low, high] = order.wide(2).twin(key) as [number, number];
        return BigInt(low) + (BigInt(high) << 32n);
      }) as [bigint, bigint];
      return to > from ? to - from : from - to;
    };
    expect(distance(rowMajor(640), [-1, 5], [0, 5])).toBe(1n);
    expect(distance(rowMajor(640), [5, -1], [5, 0])).toBe(640n);
    // Two of four that share all bits but the lowest.
    expect(distance(morton, [-2, -2], [-1, -1])).toBe(3n);
    expect(distance(bitReversed(32), [-2, -2], [-1, -1])).toBe(3n << 62n);
  });

  it('name what they were made with, and are made again from it', () => {
    for (const order of [morton, bitReversed(9), rowMajor(640), rowMajor(640, 480), rowMajor(640, 480, 5)]) {
      const again = morton === order ? order : order.withOptions(JSON.parse(JSON.stringify(order.options)));
      expect([again.name, again.options]).toEqual([order.name, order.options]);
      expect(again.wide(2).twin([7, 9])).toEqual(order.wide(2).twin([7, 9]));
    }
    expect(morton.withOptions({})).toBe(morton);
    expect(rowMajor(640, 480).options).toEqual({ width: 640, height: 480 });
    expect(() => rowMajor(640).withOptions({ width: '640' })).toThrow('rowMajor: width must be a whole number');
    expect(() => bitReversed(3).withOptions({})).toThrow(
      'bitReversed: bits must be a whole number from 1 to 32, not undefined',
    );
  });

  it('give the same WGSL every time, so that kernels are made once', () => {
    expect(morton.of(2).wgsl.place).toBe(morton.of(2).wgsl.place);
    expect(morton.wide(3).place).toBe(morton.wide(3).place);
    expect(morton.wide(3).place).not.toBe(morton.wide(2).place);
  });

  it('are spelled in a shader as their caller likes', () => {
    const { place, point } = morton.of(2).wgsl;
    const { code, nameOf } = link([place, point], { prefix: 'pixels' });
    expect(code).toContain('fn pixels_place(at: vec2u) -> u32');
    expect([nameOf(place), nameOf(point)]).toEqual(['pixels_place', 'pixels_point']);
    expect(link([place, point]).nameOf(place)).toBe('place');
  });
});

describe('orders that cannot be', () => {
  const anything = morton as unknown as Record<string, (...args: unknown[]) => never>;
  const places = morton.of(2) as unknown as Record<string, (...args: unknown[]) => unknown>;

  it('are refused by the name of what is wrong', () => {
    for (const [call, message] of [
      [() => anything.of?.(1), 'morton.of: coordinates must be 2, 3 or 4, not 1'],
      [() => anything.of?.('2'), "morton.of: coordinates must be 2, 3 or 4, not '2'"],
      [() => anything.wide?.(5), 'morton.wide: coordinates must be 2, 3 or 4, not 5'],
      [() => places.place?.(1, 2, 3), 'morton.place: a point has 2 coordinates, not 3'],
      [() => places.place?.([1, 2]), 'morton.place: a point has 2 coordinates, not 1'],
      [() => places.places?.([1, 2]), 'morton.places: points must be a Uint32Array or Int32Array, not Array(2)'],
      [() => places.places?.(new Uint32Array(3)), 'morton.places: points of 2 coordinates cannot be 3 numbers'],
      [() => places.places?.(new Int32Array([0, -1])), 'morton.places: y must be a whole number below 65536, not -1'],
      [() => places.points?.(new Int32Array(2)), 'morton.points: places must be a Uint32Array, not Int32Array(2)'],
      [() => bitReversed(0), 'bitReversed: bits must be a whole number from 1 to 32, not 0'],
      [() => bitReversed(33), 'bitReversed: bits must be a whole number from 1 to 32, not 33'],
      [() => bitReversed(17).of(2), 'a place of 2 coordinates of 17 bits takes more than a word; at most 16 bits fit'],
      [() => bitReversed(11).of(3), 'a place of 3 coordinates of 11 bits takes more than a word; at most 10 bits fit'],
      [() => rowMajor(0), 'rowMajor: width must be a whole number from 1 to 4294967295, not 0'],
      [() => rowMajor(2 ** 32), 'rowMajor: width must be a whole number from 1 to 4294967295, not 4294967296'],
      [() => rowMajor(5, 0), 'rowMajor: height must be a whole number from 1'],
      [() => rowMajor(5, undefined, 3), 'rowMajor: height must be a whole number from 1'],
      [() => rowMajor(undefined as never), 'rowMajor: width must be a whole number from 1'],
      [() => rowMajor(640).of(3), 'rowMajor.of: points of 3 coordinates need a height: rowMajor(width, height)'],
      [
        () => rowMajor(640).wide(4),
        'points of 4 coordinates need a height and a depth: rowMajor(width, height, depth)',
      ],
      [
        () => rowMajor(65_536, 65_537).of(2),
        '65536 × 65537 points are more than 2^32, and their places more than a word',
      ],
      [() => rowMajor(65_536, 65_537).of(3), '65536 × 65537 points are more than 2^32'],
    ] as const) {
      expect(call).toThrow(
        expect.objectContaining({ code: 'invalid-input', message: expect.stringContaining(message) }),
      );
    }
  });

  it('refuse arrays that have lost their memory', () => {
    const points = new Uint32Array(2);
    structuredClone(points, { transfer: [points.buffer] });
    expect(() => morton.of(2).places(points)).toThrow('points: an array has lost its memory');
  });
});
