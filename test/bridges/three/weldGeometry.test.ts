import { mergeVertices } from 'three/addons/utils/BufferGeometryUtils.js';
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  SphereGeometry,
  StorageBufferAttribute,
  TorusKnotGeometry,
} from 'three/webgpu';
import { describe, expect, it } from 'vitest';
import { randomWords } from '../../../src/hashing/index.ts';
import { type WeldGeometryOptions, weldGeometry } from '../../../src/three.ts';
import { liveBuffers } from '../../liveBuffers.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();
const random = randomWords(5);

/** All numbers of a geometry, by what they are. */
const numbersOf = ({ index, attributes, morphAttributes, groups }: BufferGeometry) => ({
  index: index && [...index.array],
  attributes: Object.entries(attributes).map(([name, { array, itemSize, count, normalized }]) => {
    return [name, array.constructor.name, [...array], itemSize, count, normalized];
  }),
  morphs: Object.entries(morphAttributes).map(([name, targets = []]) => [
    name,
    ...targets.map(({ array }) => [...array]),
  ]),
  groups,
});

/** Corner by corner, what is drawn. */
function cornersOf(geometry: BufferGeometry, names: readonly string[]): number[][] {
  const { index, attributes } = geometry;
  const count = index?.count ?? attributes.position?.count ?? 0;
  return Array.from({ length: count }, (_, corner) => {
    const vertex = index ? index.getX(corner) : corner;
    return names.flatMap((name) => {
      const attribute = attributes[name] as BufferAttribute;
      // −0 is 0.
      return Array.from({ length: attribute.itemSize }, (_, k) => attribute.getComponent(vertex, k) + 0);
    });
  });
}

/** Vertices on a lattice, so that there are many copies, each a little off. */
function soup(count: number, noise = 0): BufferGeometry {
  const near = () => noise * ((random() % 201) / 100 - 1);
  const numbers = (size: number, side: number) =>
    Float32Array.from({ length: size * count }, () => ((random() % side) - side / 2) / 4 + near());
  return new BufferGeometry()
    .setAttribute('position', new BufferAttribute(numbers(3, 4), 3))
    .setAttribute('uv', new BufferAttribute(numbers(2, 2), 2));
}

describe('weldGeometry', () => {
  it.each([0, 3, 255, 257, 3000])('is what mergeVertices makes of %i vertices without an index', async (count) => {
    for (const noise of [0, 1e-6]) {
      const geometry = soup(count, noise);
      const welded = await weldGeometry(gpu, geometry, { tolerance: 1e-4 });
      expect(numbersOf(welded)).toEqual(numbersOf(mergeVertices(geometry, 1e-4)));
    }
  });

  it.each([
    ['a box', new BoxGeometry(1, 2, 3, 4, 5, 6)],
    ['a sphere', new SphereGeometry(1, 24, 12)],
    ['a knot', new TorusKnotGeometry(1, 0.3, 40, 6)],
  ])('draws %s as before, with as few vertices as mergeVertices', async (_, geometry) => {
    for (const given of [geometry, geometry.toNonIndexed()]) {
      const welded = await weldGeometry(gpu, given, { ignore: ['normal', 'uv'] });
      expect(cornersOf(welded, ['position'])).toEqual(cornersOf(given, ['position']));
      const bare = new BufferGeometry().setIndex(given.index).setAttribute('position', given.getAttribute('position'));
      const distinct = new Set(cornersOf(bare, ['position']).map(String));
      expect(welded.getAttribute('position').count).toBe(distinct.size);
      const whole = await weldGeometry(gpu, given);
      expect(cornersOf(whole, ['position', 'normal', 'uv'])).toEqual(cornersOf(given, ['position', 'normal', 'uv']));
      expect(whole.groups).toEqual(given.groups);
    }
  });

  it('takes small geometries with short indices, and large ones with long', async () => {
    const positions = Float32Array.from({ length: 3 * 65_536 }, (_, i) => i);
    const large = new BufferGeometry().setAttribute('position', new BufferAttribute(positions, 3));
    expect((await weldGeometry(gpu, large)).index?.array).toEqual(Uint32Array.from({ length: 65_536 }, (_, i) => i));
    const less = new BufferGeometry().setAttribute('position', new BufferAttribute(positions.subarray(3), 3));
    expect((await weldGeometry(gpu, less)).index?.array).toEqual(Uint16Array.from({ length: 65_535 }, (_, i) => i));
  });

  it('keeps apart what morph targets move apart, and welds the targets', async () => {
    const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(12), 3));
    geometry.morphAttributes.position = [
      new BufferAttribute(new Float32Array([1, 2, 3, 1, 2, 3, 1, 2, 4, 1, 2, 3]), 3),
    ];
    geometry.morphTargetsRelative = true;
    const welded = await weldGeometry(gpu, geometry);
    expect([...(welded.index?.array ?? [])]).toEqual([0, 0, 1, 0]);
    expect([...(welded.morphAttributes.position?.[0]?.array ?? [])]).toEqual([1, 2, 3, 1, 2, 4]);
    expect(welded.morphTargetsRelative).toBe(true);
    const rough = await weldGeometry(gpu, geometry, { tolerances: { position: 10 } });
    expect(rough.getAttribute('position').count).toBe(1);
  });

  it('takes interleaved attributes, and leaves those of instances alone', async () => {
    const data = new InterleavedBuffer(new Float32Array([0, 0, 0, 5, 6, 1, 0, 0, 5, 7, 0, 0, 0, 5, 6]), 5);
    const geometry = new InstancedBufferGeometry()
      .setAttribute('position', new InterleavedBufferAttribute(data, 3, 0))
      .setAttribute('uv', new InterleavedBufferAttribute(data, 2, 3))
      .setAttribute('colour', new InstancedBufferAttribute(new Uint8Array([1, 2, 3, 4, 5, 6]), 3, true, 2));
    const welded = await weldGeometry(gpu, geometry);
    expect(welded).toBeInstanceOf(InstancedBufferGeometry);
    expect([...(welded.index?.array ?? [])]).toEqual([0, 1, 0]);
    const { position, uv, colour } = welded.attributes as unknown as Record<string, InterleavedBufferAttribute>;
    expect(uv?.data).toBe(position?.data);
    expect([...(position?.data.array ?? [])]).toEqual([0, 0, 0, 5, 6, 1, 0, 0, 5, 7]);
    expect(position?.count).toBe(2);
    expect(colour?.count).toBe(2);
    expect(data.count).toBe(3);
  });

  it('compares integers as they are, whatever the tolerance of floats', async () => {
    const geometry = new BufferGeometry()
      .setAttribute('position', new BufferAttribute(new Int16Array([1, 2, 3, 1, 2, 3, 1, 2, 4, 1, 2, 3]), 3, true))
      .setAttribute('colour', new BufferAttribute(new Uint8Array([9, 9, 9, 8]), 1));
    const welded = await weldGeometry(gpu, geometry, { tolerance: 100 });
    expect([...(welded.index?.array ?? [])]).toEqual([0, 0, 1, 2]);
    expect(welded.getAttribute('position').array).toEqual(new Int16Array([1, 2, 3, 1, 2, 4, 1, 2, 3]));
    expect(welded.getAttribute('position').normalized).toBe(true);
  });

  it('reads the geometry before it returns, and does not change it', async () => {
    const geometry = soup(300);
    geometry.addGroup(0, 150, 1);
    geometry.setDrawRange(3, 9);
    const before = numbersOf(geometry);
    const expected = numbersOf(await weldGeometry(gpu, geometry));
    expect(numbersOf(geometry)).toEqual(before);
    const pending = weldGeometry(gpu, geometry);
    geometry.getAttribute('position').array.fill(7);
    geometry.clearGroups();
    const welded = await pending;
    expect(numbersOf(welded)).toEqual(expected);
    expect(welded.drawRange).toEqual({ start: 3, count: 9 });
  });

  const position = (numbers: number[], size = 3) => new BufferAttribute(new Float32Array(numbers), size);
  const triangle = () => new BufferGeometry().setAttribute('position', position([0, 0, 0, 1, 0, 0, 0, 1, 0]));

  it.each<[string, unknown, WeldGeometryOptions | undefined, string]>([
    ['a mesh', { geometry: triangle() }, {}, 'geometry must be a BufferGeometry'],
    ['nothing', undefined, {}, 'geometry must be a BufferGeometry'],
    ['a geometry without positions', new BufferGeometry(), {}, 'no attribute position'],
    ['a misspelt option', triangle(), { tolerence: 1 } as never, 'did you mean tolerance?'],
    ['a negative tolerance', triangle(), { tolerance: -1 }, 'tolerance must be a number'],
    ['an unknown attribute', triangle(), { ignore: ['nomal'] }, "no attribute 'nomal'"],
    ['a tolerance of an unknown attribute', triangle(), { tolerances: { uv: 1 } }, "no attribute 'uv'"],
    ['a tolerance for tolerances', triangle(), { tolerances: 1 as never }, 'tolerances must be an object'],
    [
      'positions of instances',
      new InstancedBufferGeometry().setAttribute('position', new InstancedBufferAttribute(new Float32Array(3), 3)),
      {},
      'position is of instances',
    ],
    ['names in a string', triangle(), { ignore: 'uv' as never }, 'ignore must be an array of names'],
    ['ignored positions', triangle(), { ignore: ['position'] }, 'nothing to weld'],
    ['positions in a plane', new BufferGeometry().setAttribute('position', position([0, 1], 2)), {}, '2 numbers'],
    [
      'positions that floats cannot hold',
      new BufferGeometry().setAttribute('position', new BufferAttribute(new Int32Array(9), 3)),
      {},
      'Int32Array',
    ],
    ['too few numbers of an attribute', triangle().setAttribute('uv', position([1, 2], 1)), {}, 'uv has 2 vertices'],
    ['an index beyond the end', triangle().setIndex([0, 1, 3]), {}, 'beyond the 3'],
    [
      'an attribute on the GPU',
      triangle().setAttribute('uv', new StorageBufferAttribute(new Float32Array(3), 1)),
      {},
      'uv is on the GPU',
    ],
    [
      'a tolerance of integers',
      triangle().setAttribute('colour', new BufferAttribute(new Uint8Array(3), 1)),
      { tolerances: { colour: 1 } },
      'attributes.colour must be one of Float32Array',
    ],
  ])('refuses %s', async (_, geometry, options, message) => {
    const { error, live } = await liveBuffers(gpu, () => weldGeometry(gpu, geometry as BufferGeometry, options));
    expect(String(error)).toContain(message);
    expect(error).toHaveProperty('code', expect.stringMatching(/^(invalid-input|unsupported)$/));
    expect(live).toEqual([]);
  });

  it('is given up by a signal, and leaves no buffers', async () => {
    const { error, live } = await liveBuffers(gpu, () =>
      weldGeometry(gpu, triangle(), { signal: AbortSignal.abort('enough') }),
    );
    expect(error).toBe('enough');
    expect(live).toEqual([]);
  });
});
