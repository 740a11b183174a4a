import {
  type Abortable,
  BuildError,
  type Gpu,
  type GpuCount,
  type HashnestError,
  InvalidInputError,
  nameCalls,
  perform,
  type Recorder,
  record,
  requireGpu,
  requireMembers,
  requireOptions,
  requireTarget,
  requireWhole,
  type Target,
  TooLargeError,
  Workspace,
} from '../gpu/index.ts';
import { requireCount, requireStorage, wordsOf } from '../primitives/checks.ts';
import { recordCounted } from '../primitives/counted.ts';
import { requireItems } from '../primitives/hostCall.ts';
import { type Count, type Source, sized } from '../table/source.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { type Built, emptyMap, OPTIONS, type SparseOptions } from './build.ts';
import { type Colours, colourWords, gridOf, type Points, placesInside, requireColours } from './grid.ts';
import { type CellCalls, type PrepareImageOptions, prepareCells } from './prepareCells.ts';
import { SparseGrid } from './sparseGrid.ts';
import {
  leftOutIn,
  listedIn,
  recordFind,
  recordRecolour,
  recordTexels,
  type Stroke,
  type TexelList,
} from './stroke.wgsl.ts';

/** An empty picture. */
export interface PaintInput {
  readonly width: number;
  readonly height: number;
  /**
   * Texels that the table has room for from the start. Strokes on an encoder paint no more than that; strokes of the host face make the room
   * that they need. Default 0.
   */
  readonly most?: number;
}

/** Dabs of paint. Arrays are read before the call returns. */
export interface Dabs {
  /** x and y of each, one behind the other. */
  readonly points: Points;
  /** Their colours. Of several dabs at one point the last one counts. */
  readonly colours: Colours;
}

/** Dabs of paint in GPU buffers, for the encoder face. */
export interface DabBuffers {
  /** x and y of each, as two words. Those outside of the picture are left out. */
  readonly points: GPUBuffer;
  /** Their colours, a word each. */
  readonly colours: GPUBuffer;
  /** How many, known here or on the GPU. */
  readonly count: number | GpuCount;
}

/**
 * A picture to paint on, of which only painted texels take memory (García et al. 2011, section 4.3). Texels that are painted again
 * change their colours in the table; with new ones the table is built anew, at its load, from its own entries on the GPU.
 * @example
 * const atlas = await SparsePaint.create(gpu, { width: 4096, height: 4096 });
 * await atlas.paint({ points: new Int32Array([17, 4]), colours: new Uint8Array([255, 0, 0, 255]) });
 */
export class SparsePaint extends SparseGrid {
  static {
    nameCalls(this, 'SparsePaint');
  }

  readonly #workspace: Workspace;
  /** Whether the memory of encoded strokes could be had. */
  #allocation: Promise<HashnestError | undefined> = Promise.resolve(undefined);

  /** @internal */
  protected constructor(built: Built) {
    super(built);
    this.#workspace = new Workspace(built.map.gpu);
  }

  /** A picture that is all background. */
  static async create(gpu: Gpu, input: PaintInput, options: SparseOptions = {}): Promise<SparsePaint> {
    requireGpu(gpu);
    requireMembers(input, 'input', ['width', 'height', 'most']);
    requireOptions(options, OPTIONS);
    const { width, height, most = 0 } = input;
    const grid = gridOf({ width, height }, options.background);
    requireWhole(most, 'most');
    requireItems(gpu, most, 'most');
    return new this({ grid, map: await emptyMap(gpu, options, most) });
  }

  /** Compiles what such a picture, and strokes on it, will need; see `SparseImage.prepare`. */
  static async prepare(gpu: Gpu, options: PrepareImageOptions): Promise<void> {
    const { width, height, most = 0, ...rest } = options ?? {};
    const create = (idle: Gpu) => this.create(idle, { width, height, most }, rest);
    const calls: CellCalls<SparsePaint> = {
      sides: { width, height },
      record: create,
      make: async (idle) => {
        const paint = await create(idle);
        return paint.paint({ points: new Int32Array(2), colours: new Uint32Array(1) });
      },
      again: (paint, encoder) => {
        const [points, colours, word] = [8, 4, 4].map((bytes) => paint.gpu.createBuffer('prepare', bytes));
        for (const count of [1, { buffer: word as GPUBuffer }]) {
          paint.encodePaint(encoder, { points: points as GPUBuffer, colours: colours as GPUBuffer, count });
        }
      },
    };
    await prepareCells(gpu, options, calls, 0);
  }

  /** Texels that the table has room for. */
  get most(): number {
    return this.map.table.plan.request.items;
  }

  /** Paints, and makes room for new texels. If that cannot be done, the picture stays as it was. */
  async paint(dabs: Dabs): Promise<this> {
    requireMembers(dabs, 'dabs', ['points', 'colours']);
    const { gpu, map, built } = this;
    const { table } = map;
    table.assertAlive();
    const places = placesInside(built.grid, dabs.points);
    requireColours(dabs.colours, 'colours', places.length, `${places.length} points`);
    requireItems(gpu, 2 * places.length, 'the number of coordinates');
    if (places.length === 0) return this;
    const { points, colours } = lastDabs(places, dabs);
    await table.turns.write(async () => {
      try {
        table.assertAlive();
        if (!table.isBuilt) await this.#repaired();
        await this.#paint(points, colours);
      } catch (error) {
        // What fails because of that is said otherwise.
        table.assertAlive();
        throw error;
      }
    });
    return this;
  }

  async #paint(coordinates: Int32Array, words: Uint32Array): Promise<void> {
    const { gpu, map, built } = this;
    const { table } = map;
    const workspace = new Workspace(gpu);
    const made: GPUBuffer[] = [];
    const strokeOn = (recorder: Recorder): Stroke => ({
      points,
      colours,
      items: recorder.extent(words.length),
      workspace,
    });
    const [points, colours] = (await gpu.made((keep) => [
      keep(gpu.upload('apps/points', coordinates)),
      keep(gpu.upload('apps/colours', words)),
    ])) as [GPUBuffer, GPUBuffer];
    made.push(points, colours);
    try {
      const added = await this.#counted((recorder) => recordFind(recorder, table, built.grid, strokeOn(recorder)));
      if (added > 0) {
        const room = table.size + added;
        const [places, texels] = (await gpu.allocate([
          { label: 'apps/places', bytes: WORD_BYTES * room },
          { label: 'apps/texels', bytes: WORD_BYTES * room },
        ])) as [GPUBuffer, GPUBuffer];
        made.push(places, texels);
        const list = { places, colours: texels, room };
        await this.#counted((recorder) => recordTexels(recorder, table, built.grid, strokeOn(recorder), list));
        await this.#rebuild(list, table.size);
      }
      // Only now, so that a stroke that fails changes nothing.
      await perform(gpu, (encoder) =>
        record(gpu, encoder, 'paint', (recorder) => {
          // In a table that was built anew, all dabs are elsewhere.
          if (added > 0) recordFind(recorder, table, built.grid, strokeOn(recorder));
          recordRecolour(recorder, table, strokeOn(recorder));
        }),
      );
    } finally {
      workspace.destroy();
      for (const buffer of made) buffer.destroy();
    }
  }

  /** Builds the table from a list whose first texels are its own; if that fails, from these alone. */
  async #rebuild(list: TexelList, old: number): Promise<void> {
    const { table } = this.map;
    try {
      await table.rebuild(texelSource(list, list.room, list.room));
    } catch (error) {
      if (table.isAlive && !table.isBuilt) await table.rebuild(texelSource(list, old, old));
      throw error;
    }
  }

  /** Runs commands that leave a number in a word. */
  async #counted(commands: (recorder: Recorder) => GPUBuffer): Promise<number> {
    const { gpu } = this;
    const reads: { buffer: GPUBuffer; bytes: number }[] = [];
    const [bytes] = await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'paint', (recorder) => {
          reads.push({ buffer: commands(recorder), bytes: 4 });
        }),
      reads,
    );
    return new Uint32Array(bytes as ArrayBuffer)[0] as number;
  }

  /**
   * Records a stroke, new texels included. The texels of the table and the new dabs of a stroke, copies counted, are at most `most`: dabs
   * are left out for which there is no room, the rest is painted, and `settle` throws.
   */
  encodePaint(target: Target, dabs: DabBuffers): void {
    requireMembers(dabs, 'dabs', ['points', 'colours', 'count']);
    const { gpu, map, built, most } = this;
    const { table } = map;
    table.assertBuilt();
    if (table.turns.isWriting) throw new InvalidInputError('the table is being changed: wait for that call first');
    const { count } = dabs;
    requireStorage(dabs.points, 'points');
    requireStorage(dabs.colours, 'colours');
    const max = requireCount(count, { points: Math.floor(wordsOf(dabs.points) / 2), colours: wordsOf(dabs.colours) });
    requireItems(gpu, 2 * max, 'the number of coordinates');
    requireTarget(target);
    const points = sized(gpu, dabs.points, 8 * max);
    const colours = sized(gpu, dabs.colours, WORD_BYTES * max);
    const { failure } = gpu.watched(() => {
      const list = this.#list();
      recordCounted(gpu, target, { label: 'paint', count, max }, (recorder, items) => {
        const stroke = { points, colours, items, workspace: this.#workspace };
        recordFind(recorder, table, built.grid, stroke);
        recordRecolour(recorder, table, stroke);
        recordTexels(recorder, table, built.grid, stroke, list);
      });
      table.encodeRebuild(target, texelSource(list, { buffer: listedIn(this.#workspace) }, most));
    });
    this.#allocation = Promise.all([this.#allocation, failure]).then(([before, now]) => before ?? now);
  }

  /** What encoded strokes build the table from. */
  #list(): TexelList {
    const { most } = this;
    const scratch = (name: string) => this.#workspace.scratch(name, WORD_BYTES * most);
    return { places: scratch('apps/places'), colours: scratch('apps/texels'), room: most };
  }

  /**
   * After encoded strokes were submitted: waits for them, and throws if dabs were left out since the last call, or memory could not be had.
   * If the table could not be built in their place, it is built here, where it can grow.
   */
  override async settle(): Promise<this> {
    const { gpu, most } = this;
    const { table } = this.map;
    const error = await this.#allocation;
    this.#allocation = Promise.resolve(undefined);
    if (error) throw error;
    await table.turns.write(() => this.#repaired());
    const seen = this.#workspace.scratch('apps/leftOutSeen', 4);
    const [bytes] = await perform(
      gpu,
      (encoder) => {
        encoder.copyBufferToBuffer(leftOutIn(this.#workspace), 0, seen, 0, 4);
        encoder.clearBuffer(leftOutIn(this.#workspace));
      },
      [{ buffer: seen, bytes: 4 }],
    );
    this.#workspace.trim();
    const [left = 0] = new Uint32Array(bytes as ArrayBuffer);
    if (left === 0) return this;
    throw new TooLargeError(`${left} dabs were left out: there is room for ${most} texels; paint() makes more`, most);
  }

  /** Waits for encoded strokes; what they could not build is built from their list. */
  async #repaired(): Promise<void> {
    const { table } = this.map;
    try {
      await table.settle();
    } catch (error) {
      if (!(error instanceof BuildError)) throw error;
      const listed = await this.#counted(() => listedIn(this.#workspace));
      await table.rebuild(texelSource(this.#list(), listed, listed));
    }
  }

  /** All texels, four bytes each, rows one behind the other. */
  async pixels(options: Abortable = {}): Promise<Uint8ClampedArray<ArrayBuffer>> {
    return this.allColours(options);
  }

  override destroy(): void {
    super.destroy();
    this.#workspace.destroy();
  }
}

/** The last dab at every point. */
function lastDabs(places: Uint32Array, { points, colours }: Dabs): { points: Int32Array; colours: Uint32Array } {
  const seen = new Set<number>();
  const kept: number[] = [];
  for (let i = places.length - 1; i >= 0; i--) {
    const place = places[i] as number;
    if (!seen.has(place)) kept.push(i);
    seen.add(place);
  }
  const words = colourWords(colours);
  return {
    points: Int32Array.from(kept.flatMap((i) => [points[2 * i] as number, points[2 * i + 1] as number])),
    colours: Uint32Array.from(kept, (i) => words[i] as number),
  };
}

/** A list of texels as what a table is built from. */
const texelSource = ({ places, colours }: TexelList, count: Count, maxCount: number): Source => ({
  count,
  maxCount,
  contextBytes: undefined,
  load: () => ({ keys: places, values: colours }),
  release: () => {},
});
