import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byCell,
  HashMap,
  HashnestError,
  HashSet,
  KeyIndex,
  tuple,
  u32,
  vec2f,
  vec3f,
  vec3i,
  vec4f,
} from '../../src/index.ts';
import { distinct } from '../../src/relational.ts';
import { linearProbing } from '../../src/schemes/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();

/** The multiple that a coordinate is kept as, computed otherwise than the library does: by the candidates around it. */
function cellOf(x: number, size: number): number {
  const cell = Math.fround(size);
  if (!(Math.abs(x) < 2 ** 21 * cell)) return x;
  const scaled = Math.fround(x * Math.fround(1 / cell));
  const [down, up] = [Math.floor(scaled), Math.ceil(scaled)];
  const nearest = scaled - down < up - scaled ? down : scaled - down > up - scaled ? up : down % 2 === 0 ? down : up;
  return Math.fround(nearest * cell) + 0;
}

const finite = fc.oneof(
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.float({ min: -8, max: 8, noNaN: true }),
  fc.constantFrom(0, -0, 0.25, -0.25, 0.5, 0.75, 1.5, 2.5, 2 ** 21, -(2 ** 21), 2 ** 20 + 0.25, 3e38, 1e-40),
);
const sizes = fc.constantFrom(0.1, 0.5, 1, 3, 1e-3, 7.77, 2 ** -60, 2 ** 60);

describe('points by cell', () => {
  it('are the same if they round to the same multiples, on the host and on the GPU', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(finite, { minLength: 2, maxLength: 40 }), sizes, async (numbers, size) => {
        const points = Float32Array.from(numbers.slice(0, numbers.length - (numbers.length % 2)));
        const key = byCell(vec2f, size);
        const cells = Array.from({ length: points.length / 2 }, (_, i) =>
          [points[2 * i], points[2 * i + 1]].map((x) => cellOf(x as number, size)).join(),
        );
        using fromArray = await KeyIndex.from(
          gpu,
          { keys: points },
          { key, scheme, construction: 'table', keepItems: true },
        );
        const words = gpu.upload('points', points);
        const given = { keys: words, count: cells.length };
        using fromBuffer = await KeyIndex.from(gpu, given, { key, scheme, construction: 'table', keepItems: true });
        words.destroy();
        const distinctCells = [...new Set(cells)];
        const numbered = cells.map((cell) => distinctCells.indexOf(cell));
        expect([...(await fromArray.idsOfItems())]).toEqual(numbered);
        expect([...(await fromBuffer.idsOfItems())]).toEqual(numbered);
        const kept = await fromBuffer.keys();
        expect([...kept]).toEqual([...(await fromArray.keys())]);
        expect(Array.from({ length: kept.length / 2 }, (_, i) => `${kept[2 * i]},${kept[2 * i + 1]}`)).toEqual(
          distinctCells,
        );
        // What is kept is found again, and is in its own cell.
        expect((await fromBuffer.has(kept)).every((flag) => flag === 1)).toBe(true);
        expect([...(await fromBuffer.ids(kept))]).toEqual(distinctCells.map((_, i) => i));
      }),
      { numRuns: 60 },
    );
  });

  it('have one NaN, one 0, and infinities', async () => {
    const points = Float32Array.of(
      Number.NaN,
      -0,
      Number.NaN,
      0.1,
      Number.POSITIVE_INFINITY,
      0,
      Number.NEGATIVE_INFINITY,
      0,
    );
    using set = await HashSet.from(gpu, { keys: points }, { key: byCell(vec2f, 1), scheme });
    expect(set.size).toBe(3);
    expect([...(await set.has(Float32Array.of(Number.NaN, 0.4, 1, 0)))]).toEqual([1, 0]);
  });

  it('are searched by shaders, and are parts of tuples and columns', async () => {
    const key = byCell(vec3f, 0.5);
    const keys = Float32Array.of(0.1, 0.2, 0.6, 5, 5, 5);
    using map = await HashMap.from(gpu, { keys, values: new Uint32Array([7, 9]) }, { key, scheme });
    expect(await map.getOne([0, 0, 0.5])).toBe(7);
    expect(map.wgsl({ name: 'cells', group: 1 }).code).toContain('fn cells_find(key: vec3f)');
    const groups = tuple(u32, key);
    const parts = [new Uint32Array([1, 1, 2]), Float32Array.of(0, 0, 0, 0.1, 0.1, 0.1, 0, 0, 0)] as const;
    using set = await HashSet.from(gpu, { keys: parts }, { key: groups, scheme });
    expect(set.size).toBe(2);
    expect([...(await distinct(gpu, { values: parts[1], key }))]).toEqual([0]);
  });

  it('are the same type for the same arguments, and refuse others', () => {
    expect(byCell(vec3f, 0.1)).toBe(byCell(vec3f, Math.fround(0.1)));
    expect(byCell(vec3f, 0.1)).not.toBe(byCell(vec4f, 0.1));
    expect(byCell(vec2f, 0.5).name).toBe('vec2f/0.5');
    for (const size of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 61, 2 ** -61, '1', undefined, null, 1n]) {
      expect(() => byCell(vec3f, size as never), String(size)).toThrow(HashnestError);
    }
    for (const type of [vec3i, u32, undefined, 'vec3f', byCell(vec3f, 1)]) {
      expect(() => byCell(type as never, 1)).toThrow(/type must be vec2f, vec3f or vec4f/);
    }
  });
});
