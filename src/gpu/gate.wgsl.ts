import { kernel, storage, uniform, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import type { Gpu } from './gpu.ts';
import type { Recorder } from './recorder.ts';
import { USAGE } from './usage.ts';

/** How many items there are: `max` is known here; the exact number is in a uniform buffer and may be known only there. */
export interface Extent {
  readonly max: number;
  /** A uniform buffer whose first word is the number of items, never more than `max`. */
  readonly count: GPUBuffer;
  readonly onGpu: boolean;
}

/** The first word of an `Extent`, as kernels see it. */
export const extentCount = uniform('count', 'u32');

/** An extent that is known on the host. */
export const knownExtent = (gpu: Gpu, items: number): Extent => ({
  max: items,
  count: gpu.constants(items),
  onGpu: false,
});

/** A number of items that is a word of a GPU buffer. */
export interface GpuCount {
  readonly buffer: GPUBuffer;
  /** Where the word is; a multiple of 4. Default 0. */
  readonly offset?: number;
}

/** Which word of its buffer it is. */
export const countedWord = ({ offset }: GpuCount): number => (offset === undefined ? 0 : offset / WORD_BYTES);

/** Where kernels find a count: a buffer, and which of its words it is. */
export const countWord = (gpu: Gpu, count: number | GpuCount): { readonly buffer: GPUBuffer; readonly word: number } =>
  typeof count === 'number'
    ? { buffer: gpu.constants(count), word: 0 }
    : { buffer: count.buffer, word: countedWord(count) };

/** A two-dimensional grid for that many workgroups. */
export function gridOf(groups: number, maxPerDimension: number): [x: number, y: number] {
  const y = Math.ceil(groups / maxPerDimension);
  return [y === 0 ? 0 : Math.ceil(groups / y), y];
}

const ROWS = 64;
const ROW_WORDS = 4;

/**
 * `rows[0]` has the number of rows that follow, and the most workgroups of a dimension. A row has a number of items, how
 * many of them a workgroup takes, and a 1 if the count decides and that number is only the most that it can be.
 */
export const gateRows = storage('rows', 'array<vec4u>');
export const gateArgs = storage('args', 'array<u32>', 'read_write');

/** Turns every row into an indirect grid, or into an empty one where the gate is shut. */
export const writeGrids = wgsl`
fn writeGrids(count: u32, open: bool) {
  let perDimension = ${gateRows}[0].y;
  for (var r = 1u; r <= ${gateRows}[0].x; r++) {
    let row = ${gateRows}[r];
    let items = select(row.x, min(row.x, count), row.z == 1u);
    let groups = select(0u, items / row.y + u32(items % row.y != 0u), open);
    let y = groups / perDimension + u32(groups % perDimension != 0u);
    ${gateArgs}[3 * r] = (groups + max(y, 1u) - 1u) / max(y, 1u);
    ${gateArgs}[3 * r + 1] = y;
    ${gateArgs}[3 * r + 2] = 1u;
  }
}`;

const source = storage('source', 'array<u32>');
const clamped = storage('clamped', 'u32', 'read_write');
/** Which word of `source` is the count, and the most that it may be. */
const limits = uniform('limits', 'vec2u');

/** Reads a count from a GPU buffer, clamps it, and opens the gate for it. */
const openForCount = kernel({
  label: 'gate/count',
  threads: 1,
  body: wgsl`
  let count = min(${source}[${limits}.x], ${limits}.y);
  ${clamped} = count;
  ${writeGrids}(count, true);`,
});

/**
 * Grids that are decided on the GPU: for counts that only the GPU knows, and for work that may turn out unnecessary.
 * The rows are written by the host while the commands are encoded; a kernel turns them into grids when they run.
 */
export class Gate {
  readonly rows: GPUBuffer;
  readonly args: GPUBuffer;
  /** The clamped count, as a uniform for kernels. */
  readonly count: GPUBuffer;
  readonly #words: Uint32Array;
  readonly #offsets = new Map<string, number>();

  constructor(gpu: Gpu) {
    this.rows = gpu.device.createBuffer({
      label: 'hashnest/gate/rows',
      size: (ROWS + 1) * ROW_WORDS * WORD_BYTES,
      usage: USAGE.STORAGE,
      mappedAtCreation: true,
    });
    this.#words = new Uint32Array(this.rows.getMappedRange());
    this.#words[1] = gpu.limits.maxComputeWorkgroupsPerDimension;
    this.args = gpu.createBuffer('gate/args', (ROWS + 1) * 12, USAGE.STORAGE | USAGE.INDIRECT);
    this.count = gpu.createBuffer('gate/count', 16, USAGE.STORAGE | USAGE.UNIFORM);
  }

  /** An extent of at most `max` items, whose number this gate reads on the GPU. */
  extent(max: number): Extent {
    return { max, count: this.count, onGpu: true };
  }

  /** The offset in `args` of the grid for that many items. */
  rowOffset(items: number | Extent, itemsPerGroup: number): number {
    const [max, onGpu] = typeof items === 'number' ? [items, false] : [items.max, items.onGpu];
    const key = `${max}/${itemsPerGroup}/${onGpu}`;
    const known = this.#offsets.get(key);
    if (known !== undefined) return known;
    const row = this.#offsets.size + 1;
    if (row > ROWS) throw new Error('hashnest: too many different grids behind one gate');
    this.#words[0] = row;
    this.#words.set([max, itemsPerGroup, onGpu ? 1 : 0, 0], row * ROW_WORDS);
    this.#offsets.set(key, row * 12);
    return row * 12;
  }

  /** Records the kernel that opens this gate for a count, at most `max`. */
  open(recorder: Recorder, count: GpuCount, max: number): void {
    const { buffer, word } = countWord(recorder.gpu, count);
    recorder.runOnce(openForCount, [
      [source, buffer],
      [limits, recorder.gpu.constants(word, max)],
      [clamped, this.count],
      [gateRows, this.rows],
      [gateArgs, this.args],
    ]);
  }

  /** Ends the encoding: the rows are final. */
  seal(): void {
    if (this.rows.mapState === 'mapped') this.rows.unmap();
  }

  destroy(): void {
    for (const buffer of [this.rows, this.args, this.count]) buffer.destroy();
  }
}
