/** Geometries of three.js, welded. */
import { BufferAttribute, type BufferGeometry, type InterleavedBufferAttribute } from 'three/webgpu';
import {
  type Abortable,
  arrayKind,
  type Gpu,
  InvalidInputError,
  refuse,
  requireGpu,
  requireMembers,
  requireOptions,
  requireSignal,
  UnsupportedError,
  within,
} from '../../gpu/index.ts';
import { type Attribute, type AttributeArray, weld } from '../../spatial/weld.ts';

/** When vertices of a geometry are the same. */
export interface WeldGeometryOptions {
  /** Floats are the same if they round to the same multiple of this. Default 0: if they are equal. */
  readonly tolerance?: number;
  /** Other tolerances for some attributes: `{ normal: 0.01 }`. */
  readonly tolerances?: Readonly<Record<string, number>>;
  /** Attributes that need not be the same, such as `['normal', 'uv']`. Those of the first vertex are kept. */
  readonly ignore?: readonly string[];
}

/** An attribute of vertices, or a morph target that changes it: what is ignored or tolerated of one, is of the other. */
interface Part {
  readonly name: string;
  /** What messages call it. */
  readonly title: string;
  readonly attribute: BufferAttribute | InterleavedBufferAttribute;
}

/** Arrays whose numbers floats can hold. */
const SMALL_INTEGERS = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array'];

/**
 * An indexed geometry in which vertices that are the same are kept once, as `mergeVertices` of three.js makes it. Groups, morph targets, the
 * draw range and attributes of instances stay. The geometry that is given does not change.
 * @example
 * const smooth = await weldGeometry(gpu, geometry, { tolerance: 1e-4, ignore: ['normal', 'uv'] });
 * smooth.computeVertexNormals();
 */
export async function weldGeometry<Geometry extends BufferGeometry>(
  gpu: Gpu,
  geometry: Geometry,
  options: WeldGeometryOptions & Abortable = {},
): Promise<Geometry> {
  const { positions, tolerance, attributes } = within('weldGeometry', () => {
    requireGpu(gpu);
    requireOptions(options, ['tolerance', 'tolerances', 'ignore', 'signal']);
    requireSignal(options.signal);
    return comparedOf(partsOf(geometry), options);
  });
  // The caller may change the geometry while the GPU works.
  const copy = geometry.clone();
  const { signal } = options;
  const welded = await weld(gpu, positions, { tolerance, attributes, ...(signal && { signal }) });
  const { indices, vertices } = welded;
  keep(partsOf(copy), vertices);
  const corners = copy.index ? Uint32Array.from(copy.index.array, (vertex) => indices[vertex] as number) : indices;
  // The greatest short number would begin a new strip.
  const isShort = vertices.length <= 0xffff;
  copy.setIndex(new BufferAttribute(isShort ? Uint16Array.from(corners) : corners, 1));
  return copy;
}

/** All that belongs to vertices, positions first; throws for what cannot be welded. */
function partsOf(geometry: BufferGeometry): [Part, ...Part[]] {
  if (!geometry?.isBufferGeometry) refuse('geometry', 'a BufferGeometry', geometry);
  const { attributes, morphAttributes, index } = geometry;
  const { position, ...others } = attributes;
  if (!position) throw new InvalidInputError('the geometry has no attribute position');
  const all = [
    ...Object.entries({ position, ...others }).map(([name, attribute]) => ({ name, title: name, attribute })),
    ...Object.entries(morphAttributes).flatMap(([name, targets = []]) =>
      targets.map((attribute, i) => ({ name, title: `morphAttributes.${name}[${i}]`, attribute })),
    ),
  ];
  if (isOfInstances(position)) throw new UnsupportedError('position is of instances: there are no vertices to weld');
  const parts = all.filter(({ attribute }) => !isOfInstances(attribute)) as [Part, ...Part[]];
  const { count } = position;
  for (const { title, attribute } of parts) {
    const kinds = Object(attribute);
    if (!kinds.array || kinds.isStorageBufferAttribute || kinds.isStorageInstancedBufferAttribute) {
      throw new UnsupportedError(`${title} is on the GPU: only attributes with an array of their own can be welded`);
    }
    if (attribute.count !== count) {
      throw new InvalidInputError(`${title} has ${attribute.count} vertices, and position ${count}`);
    }
  }
  if (index && Array.prototype.some.call(index.array, (vertex) => vertex >= count)) {
    throw new InvalidInputError(`the index has vertices beyond the ${count} that there are`);
  }
  return parts;
}

function isOfInstances(attribute: object): boolean {
  const { isInstancedBufferAttribute, data } = attribute as { isInstancedBufferAttribute?: true; data?: object };
  return isInstancedBufferAttribute === true || 'isInstancedInterleavedBuffer' in Object(data);
}

/** What is compared, as `weld` takes it. */
function comparedOf(parts: readonly [Part, ...Part[]], options: WeldGeometryOptions) {
  const { tolerance = 0, tolerances = {}, ignore = [] } = options;
  if (!Array.isArray(ignore)) refuse('ignore', 'an array of names', ignore);
  requireMembers(tolerances, 'tolerances', []);
  const names = parts.map(({ name }) => name);
  for (const name of [...ignore, ...Object.keys(tolerances)]) {
    if (!names.includes(name)) throw new InvalidInputError(`the geometry has no attribute '${name}'`);
  }
  if (ignore.includes('position')) throw new InvalidInputError('ignore: without position there is nothing to weld');
  const [position, ...others] = parts
    .filter(({ name }) => !ignore.includes(name))
    .map(({ name, title, attribute }) => {
      const values = numbersOf(attribute);
      const isFloat = arrayKind(values) === 'Float32Array';
      return { title, values, tolerance: tolerances[name] ?? (isFloat ? tolerance : 0) };
    });
  const columns = others.map(({ title, values, tolerance }) => [title, tolerance ? { values, tolerance } : values]);
  return {
    positions: positionsOf(parts[0].attribute.itemSize, position?.values),
    tolerance: position?.tolerance ?? 0,
    attributes: Object.fromEntries(columns) as Record<string, Attribute>,
  };
}

/** Coordinates as floats, which lose nothing. */
function positionsOf(itemSize: number, values: AttributeArray | undefined): Float32Array {
  const kind = arrayKind(values) as string;
  if (itemSize !== 3 || !(kind === 'Float32Array' || SMALL_INTEGERS.includes(kind))) {
    throw new UnsupportedError(
      `position has ${itemSize} numbers in a ${kind}; it takes 3, in floats or small integers`,
    );
  }
  return values instanceof Float32Array ? values : Float32Array.from(values as AttributeArray);
}

/** The numbers of an attribute, those of one vertex behind those of the other. */
function numbersOf(attribute: Part['attribute']): AttributeArray {
  if (!('data' in attribute)) return attribute.array as AttributeArray;
  const { array, stride } = attribute.data;
  const { count, itemSize, offset } = attribute;
  const numbers = new (array.constructor as new (length: number) => AttributeArray)(count * itemSize);
  for (let i = 0; i < numbers.length; i++) {
    numbers[i] = array[Math.floor(i / itemSize) * stride + offset + (i % itemSize)] as number;
  }
  return numbers;
}

/** Leaves some vertices only. Interleaved attributes share their array. */
function keep(parts: readonly Part[], vertices: Uint32Array): void {
  for (const owner of new Set(parts.map(({ attribute }) => ('data' in attribute ? attribute.data : attribute)))) {
    const stride = 'stride' in owner ? owner.stride : owner.itemSize;
    const array = owner.array as AttributeArray;
    const kept = new (array.constructor as new (length: number) => AttributeArray)(vertices.length * stride);
    vertices.forEach((vertex, i) => {
      kept.set(array.subarray(vertex * stride, (vertex + 1) * stride), i * stride);
    });
    Object.assign(owner, { array: kept, count: vertices.length });
  }
}
