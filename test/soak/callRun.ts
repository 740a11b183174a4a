/** Makes calls that leave nothing behind, and compares what they give with plain loops. */
import { SparseImage, SparsePaint } from '../../src/apps.ts';
import { type Gpu, HashnestError } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { type Columns, countBy, distinct, groupBy, JoinTable, join } from '../../src/relational.ts';
import { SpatialGrid } from '../../src/spatial.ts';
import { equal, equalWords } from '../conformance/expect.ts';
import { checkNeighbours, checkPairs } from '../conformance/spatial.ts';
import { type Cell, type ColumnKind, columnsOf } from '../oracles/columns.ts';
import { joinLike } from '../oracles/join.ts';
import type { PointSet } from '../oracles/neighbours.ts';
import type { CallStep, RowsOf } from './callHistory.ts';
import type { Calls } from './calls.ts';

/** Begins the call of a step. Where something goes wrong outside, any error of the library's will do. */
export async function takeCall(gpu: Gpu, calls: Calls, step: CallStep & { readonly strike?: unknown }): Promise<void> {
  const counted = (answers: number): void => {
    calls.answers += answers;
  };
  const made = {
    join: joinRows,
    group: groupRows,
    neighbours: findNeighbours,
    picture: openPicture,
    paint: paintPicture,
  }
    [step.do](gpu, step as never)
    .then(counted, (error: unknown) => {
      if (!(step.strike && error instanceof HashnestError)) throw error;
    });
  calls.under(made);
}

/** Cells of a column; every column of a row follows from another part of the same numbers. */
function cellsOf({ count, seed, below, hasNulls }: RowsOf, column: number): Cell[] {
  const random = randomWords(seed);
  return Array.from({ length: count }, () => {
    const word = random();
    if (hasNulls && word % 10 === 0) return null;
    return Math.floor((word / 2 ** 32) * below) >> (4 * column);
  });
}

/** Rows as plain cells and as the columns of a call. */
function rowsOf(kinds: readonly ColumnKind[], rows: RowsOf): { cells: Cell[][]; columns: Columns } {
  const cells = kinds.map((_, column) => cellsOf(rows, column));
  return { cells, columns: columnsOf(kinds, cells) };
}

async function joinRows(gpu: Gpu, step: CallStep & { do: 'join' }): Promise<number> {
  const { how, kinds } = step;
  const [left, right] = [rowsOf(kinds, step.left), rowsOf(kinds, step.right)];
  const check = (got: { left: Uint32Array; right: Uint32Array }, cells: Cell[][]): number => {
    const wanted = joinLike(cells, right.cells, how);
    equalWords(got.left, wanted.left, 'rows on the left');
    equalWords(got.right, wanted.right, 'rows on the right');
    return wanted.left.length;
  };
  if (!step.keepsRight) return check(await join(gpu, left.columns, right.columns, { how }), left.cells);
  const table = await JoinTable.from(gpu, right.columns);
  try {
    const [once, twice] = await together([table.join(left.columns, { how }), table.join(right.columns, { how })]);
    return check(once, left.cells) + check(twice, right.cells);
  } finally {
    table.destroy();
  }
}

async function groupRows(gpu: Gpu, { kinds, rows }: CallStep & { do: 'group' }): Promise<number> {
  const { cells, columns } = rowsOf(kinds, rows);
  const groups = new Map<string, number[]>();
  for (let row = 0; row < rows.count; row++) {
    const key = JSON.stringify(cells.map((column) => column[row]));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const values = Uint32Array.from({ length: rows.count }, (_, row) => Math.imul(row, 0x9e37_79b1));
  const [grouped, counted, first] = await together([
    groupBy(gpu, columns, { values, combine: { sum: 'sum', least: 'min', most: 'max' } }),
    countBy(gpu, columns),
    distinct(gpu, columns),
  ]);
  const lists = [...groups.values()];
  const valuesOf = lists.map((list) => list.map((row) => values[row] as number));
  const sums = valuesOf.map((list) => list.reduce((sum, value) => (sum + value) >>> 0, 0));
  equalWords(
    first,
    lists.map(([row]) => row as number),
    'first rows',
  );
  equalWords(
    counted.counts,
    lists.map(({ length }) => length),
    'rows of groups',
  );
  equalWords(grouped.values.sum, sums, 'sums of groups');
  equalWords(
    grouped.values.least,
    valuesOf.map((list) => Math.min(...list)),
    'least values of groups',
  );
  equalWords(
    grouped.values.most,
    valuesOf.map((list) => Math.max(...list)),
    'greatest values of groups',
  );
  return rows.count;
}

async function findNeighbours(gpu: Gpu, { dimensions, counts }: CallStep & { do: 'neighbours' }): Promise<number> {
  const setOf = (count: number, seed: number): PointSet => {
    const random = randomWords(seed);
    const points = Float32Array.from({ length: count * dimensions }, () => (random() % 4096) / 256 - 8);
    const groups = Uint32Array.from({ length: count }, () => random() % 3);
    return { name: `${count} points`, dimensions, points, groups, radius: 1.25 };
  };
  const inputOf = ({ points, groups }: PointSet) => ({ points, ...(groups && { groups }) });
  const sets = counts.map(setOf) as [PointSet, ...PointSet[]];
  const grid = await SpatialGrid.from(gpu, inputOf(sets[0]), { radius: 1.25, dimensions });
  try {
    for (const [i, set] of sets.entries()) {
      if (i > 0) await grid.rebuild(inputOf(set));
      const count = set.points.length / dimensions;
      equal(grid.size, count, 'points of a grid');
      await checkPairs(set, grid);
      await checkNeighbours(set, grid, set.points.slice(0, 20 * dimensions), set.groups?.slice(0, 20));
    }
  } finally {
    grid.destroy();
  }
  return counts.reduce((sum, count) => sum + count, 0);
}

/** What calls give that are made at once. If one fails, the others have ended, too. */
async function together<T extends readonly Promise<unknown>[]>(made: readonly [...T]) {
  await Promise.allSettled(made);
  return Promise.all(made);
}

/** Texels, most of them background. */
function texelsOf({ width, height, seed }: { width: number; height: number; seed: number }): Uint32Array<ArrayBuffer> {
  const random = randomWords(seed);
  return Uint32Array.from({ length: width * height }, () => (random() % 4 === 0 ? random() : 0));
}

const bytesIn = ({ buffer }: Uint32Array<ArrayBuffer>): Uint8Array => new Uint8Array(buffer);

async function openPicture(gpu: Gpu, step: CallStep & { do: 'picture' | 'paint' }): Promise<number> {
  const { width, height } = step;
  const pixels = texelsOf(step);
  const image = await SparseImage.from(gpu, { width, height, pixels });
  try {
    equal(image.size, pixels.filter((texel) => texel !== 0).length, 'texels that are kept');
    equalWords(await image.pixels(), bytesIn(pixels), 'pixels');
    const opened = await SparseImage.fromBytes(gpu, await image.toBytes());
    try {
      equalWords(await opened.pixels(), bytesIn(pixels), 'pixels that were saved');
    } finally {
      opened.destroy();
    }
  } finally {
    image.destroy();
  }
  return pixels.length;
}

async function paintPicture(gpu: Gpu, step: CallStep & { do: 'picture' | 'paint' }): Promise<number> {
  const { width, height } = step;
  const random = randomWords(step.seed);
  const pixels = new Uint32Array(width * height);
  const paint = await SparsePaint.create(gpu, { width, height });
  try {
    for (let stroke = 0; stroke < 4; stroke++) {
      const places = Array.from({ length: 1 + (random() % 300) }, () => [random() % width, random() % height] as const);
      const colours = Uint32Array.from(places, random);
      await paint.paint({ points: Int32Array.from(places.flat()), colours });
      for (const [i, [x, y]] of places.entries()) pixels[y * width + x] = colours[i] as number;
      equalWords(await paint.pixels(), bytesIn(pixels), `pixels after stroke ${stroke}`);
    }
  } finally {
    paint.destroy();
  }
  return 4 * pixels.length;
}
