import { askingAhead } from '../collections/ahead.ts';
import { HashMap } from '../collections/hashMap.ts';
import {
  type Abortable,
  abortable,
  arrayKind,
  extentCount,
  type Gpu,
  InvalidInputError,
  perform,
  record,
  refuse,
  requireAttached,
  requireGpu,
  requireMembers,
  requireOptions,
  requireSignal,
  Workspace,
  within,
} from '../gpu/index.ts';
import { tuple, u32 } from '../keys/index.ts';
import { requireItems } from '../primitives/hostCall.ts';
import { recordScan } from '../primitives/scanKernels.wgsl.ts';
import { bucketCuckoo } from '../schemes/bucketCuckoo/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import * as kernels from './weldKernels.wgsl.ts';

/** Arrays that attributes of vertices may come in. */
export type AttributeArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array;

/** Attributes of all vertices, those of one behind those of the other. */
export type Attribute = AttributeArray | { readonly values: Float32Array; readonly tolerance: number };

/** When vertices are the same. */
export interface WeldOptions<Attributes extends Readonly<Record<string, Attribute>> = Record<never, never>> {
  /** Coordinates are the same if they round to the same multiple of this. Default 0: if they are equal. */
  readonly tolerance?: number;
  /** What has to be the same too, by name; each has a tolerance of its own, by default 0. All others are ignored. */
  readonly attributes?: Attributes;
}

/** An indexed mesh. */
export interface Welded<Attributes extends Readonly<Record<string, Attribute>> = Record<never, never>> {
  /** For every vertex of the input its number among those that are kept. */
  readonly indices: Uint32Array<ArrayBuffer>;
  /** For every vertex that is kept its number in the input, in order: the first of those that are the same. */
  readonly vertices: Uint32Array<ArrayBuffer>;
  /** The vertices that are kept, as they were. */
  readonly positions: Float32Array<ArrayBuffer>;
  /** The attributes that were compared, of the vertices that are kept. */
  readonly attributes: {
    readonly [Name in keyof Attributes]: Attributes[Name] extends AttributeArray ? Attributes[Name] : Float32Array;
  };
}

/** Numbers of all vertices, as they are compared. */
interface Column {
  readonly name: string;
  readonly values: AttributeArray;
  /** Numbers of a vertex. */
  readonly size: number;
  readonly tolerance: number;
}

const ARRAYS = [
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
];
/** Where a product of a number and a tolerance can be trusted. */
const [LEAST_TOLERANCE, MOST_TOLERANCE] = [2 ** -100, 2 ** 100];
/** Multiples of the tolerance that are told apart; above, floats are as far apart as the tolerance. */
const MULTIPLES = 2 ** 23;
/** Words of a key: with its value and the number by which copies compete it is as wide as an item can be. */
const KEY_WORDS = 10;

/**
 * Makes an indexed mesh of a soup of triangles: of vertices that are the same, the first is kept. The answer is the same every time.
 * @example
 * const { indices, positions } = await weld(gpu, soup, { tolerance: 1e-5 });
 */
export async function weld<const Attributes extends Readonly<Record<string, Attribute>> = Record<never, never>>(
  gpu: Gpu,
  positions: Float32Array,
  options: WeldOptions<Attributes> & Abortable = {},
): Promise<Welded<Attributes>> {
  const columns = within('weld', () => {
    requireGpu(gpu);
    requireOptions(options, ['tolerance', 'attributes', 'signal']);
    requireSignal(options.signal);
    return columnsOf(gpu, positions, options);
  });
  const [{ values, size }] = columns;
  const count = values.length / size;
  const weld = (on: Gpu) => weldColumns(on, columns, count);
  const { indices, vertices } = await abortable(
    options.signal,
    askingAhead(gpu, count, () => weld(gpu), weld),
  );
  const [rows, ...others] = columns.map((column) => rowsOf(column, vertices));
  return {
    indices,
    vertices,
    positions: rows as Float32Array<ArrayBuffer>,
    attributes: Object.fromEntries(columns.slice(1).map(({ name }, i) => [name, others[i]])) as never,
  };
}

/** Everything about the input, checked, and copied: the caller may change it while the GPU works. */
function columnsOf(gpu: Gpu, positions: Float32Array, options: WeldOptions): [Column, ...Column[]] {
  const { tolerance = 0, attributes = {} } = options;
  if (arrayKind(positions) !== 'Float32Array') refuse('positions', 'a Float32Array', positions);
  requireAttached(positions, 'positions');
  requireTolerance(tolerance, 'tolerance');
  const count = positions.length / 3;
  if (!Number.isInteger(count)) {
    throw new InvalidInputError(`positions has ${positions.length} coordinates; each vertex takes 3`);
  }
  requireMembers(attributes, 'attributes', []);
  const columns: [Column, ...Column[]] = [
    { name: 'positions', values: positions.slice(), size: 3, tolerance },
    ...Object.entries<Attribute>(attributes).map(([name, attribute]) => columnOf(name, attribute, count)),
  ];
  const words = columns.reduce((sum, { size }) => sum + size, 0);
  requireItems(gpu, count * words, 'the number of words of all vertices');
  return columns;
}

function columnOf(name: string, attribute: Attribute, count: number): Column {
  const path = `attributes.${name}`;
  const isRounded = !ArrayBuffer.isView(attribute);
  if (isRounded) requireMembers(attribute, path, ['values', 'tolerance']);
  const { values, tolerance } = isRounded ? attribute : { values: attribute, tolerance: 0 };
  const wanted = isRounded ? ['Float32Array'] : [...ARRAYS, 'Float32Array'];
  if (!wanted.includes(arrayKind(values) as string)) refuse(path, `one of ${wanted.join(', ')}`, values);
  requireAttached(values, path);
  requireTolerance(tolerance, `${path}.tolerance`);
  const size = count === 0 ? 1 : values.length / count;
  if (!Number.isInteger(size) || size === 0 || (count === 0 && values.length > 0)) {
    throw new InvalidInputError(
      `${path} has ${values.length} numbers, which are not as many for each of ${count} vertices`,
    );
  }
  return { name, values: values.slice(), size, tolerance };
}

function requireTolerance(tolerance: number, name: string): void {
  if (tolerance === 0) return;
  if (typeof tolerance !== 'number' || !(tolerance >= LEAST_TOLERANCE && tolerance <= MOST_TOLERANCE)) {
    refuse(name, 'a number, 0 or from 2⁻¹⁰⁰ to 2¹⁰⁰', tolerance);
  }
}

/** The vertices that are kept, and for each vertex its number among them. */
async function weldColumns(gpu: Gpu, columns: readonly Column[], count: number) {
  if (count === 0) return { indices: new Uint32Array(), vertices: new Uint32Array() };
  const rowWords = columns.reduce((sum, { size }) => sum + size, 0);
  const workspace = new Workspace(gpu);
  const made: GPUBuffer[] = [];
  try {
    const soup = await gpu.made((keep) => {
      const madeFor = (buffer: GPUBuffer): GPUBuffer => {
        made.push(keep(buffer));
        return buffer;
      };
      const room = (label: string, words: number) => madeFor(gpu.createBuffer(`weld/${label}`, WORD_BYTES * words));
      return {
        columns: columns.map((column) => madeFor(gpu.upload('weld/column', wordsOf(column)))),
        rows: room('rows', count * rowWords),
        keys: room('keys', rowWords > KEY_WORDS ? count * KEY_WORDS : 0),
        numbers: room('numbers', count),
        firsts: room('firsts', count),
        kept: room('kept', count),
        positions: room('positions', count),
        total: room('total', 1),
      };
    });
    await fillRows(gpu, soup, columns, rowWords, count);
    await findFirsts(gpu, soup, rowWords, count);
    return await keepFirsts(gpu, soup, count, workspace);
  } finally {
    workspace.destroy();
    for (const buffer of made) buffer.destroy();
  }
}

type Soup = Readonly<Record<'rows' | 'keys' | 'numbers' | 'firsts' | 'kept' | 'positions' | 'total', GPUBuffer>>;

/** Puts all columns side by side. */
async function fillRows(
  gpu: Gpu,
  { columns: inputs, rows, numbers }: Soup & { readonly columns: readonly GPUBuffer[] },
  columns: readonly Column[],
  rowWords: number,
  count: number,
): Promise<void> {
  await perform(gpu, (encoder) =>
    record(gpu, encoder, 'weld/rows', (recorder) => {
      let first = 0;
      for (const [i, { values, size, tolerance }] of columns.entries()) {
        const kind = arrayKind(values) !== 'Float32Array' ? 0 : tolerance === 0 ? 1 : 2;
        const floats = [tolerance, tolerance && 1 / tolerance, MULTIPLES * tolerance].map(bitsOf);
        const extent = recorder.extent(values.length);
        recorder.run(
          kernels.fillColumn,
          [
            [kernels.column, gpu.constants(size, rowWords, first, kind, ...floats)],
            [kernels.numbers, inputs[i] as GPUBuffer],
            [kernels.rows, rows],
            [extentCount, extent.count],
          ],
          extent,
        );
        first += size;
      }
      const extent = recorder.extent(count);
      const bound = [
        [kernels.numbered, numbers],
        [extentCount, extent.count],
      ] as const;
      recorder.run(kernels.fillNumbers, bound, extent);
    }),
  );
}

/** The first vertex of the same row, for every vertex. Rows that are too wide for a key are compared part by part. */
async function findFirsts(gpu: Gpu, soup: Soup, rowWords: number, count: number): Promise<void> {
  const isWhole = rowWords <= KEY_WORDS;
  const partWords = isWhole ? rowWords : KEY_WORDS - 1;
  for (let done = 0; done < rowWords; done += partWords) {
    const words = Math.min(partWords, rowWords - done);
    const keyWords = isWhole ? rowWords : 1 + words;
    if (!isWhole) {
      await perform(gpu, (encoder) =>
        record(gpu, encoder, 'weld/keys', (recorder) => {
          const extent = recorder.extent(count);
          recorder.run(
            kernels.fillKeys,
            [
              [kernels.part, gpu.constants(rowWords, words, done, keyWords)],
              [kernels.wholeRows, soup.rows],
              [kernels.firstSoFar, soup.firsts],
              [kernels.keys, soup.keys],
              [extentCount, extent.count],
            ],
            extent,
          );
        }),
      );
    }
    const keys = isWhole ? soup.rows : soup.keys;
    const options = { key: wordsKeyOf(keyWords), scheme: bucketCuckoo(), duplicates: 'first' } as const;
    using map = await HashMap.from(gpu, { keys, values: soup.numbers, count }, options);
    await perform(gpu, (encoder) => map.encodeGet(encoder, { queries: keys, values: soup.firsts, count }));
  }
}

/** Keys of so many plain words. */
const wordsKeyOf = (words: number) => tuple(...Array<typeof u32>(words).fill(u32));

/** Lists the firsts, and numbers all vertices by them. */
async function keepFirsts(
  gpu: Gpu,
  { firsts, kept, positions, total, numbers: indices }: Soup,
  count: number,
  workspace: Workspace,
) {
  const [all, list, found] = await perform(
    gpu,
    (encoder) =>
      record(gpu, encoder, 'weld/keep', (recorder) => {
        const extent = recorder.extent(count);
        recordScan(recorder, kernels.keepFirsts, {
          bound: [
            [kernels.firsts, firsts],
            [kernels.kept, kept],
            [kernels.positions, positions],
          ],
          items: extent,
          total: { buffer: total },
          workspace,
        });
        recorder.run(
          kernels.fillIndices,
          [
            [kernels.firsts, firsts],
            [kernels.keptPositions, positions],
            [kernels.indices, indices],
            [extentCount, extent.count],
          ],
          extent,
        );
      }),
    [
      { buffer: indices, bytes: WORD_BYTES * count },
      { buffer: kept, bytes: WORD_BYTES * count },
      { buffer: total, bytes: 4 },
    ],
  );
  const size = new Uint32Array(found as ArrayBuffer)[0] as number;
  return {
    indices: new Uint32Array(all as ArrayBuffer),
    vertices: new Uint32Array(list as ArrayBuffer, 0, size).slice(),
  };
}

/** A word for every number of a column. */
const wordsOf = ({ values }: Column): Uint32Array =>
  values.BYTES_PER_ELEMENT === 4 ? bitsIn(values) : Uint32Array.from(values);

const bitsIn = ({ buffer, byteOffset, length }: AttributeArray): Uint32Array<ArrayBuffer> =>
  new Uint32Array(buffer as ArrayBuffer, byteOffset, length);

const bitsOf = (float: number): number => new Uint32Array(Float32Array.of(float).buffer)[0] as number;

/** The rows of some vertices, in an array of the same type. */
function rowsOf({ values, size }: Column, vertices: Uint32Array): AttributeArray {
  const kind = arrayKind(values) as 'Float32Array';
  const rows = new globalThis[kind](vertices.length * size);
  // By their bits, which a NaN may lose as a number.
  const [source, goal] = kind === 'Float32Array' ? [bitsIn(values), bitsIn(rows)] : [values, rows];
  vertices.forEach((vertex, i) => {
    for (let k = 0; k < size; k++) goal[i * size + k] = source[vertex * size + k] as number;
  });
  return rows;
}
