/** What pictures and volumes have in common: cells in a table, read through three faces. */
import type { ShaderFace, ShaderFaceOptions } from '../collections/face.wgsl.ts';
import {
  type Abortable,
  type Followed,
  type Gpu,
  InvalidInputError,
  isBuffer,
  record,
  refuse,
  requireMembers,
  requireOptions,
  requireTarget,
  type Target,
} from '../gpu/index.ts';
import { requireStorage } from '../primitives/checks.ts';
import { hostCall, requireItems } from '../primitives/hostCall.ts';
import { roomFor } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { Built, CellMap } from './build.ts';
import { allCells, type Drawing, recordDrawing } from './drawing.wgsl.ts';
import { gridFace } from './face.wgsl.ts';
import { colourBytes, isTexture, NOWHERE, type Points, placesOf, type Rgba, roomForWords, wordOf } from './grid.ts';
import { recordTexture, requireTexture } from './texture.wgsl.ts';

/** Pixels of one submission on the host face. */
const PIXELS_AT_ONCE = 1 << 22;

/** Where an encoded drawing goes. */
export interface DrawBuffers {
  /** A word for each pixel, or a texture of the format `rgba8unorm` with the usage `STORAGE_BINDING`. */
  readonly output: GPUBuffer | GPUTexture;
}

/** Cells in a table by their numbers; what is not there is background. */
export abstract class SparseGrid {
  /** @internal */
  protected readonly built: Built;

  /** Only the library makes them. */
  protected constructor(made: never);
  /** @internal */
  protected constructor(built: Built);
  protected constructor(built: Built) {
    this.built = built;
  }

  get gpu(): Gpu {
    return this.built.map.gpu;
  }

  /** The table of colours by the number of their cell, for `stats`, `report` and the like. It is destroyed with this. */
  get map(): CellMap {
    return this.built.map;
  }

  get width(): number {
    return this.built.grid.sides[0];
  }

  get height(): number {
    return this.built.grid.sides[1];
  }

  /** The colour of all that is not stored. */
  get background(): Rgba {
    return this.built.grid.background;
  }

  /** How many cells are stored. */
  get size(): number {
    return this.map.size;
  }

  /** Bytes of GPU memory that the finished table takes. */
  get tableBytes(): number {
    return this.map.tableBytes;
  }

  /**
   * The colours at points, four bytes each: red, green, blue and alpha. A point is its coordinates, one behind the other. Outside all
   * is background.
   */
  async get(points: Points, options: Followed = {}): Promise<Uint8ClampedArray<ArrayBuffer>> {
    requireOptions(options, ['signal', 'onProgress']);
    const { grid, map } = this.built;
    const places = placesOf(grid, points);
    const background = wordOf(grid.background);
    const { values } = await map.get(places, { ...options, missing: background });
    return colourBytes(values.map((word, i) => (places[i] === NOWHERE ? background : word)));
  }

  /** Records the reading of all cells, rows one behind the other. */
  encodeUnpack(target: Target, buffers: DrawBuffers): void {
    requireMembers(buffers, 'buffers', ['output']);
    this.encodeDrawing(target, allCells(this.gpu, this.built.grid), buffers.output);
  }

  /**
   * Cells as WGSL functions and a bind group, for your own shader, also for fragments: `NAME_colour(at) -> vec4f`, `NAME_word(at) -> u32`
   * and `NAME_has(at) -> bool` take whole coordinates, and `NAME_nearest(at) -> vec4f` takes a point.
   */
  wgsl(options: ShaderFaceOptions): ShaderFace {
    return gridFace(this.map.table, this.built.grid, options);
  }

  /** After an encoded build was submitted: waits for it, and throws if it failed. */
  async settle(): Promise<this> {
    const error = await this.built.allocation;
    if (error) throw error;
    await this.map.settle();
    return this;
  }

  /** Frees the GPU memory. Later calls throw. */
  destroy(): void {
    this.map.destroy();
    this.built.selection?.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  /** All cells, on the host. @internal */
  protected allColours(options: Abortable): Promise<Uint8ClampedArray<ArrayBuffer>> {
    return this.draw(allCells(this.gpu, this.built.grid), options);
  }

  /** Reads a drawing when it is this call's turn, in parts that fit a binding. @internal */
  protected async draw(drawing: Drawing, options: Abortable): Promise<Uint8ClampedArray<ArrayBuffer>> {
    const { gpu, map } = this;
    const { table } = map;
    table.assertAlive();
    const all = pixelsOf(drawing);
    return map.readFor(options, async () => {
      const words = roomForWords(all);
      const assertUnchanged = table.unchanged();
      for (let first = 0; first < all; first += PIXELS_AT_ONCE) {
        if (first > 0) assertUnchanged();
        options.signal?.throwIfAborted();
        const count = Math.min(PIXELS_AT_ONCE, all - first);
        const { output } = await hostCall(gpu, {
          label: 'apps/draw',
          buffers: { output: count },
          record: (encoder, made) =>
            record(gpu, encoder, 'draw', (recorder) =>
              recordDrawing(recorder, table, drawing, { first, count, ...made }),
            ),
          read: ['output'],
        });
        words.set(output, first);
      }
      return colourBytes(words);
    });
  }

  /** Records a drawing into a buffer or a texture. @internal */
  protected encodeDrawing(target: Target, drawing: Drawing, output: GPUBuffer | GPUTexture): void {
    const { gpu, map } = this;
    const { table } = map;
    table.assertBuilt();
    if (isTexture(output)) {
      requireTexture(output, drawing.size, drawing.kind === 'cells' && this.built.grid.dimensions === 3 ? '3d' : '2d');
      requireTarget(target);
      record(gpu, target, 'draw', (recorder) => recordTexture(recorder, table, drawing, output));
      return;
    }
    if (!isBuffer(output)) refuse('output', 'a GPUBuffer or a GPUTexture', output);
    requireStorage(output, 'output');
    const count = pixelsOf(drawing);
    requireItems(gpu, count, 'the number of pixels');
    if (roomFor(output, 4) < count) {
      throw new InvalidInputError(`output has ${output.size} bytes, but ${count} pixels take ${WORD_BYTES * count}`);
    }
    requireTarget(target);
    record(gpu, target, 'draw', (recorder) => recordDrawing(recorder, table, drawing, { first: 0, count, output }));
  }
}

const pixelsOf = ({ size: [width, height, depth] }: Drawing): number => width * height * depth;
