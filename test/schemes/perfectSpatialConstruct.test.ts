import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnsupportedError } from '../../src/gpu/index.ts';
import { type HashConstants, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64, vec2i, vec3i, vec4i } from '../../src/keys/index.ts';
import type { Duplicates } from '../../src/schemes/contract/index.ts';
import { arrange } from '../../src/schemes/perfectSpatial/arrange.ts';
import { type Arrangement, construct } from '../../src/schemes/perfectSpatial/construct.ts';
import { distinctItems } from '../../src/schemes/perfectSpatial/distinctItems.ts';
import {
  type Dimensions,
  type Geometry,
  isLegalOffsetSide,
  sideFor,
} from '../../src/schemes/perfectSpatial/geometry.ts';
import { type PerfectSpatialOptions, perfectSpatial } from '../../src/schemes/perfectSpatial/index.ts';
import { byOccupancy, neighboursOf } from '../../src/schemes/perfectSpatial/offsetCells.ts';
import { COORDINATES, pointsOf } from '../../src/schemes/perfectSpatial/points.wgsl.ts';
import { pointSets, randomPoints } from '../oracles/pointSets.ts';

const wordsOf = (points: Int32Array) => new Uint32Array(points.buffer, points.byteOffset, points.length);

const planOf = (items: number, key: KeyType<Int32Array>, growth = 0, options: PerfectSpatialOptions = {}) =>
  perfectSpatial(options).plan({ items, key: key as unknown as KeyType, valueWords: 1, duplicates: 'last', growth });

const geometryOf = ({ request, fields }: ReturnType<typeof planOf>) =>
  ({ dimensions: request.key.coordinates, ...fields }) as Geometry;

/** The paper's formula, coordinate by coordinate. */
function slotByFormula(point: readonly number[], { slotSide, offsetSide }: Geometry, offsets: Uint32Array): number {
  const bits = point.length === 2 ? 16 : 10;
  const cell = point.reduceRight((sum, x) => sum * offsetSide + (x % offsetSide), 0);
  const packed = offsets[cell] as number;
  return point.reduceRight((sum, x, axis) => {
    const offset = Math.floor(packed / 2 ** (bits * axis)) % 2 ** bits;
    return sum * slotSide + (((x % slotSide) + offset) % slotSide);
  }, 0);
}

/** Every point has a slot of its own, and the formula finds it. */
function expectPerfect(points: Uint32Array, geometry: Geometry, { offsets, slots }: Arrangement): void {
  const { dimensions, slotSide } = geometry;
  const count = points.length / dimensions;
  expect(slots.length).toBe(count);
  expect(new Set(slots).size).toBe(count);
  expect(slots.every((slot) => slot < slotSide ** dimensions)).toBe(true);
  const wrong = slots.findIndex(
    (slot, i) => slotByFormula([...points.subarray(i * dimensions, (i + 1) * dimensions)], geometry, offsets) !== slot,
  );
  expect(wrong).toBe(-1);
}

/** The first size at which keys can be arranged, and how. */
function arrangeGrowing(keys: Uint32Array, dimensions: Dimensions) {
  for (let growth = 0; ; growth++) {
    const plan = planOf(keys.length / dimensions, dimensions === 2 ? vec2i : vec3i, growth);
    const geometry = geometryOf(plan);
    const outcome = arrange(keys, geometry, randomWords(growth), growth < 3);
    if (!('reason' in outcome)) return { geometry, outcome };
    if (!plan.larger) throw new Error(`${outcome.left} points are ${outcome.reason}`);
  }
}

describe('arrange', () => {
  it.each(pointSets)('gives a slot of its own to each of $name', ({ points, dimensions }) => {
    const keys = wordsOf(points);
    const { geometry, outcome } = arrangeGrowing(keys, dimensions);
    expectPerfect(pointsOf(keys, dimensions, outcome.hash), geometry, outcome);
  });

  it('gives a slot of its own to each of a few points of any kind', () => {
    const coordinate = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));
    const sets = fc.constantFrom<Dimensions>(2, 3).chain((dimensions) =>
      fc.uniqueArray(fc.array(coordinate, { minLength: dimensions, maxLength: dimensions }), {
        selector: String,
        minLength: 1,
        maxLength: 40,
      }),
    );
    fc.assert(
      fc.property(sets, (points) => {
        const dimensions = points[0]?.length as Dimensions;
        const keys = wordsOf(Int32Array.from(points.flat()));
        const { geometry, outcome } = arrangeGrowing(keys, dimensions);
        expectPerfect(pointsOf(keys, dimensions, outcome.hash), geometry, outcome);
      }),
      { numRuns: 200, seed: 3 },
    );
  });

  it('needs less than 1.25 slots and offsets for each of 50,000 random voxels, by their coordinates', () => {
    const keys = wordsOf(randomPoints(50_000, 3, 512));
    const { geometry, outcome } = arrangeGrowing(keys, 3);
    expect(outcome.hash).toEqual(COORDINATES);
    expectPerfect(pointsOf(keys, 3, COORDINATES), geometry, outcome);
    expect(geometry.slotSide).toBe(37);
    expect(geometry.offsetSide ** 3).toBeLessThan(50_000 * 0.25);
  });

  it('hashes the keys of a line that is longer than both remainders together', () => {
    const keys = wordsOf(Int32Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? i / 3 : 0)));
    const { outcome } = arrangeGrowing(keys, 3);
    expect(outcome.hash).not.toEqual(COORDINATES);
  });
});

describe('construct', () => {
  it('sends a dense block to slots by one offset, so that neighbours stay neighbours', () => {
    const { points, dimensions } = pointSets[0] as (typeof pointSets)[number];
    const geometry = { dimensions, slotSide: 12, offsetSide: 7 };
    const { offsets } = construct(pointsOf(wordsOf(points), 3, COORDINATES), geometry, randomWords(1)) as Arrangement;
    expect(new Set(offsets).size).toBe(1);
  });

  it('counts the points that no offsets can part', () => {
    // 0, 35 and 70 agree modulo 5 and modulo 7.
    const points = Uint32Array.of(0, 0, 35, 0, 1, 0, 70, 35, 2, 2);
    const outcome = construct(points, { dimensions: 2, slotSide: 5, offsetSide: 7 }, randomWords(1));
    expect(outcome).toEqual({ reason: 'inseparable', left: 2 });
  });

  it('gives up, and counts the points without a slot, where there are too few offsets', () => {
    const points = pointsOf(wordsOf(randomPoints(1000, 3, 30)), 3, COORDINATES);
    const outcome = construct(points, { dimensions: 3, slotSide: 10, offsetSide: 3 }, randomWords(1));
    expect(outcome).toMatchObject({ reason: 'crowded' });
    expect((outcome as { left: number }).left).toBeGreaterThan(100);
  });

  // Of nine slots, two cells take a row each, and the third needs a column.
  const rowsAndColumn = Uint32Array.from([0, 0, 2, 0, 4, 0, 1, 0, 3, 0, 5, 0, 0, 1, 0, 3, 0, 5]);
  const nine = { dimensions: 2, slotSide: 3, offsetSide: 2 } as const;

  it('counts the points of the cells that fit nowhere any more', () => {
    expect(construct(rowsAndColumn, nine, randomWords(1))).toEqual({ reason: 'crowded', left: 3 });
    const rows = construct(rowsAndColumn.subarray(0, 12), nine, randomWords(1)) as Arrangement;
    expectPerfect(rowsAndColumn.subarray(0, 12), nine, rows);
  });

  it('tries other functions for crowded points only if nobody waits for a larger table, for inseparable ones always', () => {
    const drawnFor = (points: Uint32Array, geometry: Geometry, patient: boolean) => {
      let drawn = 0;
      const random = randomWords(5);
      const counted = (): number => {
        drawn++;
        return random();
      };
      // As keys: the least coordinate is 0 as a point.
      const keys = points.map((word) => (word ^ 0x8000_0000) >>> 0);
      const outcome = arrange(keys, geometry, counted, patient);
      return { drawn, isCrowded: 'reason' in outcome && outcome.reason === 'crowded' };
    };
    expect(drawnFor(rowsAndColumn, nine, true)).toEqual({ drawn: 3, isCrowded: true });
    expect(drawnFor(rowsAndColumn, nine, false).drawn).toBeGreaterThan(3 + 4);
    const inseparable = Uint32Array.of(0, 0, 6, 0);
    expect(drawnFor(inseparable, nine, true).drawn).toBeGreaterThanOrEqual(4);
  });

  it('has nothing to do for no points', () => {
    const outcome = construct(new Uint32Array(), { dimensions: 2, slotSide: 1, offsetSide: 1 }, randomWords(1));
    expect(outcome).toEqual({ offsets: Uint32Array.of(0), slots: new Uint32Array() });
  });
});

describe('the cells of the offset table', () => {
  it.each([
    [2, 3],
    [2, 5],
    [3, 4],
  ] as const)(
    'of %i dimensions and a side of %i are beside those one step away, across the faces too',
    (dimensions, side) => {
      const neighbours = neighboursOf({ dimensions, slotSide: 8, offsetSide: side });
      const numberOf = (at: readonly number[]) => at.reduceRight((sum, x) => sum * side + ((x + side) % side), 0);
      const stepped = (at: readonly number[], axis: number, step: number) =>
        at.map((x, i) => (i === axis ? x + step : x));
      for (let cell = 0; cell < side ** dimensions; cell++) {
        const at = Array.from({ length: dimensions }, (_, axis) => Math.floor(cell / side ** axis) % side);
        const expected = at.flatMap((_, axis) => [numberOf(stepped(at, axis, -1)), numberOf(stepped(at, axis, 1))]);
        expect(neighbours(cell)).toEqual(expected);
      }
    },
  );

  it('come in the order of their points, those of the most first and those of none not at all', () => {
    const points = [0, 3, 1, 0, 3, 7, 1, 0];
    const starts = Uint32Array.from([0, ...points], (_, i) => points.slice(0, i).reduce((a, b) => a + b, 0));
    expect([...byOccupancy(starts)]).toEqual([5, 1, 4, 2, 6]);
    expect([...byOccupancy(new Uint32Array(4))]).toEqual([]);
  });
});

describe('the sides of the grids', () => {
  it('are the shortest that have room', () => {
    for (const dimensions of [2, 3] as const) {
      for (const side of [1, 2, 3, 10, 100, 999, 1023]) {
        expect(sideFor(side ** dimensions, dimensions)).toBe(side);
        expect(sideFor(side ** dimensions + 1, dimensions)).toBe(side + 1);
      }
    }
  });

  it('have no common divisor, and do not bring a cell beside itself', () => {
    expect([50, 51, 53, 99, 33].map((side) => isLegalOffsetSide(side, 100))).toEqual([false, true, true, false, false]);
    expect(isLegalOffsetSide(101, 100)).toBe(false);
  });

  it.each([vec2i, vec3i])('grow at every step, and are legal ($name)', (key) => {
    for (const items of [0, 1, 2, 100, 4096, 1_000_000]) {
      const sizes = Array.from({ length: 25 }, (_, growth) => planOf(items, key, growth));
      expect(sizes.findIndex(({ larger }) => !larger)).toBe(24);
      sizes.forEach((plan, growth) => {
        const { slotSide, offsetSide, dimensions } = geometryOf(plan);
        expect(slotSide ** dimensions).toBeGreaterThanOrEqual(items);
        expect(isLegalOffsetSide(offsetSide, slotSide)).toBe(true);
        const before = sizes[growth - 1];
        if (before && geometryOf(before).slotSide === slotSide) {
          expect(offsetSide).toBeGreaterThan(geometryOf(before).offsetSide);
        }
      });
    }
  });
});

describe('plan', () => {
  it('has one word for an offset, and hardly more slots than items', () => {
    expect(planOf(1_000_000, vec3i)).toMatchObject({
      capacitySlots: 1_000_000,
      fields: { slotSide: 100, offsetSide: 57 },
      buffers: [
        { name: 'slots', bytes: 16_000_000 },
        { name: 'offsets', bytes: 57 ** 3 * 4 },
      ],
    });
  });

  it('begins with as many offsets as it is told', () => {
    expect(planOf(1_000_000, vec2i, 0, { offsetsPerItem: 1 }).fields.offsetSide).toBeGreaterThanOrEqual(1000);
  });

  it.each([0, -1, 9, Number.NaN])('refuses %d offsets an item', (offsetsPerItem) => {
    expect(() => planOf(10, vec2i, 0, { offsetsPerItem })).toThrow('offsetsPerItem must be above 0');
  });

  it.each([u32, u64, vec4i] as unknown as KeyType<Int32Array>[])('refuses keys of type $name', (key) => {
    expect(() => planOf(10, key)).toThrow(UnsupportedError);
  });

  it('refuses more items than its offsets can address', () => {
    expect(() => planOf(1024 ** 3, vec3i)).toThrow('slots that it can address');
  });
});

describe('distinctItems', () => {
  const keys = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })), { maxLength: 60 });
  it.each(['first', 'last', 'any', 'error', 'unique'] as Duplicates[])('keeps what a Map would keep (%s)', (policy) => {
    fc.assert(
      fc.property(keys, (items) => {
        const oracle = new Map<string, number>();
        items.forEach((key, i) => {
          if (policy === 'last' || !oracle.has(String(key))) oracle.set(String(key), i);
        });
        const firstCopy = items.findIndex((key, i) => items.findIndex((other) => String(other) === String(key)) < i);
        const { kept, copy } = distinctItems(Uint32Array.from(items.flat()), 2, policy, randomWords(5));
        expect([...kept]).toEqual([...oracle.values()]);
        expect(copy).toBe(firstCopy === -1 ? undefined : firstCopy);
      }),
      { numRuns: 50, seed: 6 },
    );
  });
});

describe('pointsOf', () => {
  it('counts coordinates from the least one on', () => {
    const keys = wordsOf(Int32Array.of(-(2 ** 31), 0, 2 ** 31 - 1));
    expect([...pointsOf(keys, 3, COORDINATES)]).toEqual([0, 2 ** 31, 2 ** 32 - 1]);
  });

  it('makes other points by other constants', () => {
    const keys = wordsOf(randomPoints(10, 3));
    const by = (constants: HashConstants) => String(pointsOf(keys, 3, constants));
    expect(new Set([by(COORDINATES), by([1, 2, 3, 4]), by([5, 6, 7, 8])]).size).toBe(3);
  });
});
