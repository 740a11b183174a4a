/** Neighbours as lists on the host: counted first, and written where the counts say. */
import { type Bound, extentCount, type Gpu, record } from '../gpu/index.ts';
import { hostCall, requireItems } from '../primitives/hostCall.ts';
import { type Binding, type Kernel, kept, kernel, storage, type Wgsl, wgsl } from '../wgsl/index.ts';
import { type GridSearch, visitLoops } from './neighbours.wgsl.ts';

const THREADS = 64;

const queries = storage('queries', 'array<u32>');
const queryGroups = storage('queryGroups', 'array<u32>');
const counts = storage('counts', 'array<u32>', 'read_write');
/** Where the list of every row begins; behind the last one, where all end. */
const offsets = storage('offsets', 'array<u32>');
const values = storage('values', 'array<u32>', 'read_write');

/** Whose neighbours are wanted, and which of them. */
interface Rows {
  /** WGSL: the number of items. */
  readonly size: Wgsl;
  /** WGSL, statements on `item`: `row`, the list that it is for, and what else the expressions need. */
  readonly begin: Wgsl;
  /** WGSL, expressions: whose neighbours. */
  readonly at: Wgsl;
  readonly group: Wgsl | undefined;
  /** WGSL on `row` and `n`: whether a neighbour goes into the list. */
  readonly isWanted: Wgsl;
}

interface Lists {
  readonly count: Kernel;
  readonly write: Kernel;
}

const listsOf = ({ kind, parts }: GridSearch, { size, begin, at, group, isWanted }: Rows): Lists => ({
  count: kernel({
    label: 'spatialGrid/countNeighbours',
    threads: THREADS,
    body: wgsl`
  if (item >= ${size}) { return; }
  ${begin}
  var count = 0u;
  ${visitLoops(wgsl, kind, parts, { at, group, as: 'n', body: wgsl`count += u32(${isWanted});` })}
  ${counts}[row] = count;`,
  }),
  write: kernel({
    label: 'spatialGrid/writeNeighbours',
    threads: THREADS,
    body: wgsl`
  if (item >= ${size}) { return; }
  ${begin}
  var position = ${offsets}[row];
  let end = ${offsets}[row + 1u];
  ${visitLoops(wgsl, kind, parts, {
    at,
    group,
    as: 'n',
    body: wgsl`
            if (${isWanted} && position < end) {
              ${values}[position] = n.index;
              position++;
            }`,
  })}`,
  }),
});

/** Every pair once: the neighbours of every point that have greater numbers. */
const pairKernels = kept((search: GridSearch) =>
  listsOf(search, {
    size: wgsl`${search.size}()`,
    begin: wgsl`
  let own = ${search.point}(item);
  let row = own.index;`,
    at: wgsl`own.at`,
    group: search.kind.hasGroups ? wgsl`own.group` : undefined,
    isWanted: wgsl`n.index > row`,
  }),
);

const queryKernels = kept((search: GridSearch) => {
  const { dimensions, hasGroups } = search.kind;
  const { point } = search.cells;
  const numbers = ['x', 'y', 'z']
    .slice(0, dimensions)
    .map((_, i): Wgsl => wgsl`bitcast<f32>(${queries}[row * ${dimensions}u + ${i}u])`)
    .reduce((all, one) => wgsl`${all}, ${one}`);
  return listsOf(search, {
    size: wgsl`${extentCount}`,
    begin: wgsl`let row = item;`,
    at: wgsl`${point}(${numbers})`,
    group: hasGroups ? wgsl`${queryGroups}[row]` : undefined,
    isWanted: wgsl`true`,
  });
});

/** A grid that is read. */
export interface ReadGrid {
  readonly gpu: Gpu;
  readonly search: GridSearch;
  readonly bound: Bound;
}

/** Points whose neighbours are wanted. */
export interface QueryPoints {
  readonly points: Float32Array;
  readonly groups: Uint32Array | undefined;
  readonly count: number;
}

/** Lists one behind the other, and where each begins. */
export interface NeighbourLists {
  readonly values: Uint32Array<ArrayBuffer>;
  readonly offsets: Uint32Array<ArrayBuffer>;
}

/** All pairs: two numbers each, the lower one first, in order. */
export async function pairsOf(grid: ReadGrid, rows: number): Promise<Uint32Array<ArrayBuffer>> {
  const { values, offsets } = await readLists(grid, pairKernels(grid.search), rows, {}, () => []);
  const pairs = new Uint32Array(2 * values.length);
  for (let first = 0; first + 1 < offsets.length; first++) {
    for (let i = offsets[first] as number; i < (offsets[first + 1] as number); i++) {
      pairs[2 * i] = first;
      pairs[2 * i + 1] = values[i] as number;
    }
  }
  return pairs;
}

export function queryLists(grid: ReadGrid, { points, groups, count }: QueryPoints): Promise<NeighbourLists> {
  const uploads = { queries: points, ...(groups && { queryGroups: groups }) };
  return readLists(grid, queryKernels(grid.search), count, uploads, (made) => [
    [queries, made.queries as GPUBuffer],
    ...(groups ? [[queryGroups, made.queryGroups as GPUBuffer] as const] : []),
  ]);
}

async function readLists(
  { gpu, bound }: ReadGrid,
  kernels: Lists,
  rows: number,
  uploads: Readonly<Record<string, ArrayBufferView>>,
  bindUploads: (made: Readonly<Record<string, GPUBuffer>>) => Bound,
): Promise<NeighbourLists> {
  const run =
    (program: Kernel, made: Readonly<Record<string, GPUBuffer>>, own: readonly Binding[]) =>
    (encoder: GPUCommandEncoder) =>
      record(gpu, encoder, 'neighbours', (recorder) => {
        const extent = recorder.extent(rows);
        const ownBound = own.map((binding) => [binding, made[binding.name] as GPUBuffer] as const);
        recorder.run(program, [...bound, ...bindUploads(made), ...ownBound, [extentCount, extent.count]], extent);
      });
  const { counts: found } = await hostCall(gpu, {
    label: 'spatialGrid',
    buffers: { ...uploads, counts: rows },
    record: (encoder, made) => run(kernels.count, made as never, [counts])(encoder),
    read: ['counts'],
  });
  const ends = new Uint32Array(rows + 1);
  let total = 0;
  found.forEach((count, i) => {
    total += count;
    ends[i + 1] = total;
  });
  requireItems(gpu, total, 'the number of neighbours');
  const { values: listed } = await hostCall(gpu, {
    label: 'spatialGrid',
    buffers: { ...uploads, offsets: ends, values: total },
    record: (encoder, made) => run(kernels.write, made as never, [offsets, values])(encoder),
    read: ['values'],
  });
  // In which order they were found depends on the order in which threads ran.
  for (let i = 0; i < rows; i++) listed.subarray(ends[i], ends[i + 1]).sort();
  return { values: listed, offsets: ends };
}
