/**
 * A grid of all cells of a box, as it is written by hand where there is a box: count the particles of every cell, scan, scatter; a search goes
 * through rows of three cells, whose particles lie one behind the other. The scan is the library's.
 */
import { type Bound, type Gpu, Recorder, Workspace } from '../../src/gpu/index.ts';
import { recordExclusiveScan, recordFill } from '../../src/primitives/index.ts';
import { kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';

const THREADS = 256;
/** How much greater a cell is than the radius: rounding must not put a neighbour two cells away. */
const SIDE = 1 + 2 ** -10;

const Shape = wgsl`
struct Shape {
  count: u32,
  cells: i32,           // along every axis
  perUnit: f32,         // cells
  squaredRadius: f32,
}`;
const shape = uniform('shape', Shape);
const points = storage('points', 'array<f32>');
const counts = storage('counts', 'array<atomic<u32>>', 'read_write');
const starts = storage('starts', 'array<u32>');
/** For every particle its cell, and how many particles of that cell came before it. */
const ranks = storage('ranks', 'array<vec2u>', 'read_write');
/** The particles in the order of their cells: the bits of their coordinates, and their number. */
const sortedOut = storage('sortedOut', 'array<vec4u>', 'read_write');
const sorted = storage('sorted', 'array<vec4u>');
const sums = storage('sums', 'array<vec2u>', 'read_write');

const pointAt = wgsl`
fn pointAt(i: u32) -> vec3f {
  return vec3f(${points}[3u * i], ${points}[3u * i + 1u], ${points}[3u * i + 2u]);
}`;
const cellAt = wgsl`
fn cellAt(at: vec3f) -> vec3i {
  return clamp(vec3i(at * ${shape}.perUnit), vec3i(0), vec3i(${shape}.cells - 1));
}`;
const rowOf = wgsl`
fn rowOf(y: i32, z: i32) -> i32 {
  return (z * ${shape}.cells + y) * ${shape}.cells;
}`;

const count = kernel({
  label: 'beside/dense/count',
  threads: THREADS,
  body: wgsl`
  if (item >= ${shape}.count) { return; }
  let cell = ${cellAt}(${pointAt}(item));
  let number = u32(${rowOf}(cell.y, cell.z) + cell.x);
  ${ranks}[item] = vec2u(number, atomicAdd(&${counts}[number], 1u));`,
});

const scatter = kernel({
  label: 'beside/dense/scatter',
  threads: THREADS,
  body: wgsl`
  if (item >= ${shape}.count) { return; }
  let rank = ${ranks}[item];
  ${sortedOut}[${starts}[rank.x] + rank.y] = vec4u(bitcast<vec3u>(${pointAt}(item)), item);`,
});

const query = kernel({
  label: 'beside/dense/query',
  threads: THREADS,
  body: wgsl`
  if (item >= ${shape}.count) { return; }
  let own = ${sorted}[item];
  let at = bitcast<vec3f>(own.xyz);
  let cell = ${cellAt}(at);
  let low = max(cell - 1, vec3i(0));
  let high = min(cell + 1, vec3i(${shape}.cells - 1));
  var found = vec2u(0u);
  for (var z = low.z; z <= high.z; z++) {
    for (var y = low.y; y <= high.y; y++) {
      let row = ${rowOf}(y, z);
      let end = ${starts}[row + high.x + 1];
      for (var i = ${starts}[row + low.x]; i < end; i++) {
        let other = ${sorted}[i];
        let offset = bitcast<vec3f>(other.xyz) - at;
        if (dot(offset, offset) <= ${shape}.squaredRadius) { found += vec2u(1u, other.w); }
      }
    }
  }
  ${sums}[own.w] = found;`,
});

/** Particles in a box from 0 to `side`. */
export interface DenseGridInput {
  readonly points: GPUBuffer;
  readonly count: number;
  readonly radius: number;
  readonly side: number;
}

export class DenseGrid {
  readonly #bound: Bound;
  readonly #buffers: readonly GPUBuffer[];
  readonly #workspace: Workspace;
  readonly #cellCount: number;

  constructor(
    readonly gpu: Gpu,
    readonly input: DenseGridInput,
  ) {
    const cells = Math.max(1, Math.ceil(input.side / (input.radius * SIDE)));
    const floats = Float32Array.of(1 / (input.radius * SIDE), input.radius ** 2);
    this.#cellCount = cells ** 3;
    this.#workspace = new Workspace(gpu);
    const room = (label: string, words: number) => gpu.createBuffer(`beside/dense/${label}`, 4 * words);
    const [perCell, rankOf, inOrder] = [
      room('starts', this.#cellCount + 1),
      room('ranks', 2 * input.count),
      room('sorted', 4 * input.count),
    ] as const;
    this.#buffers = [perCell, rankOf, inOrder];
    this.#bound = [
      [shape, gpu.constants(input.count, cells, ...new Uint32Array(floats.buffer))],
      [points, input.points],
      [counts, perCell],
      [starts, perCell],
      [ranks, rankOf],
      [sortedOut, inOrder],
      [sorted, inOrder],
    ];
  }

  encodeBuild(encoder: GPUCommandEncoder): void {
    const starts = this.#buffers[0] as GPUBuffer;
    const items = this.#cellCount + 1;
    this.#record(encoder, (recorder) => {
      recordFill(recorder, { output: starts, value: 0, items });
      recorder.run(count, this.#bound, this.input.count);
      recordExclusiveScan(recorder, { input: starts, output: starts, items, workspace: this.#workspace });
      recorder.run(scatter, this.#bound, this.input.count);
    });
  }

  /** For every particle how many are within the radius, itself too, and the sum of their numbers: two words each, into `output`. */
  encodeQuery(encoder: GPUCommandEncoder, output: GPUBuffer): void {
    this.#record(encoder, (recorder) => recorder.run(query, [...this.#bound, [sums, output]], this.input.count));
  }

  #record(encoder: GPUCommandEncoder, commands: (recorder: Recorder) => void): void {
    const pass = encoder.beginComputePass({ label: 'hashnest/beside/dense' });
    commands(new Recorder(this.gpu, pass));
    pass.end();
  }

  destroy(): void {
    this.#workspace.destroy();
    for (const buffer of this.#buffers) buffer.destroy();
  }
}
