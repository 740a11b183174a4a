/**
 * Figures 1, 6 and 7 of García et al. 2011: the pixels of a picture that are not white are put into a table, by their numbers row by
 * row, and all pixels are read from it again. Every picture that is read is compared with what it was.
 */
import { SparseImage } from '../../src/apps.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import type { Scheme } from '../../src/index.ts';
import { storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { measure } from '../measure.ts';
import { PAPER_PICTURES, type Picture, type PictureRequest, WHITE } from '../pictures/index.ts';
import { tally, tallyKernel } from '../tally.ts';
import { type ItemBuffers, measureRebuild } from './garciaBuilds.ts';

/** The pictures of the paper. */
export type PaperPicture = keyof typeof PAPER_PICTURES;

/** A picture of the paper, or one like it of another width and height, with as large a share of pixels that are not white. */
export function pictureOf(name: PaperPicture, side: number = PAPER_PICTURES[name].width): Required<PictureRequest> {
  const { kind, width, filled } = PAPER_PICTURES[name];
  return { kind, width: side, height: side, filled: Math.max(1, Math.round(filled * (side / width) ** 2)), seed: 1 };
}

/** A picture on the GPU: all its pixels, and the items of a table of those that are not white, row by row. */
export interface PictureItems {
  readonly picture: Picture;
  /** The keys of the items, which are the numbers of their pixels. */
  readonly places: Uint32Array<ArrayBuffer>;
  readonly pixels: GPUBuffer;
  readonly input: ItemBuffers;
  destroy(): void;
}

/** The numbers of all pixels that are not white. */
export function placesIn({ pixels }: Picture): Uint32Array<ArrayBuffer> {
  const places = new Uint32Array(pixels.length);
  let count = 0;
  for (let place = 0; place < pixels.length; place++) if (pixels[place] !== WHITE) places[count++] = place;
  return places.slice(0, count);
}

export async function uploadPicture(gpu: Gpu, picture: Picture): Promise<PictureItems> {
  const places = placesIn(picture);
  const colours = places.map((place) => picture.pixels[place] as number);
  const [pixels, keys, values] = await gpu.made(
    (keep) =>
      [
        keep(gpu.upload('figures/pixels', picture.pixels)),
        keep(gpu.upload('figures/keys', places)),
        keep(gpu.upload('figures/values', colours)),
      ] as const,
  );
  return {
    picture,
    places,
    pixels,
    input: { keys, values, count: places.length },
    destroy: () => {
      for (const buffer of [pixels, keys, values]) buffer.destroy();
    },
  };
}

/** A picture in a table. */
export interface PictureTable {
  readonly image: SparseImage;
  /** Where all pixels are read to, a word each. */
  readonly output: GPUBuffer;
  /** Makes the output such that none of it is right. */
  spoil(): Promise<unknown>;
  /** How many pixels of the output are wrong. */
  wrongPixels(): Promise<number>;
  destroy(): void;
}

const count = uniform('count', 'u32');
const drawn = storage('drawn', 'array<u32>');
const expected = storage('expected', 'array<u32>');
const judge = tallyKernel('pixels', wgsl`${count}`, wgsl`isRight = ${drawn}[item] == ${expected}[item];`);

export async function tableOfPicture(
  gpu: Gpu,
  { picture, pixels }: PictureItems,
  { scheme, seed }: { readonly scheme: Scheme; readonly seed: number },
): Promise<PictureTable> {
  const { width, height } = picture;
  const options = { background: [255, 255, 255, 255], scheme: scheme as Scheme<Uint32Array>, seed } as const;
  const image = await SparseImage.from(gpu, { width, height, pixels }, options);
  try {
    const [output] = (await gpu.allocate([{ label: 'figures/output', bytes: 4 * width * height }])) as [GPUBuffer];
    return {
      image,
      output,
      // No colour of a picture is transparent.
      spoil: () => gpu.run((encoder) => encoder.clearBuffer(output)),
      wrongPixels: async () => {
        const bound = [
          [count, gpu.constants(width * height)],
          [drawn, output],
          [expected, pixels],
        ] as const;
        return (await tally(gpu, judge, bound, width * height)).wrong;
      },
      destroy: () => {
        image.destroy();
        output.destroy();
      },
    };
  } catch (error) {
    image.destroy();
    throw error;
  }
}

export interface PictureMeasurement {
  readonly items: number;
  readonly pixels: number;
  /** Items per slot as it came out. */
  readonly loadFactor: number;
  readonly tableBytes: number;
  readonly buildMs?: number;
  readonly buildsPerSecond?: number;
  /** Of reading all pixels. */
  readonly readMs?: number;
  readonly readsPerSecond?: number;
  /** The most probes of an insertion, where the scheme counts them: the greatest age. */
  readonly longest: number;
  /** Recorded builds that had to be done again on the host, where tables grow. */
  readonly failed: number;
  readonly wrong: number;
}

export interface PictureMeasurementRequest {
  readonly scheme: Scheme;
  readonly operations: readonly ('build' | 'read')[];
  readonly repeat: number;
  readonly seed: number;
}

/** Measures the building of a table from a picture, and the reading of all its pixels. */
export async function measurePicture(
  gpu: Gpu,
  items: PictureItems,
  request: PictureMeasurementRequest,
): Promise<PictureMeasurement> {
  const { operations, repeat } = request;
  const table = await tableOfPicture(gpu, items, request);
  const { image, output } = table;
  const { input } = items;
  let wrong = 0;
  const readAll = (target: GPUComputePassEncoder | GPUCommandEncoder): void => image.encodeUnpack(target, { output });
  const afterBuild = async (): Promise<void> => {
    await table.spoil();
    await gpu.run(readAll);
    wrong += await table.wrongPixels();
  };
  try {
    const build = operations.includes('build')
      ? await measureRebuild(image.map, input, { repeat, afterBuild })
      : undefined;
    const afterPass = async (): Promise<void> => {
      wrong += await table.wrongPixels();
    };
    const read = operations.includes('read')
      ? await measure(gpu, readAll, { repeat, beforePass: () => table.spoil().then(() => {}), afterPass })
      : undefined;
    const pixels = image.width * image.height;
    return {
      items: input.count,
      pixels,
      loadFactor: image.map.loadFactor,
      tableBytes: image.tableBytes,
      ...(build && { buildMs: build.medianMs, buildsPerSecond: input.count / (build.medianMs / 1000) }),
      ...(read && { readMs: read.medianMs, readsPerSecond: pixels / (read.medianMs / 1000) }),
      longest: image.map.report.longestProbe,
      failed: build?.failed ?? 0,
      wrong,
    };
  } finally {
    table.destroy();
  }
}
