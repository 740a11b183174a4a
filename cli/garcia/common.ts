/** What all figures of García et al. 2011 have in common. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, type Option } from 'commander';
import { type PaperPicture, type PictureItems, pictureOf, uploadPicture } from '../../bench/figures/garciaPictures.ts';
import { SERIES_NAMES, type SeriesName } from '../../bench/figures/garciaSeries.ts';
import { makePicture, type Picture } from '../../bench/pictures/index.ts';
import type { Gpu, SequenceName } from '../../src/index.ts';
import { SEQUENCES } from '../../src/schemes/robinHood/sequence.wgsl.ts';
import { option } from '../command.ts';
import { writePicture } from '../image/files.ts';
import { parseLoads, parsePictureSide, parseSequences, parseSeries } from '../values.ts';

/** What is used if nothing is named: the paper's size on a real GPU, a small one in software. */
export interface Default<T> {
  readonly real: T;
  readonly software: T;
}

export const defaultFor = <T>(gpu: Gpu, given: T | undefined, { real, software }: Default<T>): T =>
  given ?? (gpu.info.software ? software : real);

/** An option whose default depends on the GPU. */
export const sizeOption = (
  flags: string,
  description: string,
  { real, software }: Default<number | readonly number[]>,
  parse: (text: string) => unknown,
): Option => option(flags, `${description} (default: ${real}, in software ${software})`, parse);

export const sideOption = (sides: Default<number>): Option =>
  sizeOption('--side <n>', 'width and height of the picture', sides, parsePictureSide);

export const loadsOption = (loads: readonly number[]): Option =>
  option('--loads <list>', 'load factors', parseLoads).default(loads, loads.join());

export const sequencesOption = (sequences: readonly SequenceName[]): Option =>
  option('--sequences <list>', `of ${SEQUENCES.join(', ')}`, parseSequences).default(sequences, sequences.join());

export const seriesOption = (series: readonly SeriesName[]): Option =>
  option('--series <list>', `of ${SERIES_NAMES.join(', ')}`, parseSeries).default(series, series.join());

/** Loads of figures 6, 7, 8 and 10. */
export const LOADS = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99];

export const pngOption = (what: string): Option =>
  option('--png <folder>', `write ${what} into that folder`, parseFolder);

function parseFolder(folder: string): string {
  try {
    accessSync(folder, constants.W_OK);
    if (statSync(folder).isDirectory()) return folder;
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError(`'${folder}' is no folder that can be written to.`);
}

/** Writes a picture, if there is a folder for it. */
export function savePicture(folder: string | undefined, name: string, picture: () => Picture): void {
  if (folder === undefined) return;
  writePicture(join(folder, `${name}.png`), picture());
}

/** The picture that is used at the moment: making a large one takes longer than measuring it, and two of them much memory. */
export class CurrentPicture {
  #current: { readonly name: PaperPicture; readonly side: number; readonly items: PictureItems } | undefined;

  constructor(readonly gpu: Gpu) {}

  async get(name: PaperPicture, side: number): Promise<PictureItems> {
    if (this.#current?.name === name && this.#current.side === side) return this.#current.items;
    this.#current?.items.destroy();
    this.#current = undefined;
    const items = await uploadPicture(this.gpu, makePicture(pictureOf(name, side)));
    this.#current = { name, side, items };
    return items;
  }
}
