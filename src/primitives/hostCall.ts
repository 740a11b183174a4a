import { type Gpu, InvalidInputError, mostBytes, TooLargeError, Workspace } from '../gpu/index.ts';

/** Words of a buffer that are to come back to the host. */
export interface WordsBack {
  readonly buffer: GPUBuffer;
  readonly words: number;
}

/** One call that takes and returns arrays. */
export interface HostCall {
  readonly workspace: Workspace;
  /** Makes buffers: with these contents, or with room for so many words. */
  allocate<Contents extends Readonly<Record<string, ArrayBufferView | number>>>(
    contents: Contents,
  ): Promise<{ [Name in keyof Contents]: GPUBuffer }>;
  run<const Reads extends readonly WordsBack[]>(
    record: (encoder: GPUCommandEncoder) => void,
    reads: Reads,
  ): Promise<{ -readonly [K in keyof Reads]: Uint32Array<ArrayBuffer> }>;
}

/** Runs a call and destroys its buffers, however it ends. */
export async function hostCall<T>(gpu: Gpu, label: string, call: (host: HostCall) => Promise<T>): Promise<T> {
  const workspace = new Workspace(gpu);
  const made: GPUBuffer[] = [];
  const make = ([name, content]: [string, ArrayBufferView | number]) => {
    const whole = `${label}/${name}`;
    const buffer = typeof content === 'number' ? gpu.createBuffer(whole, 4 * content) : gpu.upload(whole, content);
    made.push(buffer);
    return [name, buffer] as const;
  };
  try {
    return await call({
      workspace,
      allocate: (contents) => gpu.checked(() => Object.fromEntries(Object.entries(contents).map(make)) as never),
      async run(record, reads) {
        const back = await gpu.run(
          record,
          reads.map(({ buffer, words }) => ({ buffer, bytes: 4 * words })),
        );
        return back.map((bytes) => new Uint32Array(bytes)) as never;
      },
    });
  } finally {
    workspace.destroy();
    for (const buffer of made) buffer.destroy();
  }
}

/** Throws unless a buffer of that many words is possible on the device. */
export function requireItems(gpu: Gpu, items: number, name: string): void {
  if (!Number.isInteger(items) || items < 0) {
    throw new InvalidInputError(`${name} must be a whole number, not ${items}`);
  }
  const largest = Math.floor(mostBytes(gpu.limits) / 4);
  if (items > largest) {
    throw new TooLargeError(`${name} is ${items}, but this device can hold only ${largest} words in a buffer`, largest);
  }
}
