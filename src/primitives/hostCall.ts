import {
  type Gpu,
  InvalidInputError,
  mostBytes,
  perform,
  requireWhole,
  requireWords,
  TooLargeError,
  Workspace,
} from '../gpu/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';

/** Buffers of a call by name: with these contents, or with room for so many words. */
type Contents = Readonly<Record<string, ArrayBufferView | number>>;

/** What a call that takes and returns arrays does. */
interface HostCall<Made extends Contents, Read extends keyof Made> {
  readonly label: string;
  readonly buffers: Made;
  record(
    encoder: GPUCommandEncoder,
    buffers: { readonly [Name in keyof Made]: GPUBuffer },
    /** Scratch memory, for calls that need any. */
    workspace: () => Workspace,
  ): void;
  /** The buffers that come back to the host, whole. */
  readonly read: readonly Read[];
}

/**
 * Runs a call on the host face: uploads, records, submits, reads back, and destroys its buffers however it ends. Arrays are
 * read before it returns its promise, so a caller may change them at once.
 */
export async function hostCall<const Made extends Contents, Read extends keyof Made>(
  gpu: Gpu,
  { label, buffers, record, read }: HostCall<Made, Read>,
): Promise<{ [Name in Read]: Uint32Array<ArrayBuffer> }> {
  let scratch: Workspace | undefined;
  const workspace = (): Workspace => {
    scratch ??= new Workspace(gpu);
    return scratch;
  };
  const made = new Map<keyof Made, GPUBuffer>();
  // Filled while recording: buffers are made there, under its error scopes.
  const reads: { buffer: GPUBuffer; bytes: number }[] = [];
  try {
    const back = await perform(
      gpu,
      (encoder) => {
        for (const [name, content] of Object.entries(buffers)) {
          const whole = `${label}/${name}`;
          made.set(
            name,
            typeof content === 'number' ? gpu.createBuffer(whole, WORD_BYTES * content) : gpu.upload(whole, content),
          );
        }
        record(encoder, Object.fromEntries(made) as never, workspace);
        for (const name of read) {
          const content = buffers[name] as Contents[string];
          const bytes = typeof content === 'number' ? WORD_BYTES * content : content.byteLength;
          reads.push({ buffer: made.get(name) as GPUBuffer, bytes });
        }
      },
      reads,
    );
    return Object.fromEntries(read.map((name, i) => [name, new Uint32Array(back[i] as ArrayBuffer)])) as never;
  } finally {
    scratch?.destroy();
    for (const buffer of made.values()) buffer.destroy();
  }
}

/** Throws unless it is an array of words that a buffer of the device can hold. */
export function requireArray(gpu: Gpu, array: Uint32Array, name: string): void {
  requireWords(array, name);
  requireItems(gpu, array.length, `the length of ${name}`);
}

/** Throws unless a second array is one of words too, and as long as the first. */
export function requireAsMany(arrays: Readonly<Record<string, Uint32Array>>): void {
  const [[first, { length }], [second, other]] = Object.entries(arrays) as [
    [string, Uint32Array],
    [string, Uint32Array],
  ];
  requireWords(other, second);
  if (other.length !== length) {
    throw new InvalidInputError(`there are ${length} ${first} but ${other.length} ${second}`);
  }
}

/** Throws unless a buffer of that many words is possible on the device. */
export function requireItems(gpu: Gpu, items: number, name: string): void {
  requireWhole(items, name);
  const largest = Math.floor(mostBytes(gpu.limits) / WORD_BYTES);
  if (items > largest) {
    throw new TooLargeError(`${name} is ${items}, but this device can hold only ${largest} words in a buffer`, largest);
  }
}
