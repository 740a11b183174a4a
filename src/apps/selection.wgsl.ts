/** The cells that are not background, with their numbers: what a table is built from. */
import {
  type Bound,
  type BufferView,
  extentCount,
  type Gpu,
  type GpuCount,
  InvalidInputError,
  perform,
  type Recorder,
  record,
  Workspace,
} from '../gpu/index.ts';
import { recordScan, scanKernels } from '../primitives/scanKernels.wgsl.ts';
import { kernel, storage, uniform, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { backgroundWord, bindGrid, placeOfIndex } from './cells.wgsl.ts';
import { cellsOf, type Grid } from './grid.ts';

const cells = storage('cells', 'array<u32>');
const places = storage('places', 'array<u32>', 'read_write');
const colours = storage('colours', 'array<u32>', 'read_write');
/** How many cells there is room for. */
const room = uniform('room', 'u32');

/** A scan over "is it another colour", whose prefixes are the positions of those cells in the list. */
const select = scanKernels(
  'apps/select',
  wgsl`fn load(entry: u32) -> u32 { return u32(${cells}[entry] != ${backgroundWord}); }`,
  wgsl`
fn store(entry: u32, loaded: u32, prefix: u32) {
  if (loaded == 0u || prefix >= ${room}) { return; }
  ${places}[prefix] = ${placeOfIndex}(entry);
  ${colours}[prefix] = ${cells}[entry];
}`,
);

const THREADS = 256;
const PER_THREAD = 16;
const found = storage('found', 'atomic<u32>', 'read_write');
const inGroup = wgsl`var<workgroup> inGroup: atomic<u32>;`;

const count = kernel({
  label: 'apps/count',
  threads: THREADS,
  itemsPerGroup: THREADS * PER_THREAD,
  body: wgsl`
  let first = group * ${THREADS * PER_THREAD}u + thread;
  var own = 0u;
  for (var i = 0u; i < ${PER_THREAD}u; i++) {
    let cell = first + i * ${THREADS}u;
    if (cell < ${extentCount}) { own += u32(${cells}[cell] != ${backgroundWord}); }
  }
  atomicAdd(&${inGroup}, own);
  workgroupBarrier();
  if (thread == 0u) { atomicAdd(&${found}, atomicLoad(&${inGroup})); }`,
});

/** A list of cells, with room for some. Where it is destroyed, nothing that uses it may still be recorded. */
export class Selection {
  readonly places: GPUBuffer;
  readonly colours: GPUBuffer;
  readonly #total: GPUBuffer;
  readonly #workspace: Workspace;

  constructor(
    readonly gpu: Gpu,
    readonly grid: Grid,
    readonly most: number,
  ) {
    const made: GPUBuffer[] = [];
    const make = (name: string, words: number): GPUBuffer => {
      made.push(gpu.createBuffer(`apps/${name}`, WORD_BYTES * words));
      return made.at(-1) as GPUBuffer;
    };
    try {
      this.places = make('places', most);
      this.colours = make('colours', most);
      this.#total = make('total', 1);
    } catch (error) {
      for (const buffer of made) buffer.destroy();
      throw error;
    }
    this.#workspace = new Workspace(gpu);
  }

  /** How many there are; more than there is room for, if they do not fit. */
  get count(): GpuCount {
    return { buffer: this.#total };
  }

  /** Records the selection. */
  record(recorder: Recorder, given: GPUBuffer): void {
    const { gpu, grid } = this;
    const bound: Bound = [
      ...bindGrid(gpu, grid),
      [cells, cellsIn(grid, given)],
      [places, this.places],
      [colours, this.colours],
      // All that the buffers hold: one that is as small as can be still has room for four.
      [room, gpu.constants(this.places.size / WORD_BYTES)],
    ];
    recordScan(recorder, select, { bound, items: cellsOf(grid), total: this.count, workspace: this.#workspace });
  }

  /** Makes the list and waits for it: exactly the cells that there are. */
  async fill(given: GPUBuffer): Promise<void> {
    const [total] = await perform(
      this.gpu,
      (encoder) => record(this.gpu, encoder, 'select', (recorder) => this.record(recorder, given)),
      [{ buffer: this.#total, bytes: 4 }],
    );
    if (new Uint32Array(total as ArrayBuffer)[0] !== this.most) {
      throw new InvalidInputError('the buffer of colours was changed while it was read');
    }
  }

  destroy(): void {
    for (const buffer of [this.places, this.colours, this.#total]) buffer.destroy();
    this.#workspace.destroy();
  }
}

/** How many cells are not background. */
export async function countCells(gpu: Gpu, grid: Grid, given: GPUBuffer): Promise<number> {
  const total = gpu.createBuffer('apps/total', 4);
  try {
    const all = cellsOf(grid);
    const [bytes] = await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'count', (recorder) => {
          const bound: Bound = [
            ...bindGrid(gpu, grid),
            [cells, cellsIn(grid, given)],
            [found, total],
            [extentCount, recorder.extent(all).count],
          ];
          recorder.run(count, bound, all);
        }),
      [{ buffer: total, bytes: 4 }],
    );
    return new Uint32Array(bytes as ArrayBuffer)[0] as number;
  } finally {
    total.destroy();
  }
}

/** Only what is used, so that a caller's buffer may be larger than a binding. */
const cellsIn = (grid: Grid, buffer: GPUBuffer): BufferView => ({ buffer, size: WORD_BYTES * cellsOf(grid) });
