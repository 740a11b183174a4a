import { HashMap } from '../collections/hashMap.ts';
import {
  type Gpu,
  type GpuCount,
  type HashnestError,
  InvalidInputError,
  nameCalls,
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
import { requireGpuBuild } from '../table/settings.ts';
import type { Count, Source } from '../table/source.ts';
import { type Built, type CellMap, mapOptions, OPTIONS, type SparseOptions } from './build.ts';
import { type Colours, colourWords, gridOf, type Points, placesInside, requireColours } from './grid.ts';
import { SparseGrid } from './sparseGrid.ts';
import { leftOutIn, recordRecolour, recordTexels, type TexelList } from './stroke.wgsl.ts';

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

  /** Texels that the table has room for. */
  get most(): number {
    return this.map.table.plan.request.items;
  }

  /** Paints, and makes room for new texels. If that cannot be done, what was painted before is still there. */
  async paint(dabs: Dabs): Promise<this> {
    requireMembers(dabs, 'dabs', ['points', 'colours']);
    const { gpu, map } = this;
    const { grid } = this.built;
    const { table } = map;
    table.assertAlive();
    const count = placesInside(grid, dabs.points).length;
    requireColours(dabs.colours, 'colours', count, `${count} points`);
    requireItems(gpu, 2 * count, 'the number of coordinates');
    if (count === 0) return this;
    const coordinates = Int32Array.from(dabs.points);
    const colours = colourWords(dabs.colours);
    await table.turns.write(async () => {
      table.assertAlive();
      if (!table.isBuilt) await table.settle();
      const workspace = new Workspace(gpu);
      try {
        const made = await gpu.made((keep) => ({
          points: keep(gpu.upload('apps/points', coordinates)),
          colours: keep(gpu.upload('apps/colours', colours)),
        }));
        try {
          await this.#paint({ ...made, count, workspace });
        } finally {
          for (const buffer of Object.values(made)) buffer.destroy();
        }
      } finally {
        workspace.destroy();
      }
    });
    return this;
  }

  async #paint({
    count,
    ...dabs
  }: Omit<DabBuffers, 'count'> & { readonly count: number; readonly workspace: Workspace }) {
    const { gpu, map } = this;
    const { grid } = this.built;
    const { table } = map;
    const added = await this.#counted((recorder) =>
      recordRecolour(recorder, table, grid, { ...dabs, items: recorder.extent(count) }),
    );
    if (added === 0) return;
    const old = table.size;
    const room = old + added;
    const [places, colours] = (await gpu.allocate([
      { label: 'apps/places', bytes: 4 * room },
      { label: 'apps/texels', bytes: 4 * room },
    ])) as [GPUBuffer, GPUBuffer];
    const list = { places, colours, room };
    try {
      await this.#counted((recorder) =>
        recordTexels(recorder, table, grid, { ...dabs, items: recorder.extent(count) }, list),
      );
      try {
        await table.rebuild(texelSource(list, room, room));
      } catch (error) {
        if (!table.isBuilt) await table.rebuild(texelSource(list, old, old));
        throw error;
      }
    } finally {
      for (const buffer of [places, colours]) buffer.destroy();
    }
  }

  /** Runs commands that leave a number in a word. */
  async #counted(commands: (recorder: Parameters<Parameters<typeof record>[3]>[0]) => GPUBuffer): Promise<number> {
    const { gpu } = this;
    const reads: { buffer: GPUBuffer; bytes: number }[] = [];
    const [bytes] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'paint', (recorder) => {
          reads.push({ buffer: commands(recorder), bytes: 4 });
        }),
      reads,
    );
    return new Uint32Array(bytes as ArrayBuffer)[0] as number;
  }

  /**
   * Records a stroke, new texels included. Dabs are left out for which there is no room, because all `most` texels are taken; the
   * rest is painted, and `settle` throws.
   */
  encodePaint(target: Target, dabs: DabBuffers): void {
    requireMembers(dabs, 'dabs', ['points', 'colours', 'count']);
    const { gpu, map, most } = this;
    const { table } = map;
    table.assertBuilt();
    if (table.turns.isWriting) throw new InvalidInputError('the table is being changed: wait for that call first');
    const { points, colours, count } = dabs;
    requireStorage(points, 'points');
    requireStorage(colours, 'colours');
    const max = requireCount(count, { points: Math.floor(wordsOf(points) / 2), colours: wordsOf(colours) });
    requireTarget(target);
    const { failure } = gpu.watched(() => {
      const workspace = this.#workspace;
      const list: TexelList = {
        places: workspace.scratch('apps/places', 4 * most),
        colours: workspace.scratch('apps/texels', 4 * most),
        room: most,
      };
      let total: GPUBuffer | undefined;
      recordCounted(gpu, target, 'paint', count, max, (recorder, items) => {
        const stroke = { points, colours, items, workspace };
        recordRecolour(recorder, table, this.built.grid, stroke);
        total = recordTexels(recorder, table, this.built.grid, stroke, list);
      });
      table.encodeRebuild(target, texelSource(list, { buffer: total as GPUBuffer }, most));
    });
    this.#allocation = Promise.all([this.#allocation, failure]).then(([before, now]) => before ?? now);
  }

  /** After encoded strokes were submitted: waits for them, and throws if one failed or dabs were left out since the last call. */
  override async settle(): Promise<this> {
    const error = await this.#allocation;
    if (error) throw error;
    await super.settle();
    const { gpu, most } = this;
    const buffer = leftOutIn(this.#workspace);
    const [bytes] = await gpu.run(() => {}, [{ buffer, bytes: 4 }]);
    const [left = 0] = new Uint32Array(bytes as ArrayBuffer);
    if (left === 0) return this;
    gpu.device.queue.writeBuffer(buffer, 0, new Uint32Array(1));
    throw new TooLargeError(`${left} dabs were left out: there is room for ${most} texels; paint() makes more`, most);
  }

  /** All texels, four bytes each, rows one behind the other. */
  async pixels(): Promise<Uint8ClampedArray<ArrayBuffer>> {
    return this.allColours();
  }

  override destroy(): void {
    super.destroy();
    this.#workspace.destroy();
  }
}

/** A list of texels as what a table is built from. */
const texelSource = ({ places, colours }: TexelList, count: Count, maxCount: number): Source => ({
  count,
  maxCount,
  contextBytes: undefined,
  load: () => ({ keys: places, values: colours }),
  release: () => {},
});

/** A table without texels, with room for some. */
async function emptyMap(gpu: Gpu, options: SparseOptions, most: number): Promise<CellMap> {
  const { options: map, settings, plan } = mapOptions(gpu, options, 'last', most);
  requireGpuBuild(settings, plan);
  const [keys, values, none] = (await gpu.allocate(
    [4 * most, 4 * most, 4].map((bytes, i) => ({ label: `apps/none${i}`, bytes })),
  )) as [GPUBuffer, GPUBuffer, GPUBuffer];
  let made: CellMap | undefined;
  try {
    await gpu.run((encoder) => {
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
