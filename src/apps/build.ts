/** From colours that callers pass to a table of those that are not background. */
import { askingAhead } from '../collections/ahead.ts';
import { HashMap } from '../collections/hashMap.ts';
import { requireScheme } from '../collections/settings.ts';
import {
  type Gpu,
  type HashnestError,
  InvalidInputError,
  isBuffer,
  perform,
  record,
  requireTarget,
  requireWhole,
  type Target,
} from '../gpu/index.ts';
import { u32 } from '../keys/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { requireItems } from '../primitives/hostCall.ts';
import type { Scheme } from '../schemes/contract/index.ts';
import { robinHood } from '../schemes/robinHood/index.ts';
import { planItems, requireGpuBuild, type TableSettings } from '../table/settings.ts';
import { roomFor } from '../table/source.ts';
import { valueTypes } from '../table/values.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import {
  type Colours,
  cellsOf,
  colourWords,
  type Grid,
  type Points,
  placesInside,
  type Rgba,
  requireColours,
} from './grid.ts';
import { countCells, Selection } from './selection.wgsl.ts';

/** How a picture or a volume is kept. */
export interface SparseOptions {
  /** The colour that is not stored. Default `[0, 0, 0, 0]`: transparent. */
  readonly background?: Rgba;
  /** How the table is built and searched; its load decides how small it is. Default `robinHood()`, which keeps neighbours together. */
  readonly scheme?: Scheme<Uint32Array>;
  /** Makes every random choice repeatable, as in a `HashMap`. */
  readonly seed?: number;
}

export const OPTIONS = ['background', 'scheme', 'seed'];

/** Colours by the number of their cell. */
export type CellMap = HashMap<Uint32Array, Uint32Array>;

/** The scheme of those who name none. */
export const DEFAULT_SCHEME: Scheme = robinHood();

/** What a picture or a volume consists of. */
export interface Built {
  readonly grid: Grid;
  readonly map: CellMap;
  /** What encoded builds select from; those on the host need it no longer. */
  readonly selection?: Selection;
  /** Whether the buffers of an encoded build could be had. */
  readonly allocation?: Promise<HashnestError | undefined>;
}

/** The options of a map, if there can be one of so many cells: what is wrong is said before anything is made. */
function mapOptions(gpu: Gpu, { scheme, seed }: SparseOptions, duplicates: 'unique' | 'last', cells = 0) {
  const options = {
    key: u32,
    scheme: requireScheme(scheme, DEFAULT_SCHEME) as Scheme<Uint32Array>,
    duplicates,
    ...(seed !== undefined && { seed }),
  };
  const settings = { ...options, valueWords: valueTypes.u32.words } as TableSettings;
  return { options, settings, plan: planItems(gpu, settings, cells) };
}

/** What a table can be built from: the colours of all cells under their name, or of some. */
export type CellInput<Name extends string> =
  | { readonly [name in Name]: Colours | GPUBuffer }
  | { readonly points: Points; readonly colours: Colours };

/** Builds from whichever was given. */
export async function buildFrom<Name extends string>(
  gpu: Gpu,
  grid: Grid,
  input: CellInput<Name>,
  name: Name,
  options: SparseOptions,
): Promise<Built> {
  const { points, colours, [name]: cells } = input as Partial<Record<Name | 'points' | 'colours', never>>;
  if (points === undefined) {
    const build = (on: Gpu) => buildFromAll(on, grid, { cells: cells as never, name }, options);
    return askingAhead(gpu, cellsOf(grid), () => build(gpu), build);
  }
  if (cells !== undefined) throw new InvalidInputError(`input has ${name} and points: only one of them can be meant`);
  return buildFromPoints(gpu, grid, { points, colours: colours as never }, options);
}

/** Builds from the colours of all cells. Arrays are read before this returns its promise. */
async function buildFromAll(
  gpu: Gpu,
  grid: Grid,
  { cells, name }: { readonly cells: Colours | GPUBuffer; readonly name: string },
  options: SparseOptions,
): Promise<Built> {
  requireCells(gpu, grid, cells, name);
  const { options: settings } = mapOptions(gpu, options, 'unique');
  const given = isBuffer(cells) ? cells : await gpu.made((keep) => keep(gpu.upload(`apps/${name}`, cells)));
  try {
    const most = await countCells(gpu, grid, given);
    const selection = await selectionOf(gpu, grid, most);
    try {
      await selection.fill(given);
      const { places: keys, colours: values } = selection;
      const map = await HashMap.from(gpu, { keys, values, count: most }, settings);
      return { grid, map: map as CellMap };
    } finally {
      selection.destroy();
    }
  } finally {
    if (given !== cells) given.destroy();
  }
}

/** A list with room for so many, if there is the memory for it. */
async function selectionOf(gpu: Gpu, grid: Grid, most: number): Promise<Selection> {
  const { result, failure } = gpu.watched(() => new Selection(gpu, grid, most));
  const error = await gpu.guard(failure);
  if (!error) return result;
  result.destroy();
  throw error;
}

/** Builds from some cells and their colours; the last colour of a cell counts. */
async function buildFromPoints(
  gpu: Gpu,
  grid: Grid,
  { points, colours }: { readonly points: Points; readonly colours: Colours },
  options: SparseOptions,
): Promise<Built> {
  const places = placesInside(grid, points);
  requireColours(colours, 'colours', places.length, `${places.length} points`);
  const items = { keys: places, values: colourWords(colours) };
  return { grid, map: await HashMap.from(gpu, items, mapOptions(gpu, options, 'last').options) };
}

/** Records the selection and a build of at most so many cells. */
export function encodeFromAll(
  gpu: Gpu,
  target: Target,
  grid: Grid,
  {
    cells,
    name,
    most = cellsOf(grid),
  }: { readonly cells: GPUBuffer; readonly name: string; readonly most: number | undefined },
  options: SparseOptions,
): Built {
  requireStorage(cells, name);
  requireCells(gpu, grid, cells, name);
  requireWhole(most, 'most');
  requireItems(gpu, most, 'most');
  requireTarget(target);
  const { options: map, settings, plan } = mapOptions(gpu, options, 'unique', most);
  requireGpuBuild(settings, plan);
  const { result: selection, failure } = gpu.watched(() => new Selection(gpu, grid, most));
  try {
    record(gpu, target, 'select', (recorder) => selection.record(recorder, cells));
    const { places: keys, colours: values, count } = selection;
    const built = HashMap.encodeBuild<Uint32Array, Uint32Array>(gpu, target, { keys, values, count }, map);
    return { grid, map: built, selection, allocation: failure };
  } catch (error) {
    selection.destroy();
    throw error;
  }
}

/** Records a selection and a rebuild in the memory of an encoded build. */
export function encodeAgain({ map, grid, selection }: Built, target: Target, cells: GPUBuffer, name: string): void {
  const { gpu } = map;
  map.table.assertAlive();
  if (!selection) throw new InvalidInputError('only what encodeBuild made can be rebuilt by encodeRebuild');
  requireStorage(cells, name);
  requireCells(gpu, grid, cells, name);
  requireTarget(target);
  const { places: keys, colours: values, count } = selection;
  record(gpu, target, 'select', (recorder) => selection.record(recorder, cells));
  map.encodeRebuild(target, { keys, values, count });
}

/** Throws unless there is a colour for every cell, in memory that kernels can read at once. */
function requireCells(gpu: Gpu, grid: Grid, cells: Colours | GPUBuffer, name: string): void {
  const all = cellsOf(grid);
  const sides = grid.sides.slice(0, grid.dimensions).join(' × ');
  if (isBuffer(cells)) {
    requireStorage(cells, name);
    if (roomFor(cells, 4) < all) {
      throw new InvalidInputError(`${name} has ${cells.size} bytes, but ${sides} cells take ${WORD_BYTES * all}`);
    }
  } else requireColours(cells, name, all, `${sides} cells`);
  requireItems(gpu, all, `the number of ${name}`);
}

/** A table without texels, with room for some. */
export async function emptyMap(gpu: Gpu, options: SparseOptions, most: number): Promise<CellMap> {
  const { options: map, settings, plan } = mapOptions(gpu, options, 'last', most);
  requireGpuBuild(settings, plan);
  const [keys, values, none] = (await gpu.allocate(
    [WORD_BYTES * most, WORD_BYTES * most, 4].map((bytes, i) => ({ label: `apps/none${i}`, bytes })),
  )) as [GPUBuffer, GPUBuffer, GPUBuffer];
  let made: CellMap | undefined;
  try {
    await perform(gpu, (encoder) => {
      made = HashMap.encodeBuild<Uint32Array, Uint32Array>(
        gpu,
        encoder,
        { keys, values, count: { buffer: none } },
        map,
      );
    });
    return (await (made as CellMap | undefined)?.settle()) as CellMap;
  } catch (error) {
    made?.destroy();
    throw error;
  } finally {
    for (const buffer of [keys, values, none]) buffer.destroy();
  }
}
