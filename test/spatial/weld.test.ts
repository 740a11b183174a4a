import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomWords } from '../../src/hashing/index.ts';
import { HashnestError } from '../../src/index.ts';
import { type Attribute, weld } from '../../src/spatial.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { welded } from '../oracles/weld.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const bits = (array: Float32Array): Uint32Array => new Uint32Array(array.buffer, array.byteOffset, array.length);

/** Welds on the GPU and by a `Map`, and compares all that there is. */
async function checkWeld(positions: Float32Array, tolerance?: number, attributes?: Record<string, Attribute>) {
  const got = await weld(gpu, positions, {
    ...(tolerance !== undefined && { tolerance }),
    ...(attributes && { attributes }),
  });
  const { indices, vertices } = welded(positions, tolerance, attributes);
  expect(got.indices).toEqual(indices);
  expect(got.vertices).toEqual(vertices);
  expect(bits(got.positions)).toEqual(
    Uint32Array.from([...vertices].flatMap((v) => [...bits(positions).subarray(3 * v, 3 * v + 3)])),
  );
  for (const [name, attribute] of Object.entries(attributes ?? {})) {
    const values = ArrayBuffer.isView(attribute) ? attribute : attribute.values;
    const size = (3 * values.length) / positions.length;
    const expected = [...vertices].flatMap((v) => Array.from(values.subarray(size * v, size * (v + 1))));
    expect(got.attributes[name]).toEqual(
      (values.constructor as unknown as { from(list: number[]): unknown }).from(expected),
    );
  }
  return got;
}

const random = randomWords(11);
/** Vertices on a lattice, so that there are many copies. */
const lattice = (count: number, side: number, step = 0.25): Float32Array =>
  Float32Array.from({ length: 3 * count }, () => ((random() % side) - side / 2) * step);

describe('weld', () => {
  it('makes two triangles of a square share an edge', async () => {
    const soup = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0]);
    const { indices, vertices, positions } = await weld(gpu, soup);
    expect([...indices]).toEqual([0, 1, 2, 0, 2, 3]);
    expect([...vertices]).toEqual([0, 1, 2, 5]);
    expect([...positions]).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
  });

  it.each([0, 1, 2, 3, 255, 256, 257, 4000])('finds the same vertices as a Map, of %i', async (count) => {
    await checkWeld(lattice(count, 8));
    await checkWeld(lattice(count, 1));
  });

  it('takes a large mesh', async () => {
    await checkWeld(lattice(65_537, 24));
  });

  it('takes equal numbers for the same, as a Map does: 0 and −0, and all NaN', async () => {
    const spellings = Uint32Array.of(
      0,
      0x8000_0000,
      0x7fc0_0000,
      0xffff_ffff,
      0x7f80_0001,
      0x7f80_0000,
      0xff80_0000,
      1,
      2,
    );
    const words = Uint32Array.from({ length: 600 }, () => spellings[random() % spellings.length] as number);
    const { vertices } = await checkWeld(new Float32Array(words.buffer));
    expect(vertices.length).toBeLessThan(200);
  });

  it('keeps two vertices apart that are near, where a border lies between them', async () => {
    const { vertices } = await checkWeld(new Float32Array([0.4999, 0, 0, 0.5001, 0, 0]), 1);
    expect(vertices.length).toBe(2);
  });

  it('rounds to multiples of the tolerance, half way to the even one', async () => {
    const positions = new Float32Array([0.124, 0, 0, 0.126, 0, 0, 0.125, 0, 0, 0.375, 0, 0, 0.374, 0, 0, -0.124, 0, 0]);
    const { indices } = await checkWeld(positions, 0.25);
    expect([...indices]).toEqual([0, 1, 0, 2, 1, 0]);
  });

  it.each([1e-3, 0.1, 1, 7, 2 ** -100, 2 ** 100, 1e30])(
    'rounds like the twin, with the tolerance %d',
    async (tolerance) => {
      const scale = [0.3, 1, 5, 1e3, 1e7, 2 ** 22, 2 ** 23, 2 ** 24, 1e12];
      const numbers = Array.from({ length: 900 }, () => {
        const sign = random() % 2 === 0 ? 1 : -1;
        return sign * tolerance * (scale[random() % scale.length] as number) * (random() / 2 ** 32);
      });
      await checkWeld(Float32Array.from(numbers), tolerance);
      await checkWeld(
        Float32Array.from(numbers, (x) => x / 8),
        tolerance,
      );
    },
  );

  it('welds all that is within half the tolerance of a multiple', async () => {
    const near = Float32Array.from({ length: 3000 }, (_, i) => Math.floor(i / 300) + (random() / 2 ** 32 - 0.5) * 0.9);
    const { vertices } = await checkWeld(near, 1);
    expect(vertices.length).toBe(10);
  });

  it('compares attributes that are named, each with its tolerance, and of any array', async () => {
    const positions = lattice(500, 3);
    const some = (length: number, most: number) => Array.from({ length: 500 * length }, () => random() % most);
    await checkWeld(positions, 0, { uv: Float32Array.from(some(2, 2)) });
    await checkWeld(positions, 0, { material: Uint8Array.from(some(1, 3)), joints: Uint16Array.from(some(4, 2)) });
    await checkWeld(positions, 0.5, {
      normal: { values: Float32Array.from(some(3, 9), (x) => x / 20), tolerance: 0.2 },
    });
    await checkWeld(positions, 0, { shift: Int8Array.from(some(1, 3), (x) => x - 1), id: Int32Array.from(some(1, 2)) });
  });

  it('compares whole numbers as they are, also those that are one number as floats', async () => {
    // Bits of 0, −0 and two NaN.
    const ids = Uint32Array.of(0, 0x8000_0000, 0x7fc0_0000, 0x7fc0_0001, 0, 0x7fc0_0001);
    await checkWeld(new Float32Array(3 * ids.length), undefined, { ids });
    expect((await weld(gpu, new Float32Array(3 * ids.length), { attributes: { ids } })).vertices).toHaveLength(4);
  });

  it('compares rows of any width, part by part', async () => {
    for (const width of [7, 8, 15, 16, 40]) {
      // Rows that differ in one number only, wherever it is.
      const wide = new Float32Array(300 * width);
      for (let i = 0; i < 300; i++) if (i % 3 !== 0) wide[i * width + (random() % width)] = random() % 2;
      const positions = lattice(300, 1);
      for (let i = 0; i < 300; i += 3) positions[3 * i + (i % 9) / 3] = i % 2;
      await checkWeld(positions, 0, { wide });
    }
  });

  it('gives the same answer every time, and leaves no buffer', async () => {
    const positions = lattice(3000, 6);
    const wide = lattice(3000 * 4, 2);
    const twice = async () => [
      await weld(gpu, positions, { attributes: { wide } }),
      await weld(gpu, positions, { attributes: { wide } }),
    ];
    const { result, live } = await liveBuffers(gpu, twice);
    expect(result?.[0]).toEqual(result?.[1]);
    expect(live).toEqual([]);
  });

  it('reads its arrays before it returns', async () => {
    const positions = lattice(100, 3);
    const uv = Float32Array.from({ length: 200 }, (_, i) => i % 2);
    const { indices } = welded(positions, 0, { uv });
    const before = positions.slice();
    const promise = weld(gpu, positions, { attributes: { uv } });
    positions.fill(9);
    uv.fill(9);
    const got = await promise;
    expect(got.indices).toEqual(indices);
    expect(got.positions[0]).toBe(before[0]);
  });

  it('agrees with a Map on random numbers', async () => {
    const coordinate = fc.oneof(fc.constantFrom(0, -0, 0.1, 0.15, 1e-40, Number.NaN, -1e20), fc.float());
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(coordinate, coordinate, coordinate), { maxLength: 40 }),
        fc.constantFrom(0, 0.1, 3),
        async (points, tolerance) => {
          await checkWeld(Float32Array.from([...points, ...points.slice(0, 7)].flat()), tolerance);
        },
      ),
      { numRuns: 25 },
    );
  });

  const soup = new Float32Array(9);
  const gone = new Float32Array(9);
  structuredClone(gone, { transfer: [gone.buffer] });
  const call = (...args: unknown[]) => (weld as (...args: unknown[]) => Promise<unknown>)(...args);
  it.each([
    [[undefined, soup], /^weld: gpu must be a Gpu/],
    [[gpu, [0, 0, 0]], /positions must be a Float32Array, not Array\(3\)/],
    [[gpu, new Float64Array(3)], /positions must be a Float32Array/],
    [[gpu, new Float32Array(4)], /positions has 4 coordinates; each vertex takes 3/],
    [[gpu, gone], /positions: an array has lost its memory/],
    [[gpu, soup, { tolerence: 1 }], /options have no tolerence; did you mean tolerance\?/],
    [[gpu, soup, { tolerance: -1 }], /tolerance must be a number, 0 or from/],
    [[gpu, soup, { tolerance: Number.NaN }], /tolerance must be/],
    [[gpu, soup, { tolerance: Number.POSITIVE_INFINITY }], /tolerance must be/],
    [[gpu, soup, { tolerance: '1' }], /tolerance must be a number.*'1'/],
    [[gpu, soup, { attributes: [soup] }], /attributes must be an object/],
    [[gpu, soup, { attributes: { uv: new Float32Array(7) } }], /attributes\.uv has 7 numbers, .* each of 3 vertices/],
    [[gpu, soup, { attributes: { uv: new Float32Array() } }], /attributes\.uv has 0 numbers/],
    [[gpu, soup, { attributes: { uv: new Float64Array(6) } }], /attributes\.uv must be one of/],
    [[gpu, soup, { attributes: { uv: null } }], /attributes\.uv must be/],
    [
      [gpu, soup, { attributes: { uv: { values: new Uint8Array(3), tolerance: 1 } } }],
      /attributes\.uv must be one of Float32Array/,
    ],
    [[gpu, soup, { attributes: { uv: { values: soup, tolerance: -2 } } }], /attributes\.uv\.tolerance must be/],
    [[gpu, new Float32Array(), { attributes: { uv: soup } }], /attributes\.uv has 9 numbers/],
  ])('refuses what makes no sense: %#', async (args, message) => {
    const { error, live } = await liveBuffers(gpu, () => call(...args));
    expect(error).toBeInstanceOf(HashnestError);
    expect((error as Error).message).toMatch(message);
    expect(live).toEqual([]);
  });
});
