/** luma.gl on the device of the library: its buffers, and its graphs of commands. */
import type { Buffer, Device } from '@luma.gl/core';
import type { GPUCommandGraph, GraphDataView } from '@luma.gl/gpgpu/gpu-core';
import { type Gpu, USAGE } from '../../src/gpu/index.ts';
import type { Contestant, Stage } from './contest.ts';
import { optional } from './packages.ts';
import { timed, timedOnGpu } from './times.ts';

/** What luma.gl asks of a browser when it makes a device. */
const BROWSER = { gpu: { getPreferredCanvasFormat: () => 'bgra8unorm', wgslLanguageFeatures: new Set<string>() } };
const COLUMN = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;

export class Luma {
  readonly #made: { destroy(): void }[] = [];

  private constructor(
    readonly gpu: Gpu,
    readonly device: Device,
    readonly core: typeof import('@luma.gl/gpgpu/gpu-core'),
  ) {}

  static async open(gpu: Gpu): Promise<Luma> {
    const core = await optional<typeof import('@luma.gl/gpgpu/gpu-core')>('@luma.gl/gpgpu/gpu-core');
    const { WebGPUDevice } = await optional<typeof import('@luma.gl/webgpu')>('@luma.gl/webgpu');
    const { adapterInfo } = gpu.device as { adapterInfo?: GPUAdapterInfo };
    return withBrowser(
      () => new Luma(gpu, new WebGPUDevice({}, gpu.device, {} as GPUAdapter, adapterInfo as GPUAdapterInfo), core),
    );
  }

  /** Makes room for so many words a column. */
  columns<Name extends string>(words: Readonly<Record<Name, number>>): Record<Name, Buffer> {
    const made = Object.entries<number>(words).map(([id, count]) => {
      const buffer = this.device.createBuffer({ id, byteLength: 4 * count, usage: COLUMN });
      this.#made.push(buffer);
      return [id, buffer];
    });
    return Object.fromEntries(made);
  }

  /** Compiles a graph over columns. What comes back records it. */
  compiled<Name extends string>(
    columns: Readonly<Record<Name, Buffer>>,
    add: (
      graph: GPUCommandGraph,
      view: <F extends 'uint32' | 'float32'>(name: Name, format: F) => GraphDataView<F>,
    ) => void,
  ): (encoder: GPUCommandEncoder) => void {
    const graph = new this.core.GPUCommandGraph(this.device);
    const handles = new Map(
      Object.entries<Buffer>(columns).map(([id, buffer]) => [
        id,
        graph.importBuffer({ id, byteLength: buffer.byteLength, usage: COLUMN }, buffer),
      ]),
    );
    add(graph, (name, format) => {
      const buffer = handles.get(name) as NonNullable<ReturnType<typeof handles.get>>;
      return graph.createDataView(buffer, { format, length: columns[name].byteLength / 4 });
    });
    const compiled = graph.compile();
    this.#made.push(compiled);
    return (encoder) => {
      compiled.encode(this.device.createCommandEncoder({ handle: encoder } as object), { parameters: undefined });
    };
  }

  read(column: Buffer, length?: number): Promise<Uint32Array<ArrayBuffer>> {
    return this.gpu.read(column.handle as GPUBuffer, Uint32Array, length === undefined ? {} : { length });
  }

  /** The device stays: it is not luma.gl's. */
  destroy(): void {
    for (const made of this.#made) made.destroy();
  }
}

/** A task of luma.gl: buffers that are there, and graphs over them that are compiled. */
export interface LumaTask<Results> {
  /** What records the graphs, one behind the other. */
  readonly graphs: Readonly<Record<string, (encoder: GPUCommandEncoder) => void>>;
  upload(): void;
  /** What the graphs have left, in arrays. */
  read(): Promise<Results>;
}

/** The two contestants of a task: from arrays to arrays, and on the GPU alone. */
export function lumaContestants<Data, Results, Answer>(
  refuses: (data: Data) => string | undefined,
  prepare: (data: Data, stage: Stage) => Promise<LumaTask<Results>>,
  answer: (results: Results) => Answer,
): readonly Contestant<Data, Answer>[] {
  return [
    {
      name: 'luma.gl',
      library: 'luma',
      clock: 'wall',
      refuses,
      prepare: async (data, stage) => {
        const { graphs, upload, read } = await prepare(data, stage);
        let results: Results;
        const work = async () => {
          upload();
          await stage.gpu.run((encoder) => {
            for (const record of Object.values(graphs)) record(encoder);
          });
          results = await read();
        };
        return { run: () => timed({ all: work }), answer: async () => answer(results) };
      },
    },
    {
      name: 'luma.gl, on the GPU',
      library: 'luma',
      clock: 'gpu',
      refuses,
      prepare: async (data, stage) => {
        const { graphs, upload, read } = await prepare(data, stage);
        upload();
        return { run: () => timedOnGpu(stage.gpu, graphs), answer: async () => answer(await read()) };
      },
    },
  ];
}

/** Runs something that looks for a browser. */
function withBrowser<T>(make: () => T): T {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', { value: BROWSER, configurable: true });
  try {
    return make();
  } finally {
    if (before) Object.defineProperty(globalThis, 'navigator', before);
    else Reflect.deleteProperty(globalThis, 'navigator');
  }
}
