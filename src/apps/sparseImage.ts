import {
  type Abortable,
  abortable,
  type Gpu,
  nameCalls,
  requireGpu,
  requireMembers,
  requireOptions,
  requireSignal,
  type Target,
} from '../gpu/index.ts';
import { type Built, buildFrom, encodeAgain, encodeFromAll, OPTIONS, type SparseOptions } from './build.ts';
import { type Colours, gridOf, type Points } from './grid.ts';
import { type PrepareImageOptions, prepareCells } from './prepareCells.ts';
import { openGrid, type SavedSparseOptions, saveGrid } from './saved.ts';
import { SparseGrid } from './sparseGrid.ts';

/** A picture: the colours of all its pixels, or of some. Arrays are read before the call returns; buffers stay yours. */
export type ImageInput = { readonly width: number; readonly height: number } & (
  | {
      /** The colours of all pixels, rows one behind the other; in a `GPUBuffer` a word each. */
      readonly pixels: Colours | GPUBuffer;
    }
  | {
      /** Where there are pixels: x and y of each. Of several at one place the last one counts. */
      readonly points: Points;
      /** Their colours. */
      readonly colours: Colours;
    }
);

/** A picture in a GPU buffer, for the encoder face. */
export interface ImageBuffers {
  readonly width: number;
  readonly height: number;
  /** The colours of all pixels, a word each. */
  readonly pixels: GPUBuffer;
  /** How many pixels that are not background the table has room for; more are an error that `settle` throws. Default all. */
  readonly most?: number;
}

const INPUT = ['width', 'height', 'pixels', 'points', 'colours'];

/**
 * The pixels of a picture that are not background, in a table (García et al. 2011, section 4.2). It comes back bit for bit.
 * @example
 * const image = await SparseImage.from(gpu, { width, height, pixels }, { background: [255, 255, 255, 255] });
 * const all = await image.pixels(); // as they were
 */
export class SparseImage extends SparseGrid {
  static {
    nameCalls(this, 'SparseImage');
  }

  /** @internal */
  protected constructor(built: Built) {
    super(built);
  }

  /** Selects the pixels that are not background on the GPU, and builds a table of them. */
  static async from(gpu: Gpu, input: ImageInput, options: SparseOptions & Abortable = {}): Promise<SparseImage> {
    requireGpu(gpu);
    requireMembers(input, 'input', INPUT);
    requireOptions(options, [...OPTIONS, 'signal']);
    requireSignal(options.signal);
    const { width, height } = input;
    const grid = gridOf({ width, height }, options.background);
    const building = buildFrom(gpu, grid, input, 'pixels', options);
    return new this(await abortable(options.signal, building, ({ map }) => map.destroy()));
  }

  /**
   * Compiles what such a picture will need, recorded builds and drawings too; see `HashMap.prepare`.
   * @example
   * await SparseImage.prepare(gpu, { width: 4096, height: 4096, most: 1_000_000 });
   */
  static async prepare(gpu: Gpu, options: PrepareImageOptions): Promise<void> {
    const { width, height, most, ...rest } = options ?? {};
    const sides = { width, height };
    await prepareCells(gpu, options, {
      sides,
      record: (idle, encoder, pixels) =>
        this.encodeBuild(idle, encoder, { ...sides, pixels, ...(most !== undefined && { most }) }, rest),
      make: (idle, pixels) => this.from(idle, { ...sides, pixels }, rest),
      again: (image, encoder, pixels) => image.encodeRebuild(encoder, { pixels }),
    });
  }

  /**
   * Allocates a table and records the selection and the build, without submitting them. It may be read by commands recorded
   * later; `await image.settle()` after submitting tells whether all went well.
   */
  static encodeBuild(gpu: Gpu, target: Target, input: ImageBuffers, options: SparseOptions = {}): SparseImage {
    requireGpu(gpu);
    requireMembers(input, 'input', [...INPUT.slice(0, 3), 'most']);
    requireOptions(options, OPTIONS);
    const { width, height, pixels, most } = input;
    const grid = gridOf({ width, height }, options.background);
    return new this(encodeFromAll(gpu, target, grid, { cells: pixels, name: 'pixels', most }, options));
  }

  /** Opens a picture that `toBytes` saved, on this GPU or another. The scheme is named unless it is the default one. */
  static async fromBytes(gpu: Gpu, bytes: Uint8Array, options: SavedSparseOptions = {}): Promise<SparseImage> {
    return new this(await openGrid(gpu, bytes, 'sparseImage', options));
  }

  /** Records the same for other pixels, in the memory that `encodeBuild` made, every frame if need be. */
  encodeRebuild(target: Target, input: { readonly pixels: GPUBuffer }): void {
    requireMembers(input, 'input', ['pixels']);
    encodeAgain(this.built, target, input.pixels, 'pixels');
  }

  /** All pixels, four bytes each, rows one behind the other: what an `ImageData` takes. */
  async pixels(options: Abortable = {}): Promise<Uint8ClampedArray<ArrayBuffer>> {
    return this.allColours(options);
  }

  /** The picture as bytes, to be opened by `fromBytes` without building it again. */
  async toBytes(options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return saveGrid('sparseImage', this.built, options);
  }
}
