import {
  type Abortable,
  abortable,
  arrayKind,
  type Gpu,
  nameCalls,
  refuse,
  requireGpu,
  requireMembers,
  requireOptions,
  requireSignal,
  type Target,
} from '../gpu/index.ts';
import { requireItems } from '../primitives/hostCall.ts';
import { type Built, buildFrom, encodeAgain, encodeFromAll, OPTIONS, type SparseOptions } from './build.ts';
import { planeThrough, type Slice, type Vector } from './drawing.wgsl.ts';
import { type Colours, gridOf, type Points } from './grid.ts';
import { type PrepareVolumeOptions, prepareCells } from './prepareCells.ts';
import { openGrid, type SavedSparseOptions, saveGrid } from './saved.ts';
import { type DrawBuffers, SparseGrid } from './sparseGrid.ts';

/** A volume: the colours of all its voxels, or of some. Arrays are read before the call returns; buffers stay yours. */
export type VolumeInput = { readonly width: number; readonly height: number; readonly depth: number } & (
  | {
      /** The colours of all voxels, rows one behind the other, and layers of rows; in a `GPUBuffer` a word each. */
      readonly voxels: Colours | GPUBuffer;
    }
  | {
      /** Where there are voxels: x, y and z of each. Of several at one place the last one counts. */
      readonly points: Points;
      /** Their colours. */
      readonly colours: Colours;
    }
);

/** A volume in a GPU buffer, for the encoder face. */
export interface VolumeBuffers {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** The colours of all voxels, a word each. */
  readonly voxels: GPUBuffer;
  /** How many voxels that are not background the table has room for; more are an error that `settle` throws. Default all. */
  readonly most?: number;
}

const INPUT = ['width', 'height', 'depth', 'voxels', 'points', 'colours'];
const SLICE = ['origin', 'u', 'v', 'width', 'height'];
/** Beyond that not all whole numbers are there in 32-bit floats. */
const MOST_SLICE_SIDE = 2 ** 24;

/**
 * The voxels of a volume that are not background, in a table (García et al. 2011, section 4.2, 3D data). A side has at most
 * 1,024 of them.
 * @example
 * const volume = await SparseVolume.from(gpu, { width: 512, height: 512, depth: 512, points, colours });
 * const picture = await volume.slice({ origin: [0, 0, 256], u: [1, 0, 0], v: [0, 1, 0], width: 512, height: 512 });
 */
export class SparseVolume extends SparseGrid {
  static {
    nameCalls(this, 'SparseVolume');
  }

  /** @internal */
  protected constructor(built: Built) {
    super(built);
  }

  /** Selects the voxels that are not background on the GPU, and builds a table of them. */
  static async from(gpu: Gpu, input: VolumeInput, options: SparseOptions & Abortable = {}): Promise<SparseVolume> {
    requireGpu(gpu);
    requireMembers(input, 'input', INPUT);
    requireOptions(options, [...OPTIONS, 'signal']);
    requireSignal(options.signal);
    const { width, height, depth } = input;
    const grid = gridOf({ width, height, depth }, options.background);
    const building = buildFrom(gpu, grid, input, 'voxels', options);
    return new this(await abortable(options.signal, building, ({ map }) => map.destroy()));
  }

  /** Compiles what such a volume will need, recorded builds and slices too; see `SparseImage.prepare`. */
  static async prepare(gpu: Gpu, options: PrepareVolumeOptions): Promise<void> {
    const { width, height, depth, most, ...rest } = options ?? {};
    const sides = { width, height, depth };
    await prepareCells(gpu, options, {
      sides,
      record: (idle, encoder, voxels) =>
        this.encodeBuild(idle, encoder, { ...sides, voxels, ...(most !== undefined && { most }) }, rest),
      make: (idle, voxels) => this.from(idle, { ...sides, voxels }, rest),
      again: (volume, encoder, voxels, outputs) => {
        volume.encodeRebuild(encoder, { voxels });
        for (const output of outputs(1, 1, 1)) {
          volume.encodeSlice(encoder, { origin: [0, 0, 0], u: [1, 0, 0], v: [0, 1, 0], width: 1, height: 1, output });
        }
      },
    });
  }

  /**
   * Allocates a table and records the selection and the build, without submitting them. It may be read by commands recorded
   * later; `await volume.settle()` after submitting tells whether all went well.
   */
  static encodeBuild(gpu: Gpu, target: Target, input: VolumeBuffers, options: SparseOptions = {}): SparseVolume {
    requireGpu(gpu);
    requireMembers(input, 'input', [...INPUT.slice(0, 4), 'most']);
    requireOptions(options, OPTIONS);
    const { width, height, depth, voxels, most } = input;
    const grid = gridOf({ width, height, depth }, options.background);
    return new this(encodeFromAll(gpu, target, grid, { cells: voxels, name: 'voxels', most }, options));
  }

  /** Opens a volume that `toBytes` saved, on this GPU or another. The scheme is named unless it is the default one. */
  static async fromBytes(gpu: Gpu, bytes: Uint8Array, options: SavedSparseOptions = {}): Promise<SparseVolume> {
    return new this(await openGrid(gpu, bytes, 'sparseVolume', options));
  }

  get depth(): number {
    return this.built.grid.sides[2];
  }

  /** Records the same for other voxels, in the memory that `encodeBuild` made, every frame if need be. */
  encodeRebuild(target: Target, input: { readonly voxels: GPUBuffer }): void {
    requireMembers(input, 'input', ['voxels']);
    encodeAgain(this.built, target, input.voxels, 'voxels');
  }

  /** All voxels, four bytes each, rows one behind the other, and layers of rows. */
  async voxels(options: Abortable = {}): Promise<Uint8ClampedArray<ArrayBuffer>> {
    return this.allColours(options);
  }

  /** What a plane through the volume looks like, of any orientation: for each pixel the nearest voxel. */
  async slice(slice: Slice, options: Abortable = {}): Promise<Uint8ClampedArray<ArrayBuffer>> {
    requireSlice(this.gpu, slice);
    return this.draw(planeThrough(this.gpu, this.built.grid, slice), options);
  }

  /** Records the reading of such a plane. */
  encodeSlice(target: Target, slice: Slice & DrawBuffers): void {
    requireSlice(this.gpu, slice, ['output']);
    this.encodeDrawing(target, planeThrough(this.gpu, this.built.grid, slice), slice.output);
  }

  /** The volume as bytes, to be opened by `fromBytes` without building it again. */
  async toBytes(options: Abortable = {}): Promise<Uint8Array<ArrayBuffer>> {
    return saveGrid('sparseVolume', this.built, options);
  }
}

function requireSlice(gpu: Gpu, slice: Slice, others: readonly string[] = []): void {
  requireMembers(slice, 'slice', [...SLICE, ...others]);
  const { origin, u, v, width, height } = slice;
  for (const [name, vector] of Object.entries({ origin, u, v })) requireVector(vector, name);
  for (const [name, side] of Object.entries({ width, height })) {
    if (!Number.isInteger(side) || side < 1 || side > MOST_SLICE_SIDE) {
      refuse(name, `a whole number from 1 to ${MOST_SLICE_SIDE}`, side);
    }
  }
  requireItems(gpu, width * height, 'the number of pixels');
}

function requireVector(vector: Vector, name: string): void {
  const isVector = Array.isArray(vector) || arrayKind(vector) !== undefined;
  const components: unknown[] = isVector ? [...vector] : [];
  // Kernels have 32 bits for each.
  const isGood = (component: unknown): boolean =>
    typeof component === 'number' && Number.isFinite(Math.fround(component));
  if (components.length !== 3 || !components.every(isGood)) refuse(name, 'three finite numbers', vector);
}
