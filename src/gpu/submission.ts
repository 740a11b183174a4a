/** Submitting commands and reading back what they leave, in one round trip. */
import { WORD_BYTES } from '../wgsl/index.ts';
import { isBuffer, refuse, requireWhole } from './arguments.ts';
import { CommandList } from './commandList.ts';
import type { Gpu } from './gpu.ts';

/** Part of a buffer that is to come back to the host. */
export interface Readback {
  readonly buffer: GPUBuffer;
  readonly offset?: number;
  readonly bytes: number;
}

/** Takes what came back while it is mapped: it has to be copied before this returns. */
export type Consume<T> = (parts: readonly Uint8Array<ArrayBuffer>[]) => T;

/** Copies what came back into buffers of its own. */
const asBuffers: Consume<ArrayBuffer[]> = (parts) =>
  parts.map(({ buffer, byteOffset, byteLength }) => buffer.slice(byteOffset, byteOffset + byteLength));

/** What is read back in one submission shares a buffer, up to so many bytes. */
const MOST_TOGETHER = 2 ** 26;
/** Parts of a mapped buffer begin at multiples of it. */
const ALIGNMENT = 8;

interface Staged {
  readonly bytes: number;
  readonly parts: readonly { readonly read: Readback; readonly at: number }[];
}

interface Sent {
  readonly staged: readonly (Staged & { readonly staging: GPUBuffer })[];
  readonly done: Promise<unknown>;
}

/** Records commands of a caller's own, who gets an encoder of WebGPU's, submits them, and hands over the wanted parts of buffers. */
export function performNow<T = ArrayBuffer[]>(
  gpu: Gpu,
  record: (encoder: GPUCommandEncoder) => void,
  reads: readonly Readback[],
  consume: Consume<unknown> = asBuffers,
): Promise<T> {
  const { result, failure } = gpu.watched(() => send(gpu, record, reads));
  return received(gpu, result, failure, consume as Consume<T>);
}

/** The same for commands of the library's own: pipelines that are missing are compiled side by side, and block nobody. */
export function perform(
  gpu: Gpu,
  record: (encoder: GPUCommandEncoder) => void,
  reads?: readonly Readback[],
): Promise<ArrayBuffer[]>;
/** `consume` gets what came back as long as it is mapped. */
export function perform<T>(
  gpu: Gpu,
  record: (encoder: GPUCommandEncoder) => void,
  reads: readonly Readback[],
  consume: Consume<T>,
): Promise<T>;
/**
 * Arguments are read, and what is recorded is uploaded, before this returns; where pipelines are missing, the submission waits until
 * all of them are compiled.
 */
export async function perform(
  gpu: Gpu,
  record: (encoder: GPUCommandEncoder) => void,
  reads: readonly Readback[] = [],
  consume: Consume<unknown> = asBuffers,
): Promise<unknown> {
  const list = new CommandList();
  const encode = (encoder: GPUCommandEncoder) => list.encode(encoder);
  let compiling: Promise<unknown> | undefined;
  const { result, failure } = gpu.watched(() => {
    record(list as unknown as GPUCommandEncoder);
    const { pending } = list;
    if (pending.length === 0) return send(gpu, encode, reads);
    compiling = Promise.all(pending.map((program) => program.compiled()));
    compiling.catch(() => {});
    return undefined;
  });
  if (result) return received(gpu, result, failure, consume);
  const error = await gpu.guard(failure);
  if (error) throw error;
  await gpu.guard(compiling as Promise<unknown>);
  return performNow(gpu, encode, reads, consume);
}

/** Submits commands, and asks for what they leave. */
function send(gpu: Gpu, record: (encoder: GPUCommandEncoder) => void, reads: readonly Readback[]): Sent {
  const { device, spare } = gpu;
  const staged: (Staged & { readonly staging: GPUBuffer })[] = [];
  try {
    const encoder = device.createCommandEncoder({ label: 'hashnest/run' });
    record(encoder);
    for (const { bytes, parts } of together(reads)) {
      const staging = spare.take('readback', bytes);
      staged.push({ staging, bytes, parts });
      for (const { read, at } of parts) {
        const { buffer, offset = 0, bytes } = read;
        if (bytes > 0) encoder.copyBufferToBuffer(buffer, offset, staging, at, wholeWords(bytes));
      }
    }
    device.queue.submit([encoder.finish()]);
    const waits = staged.map(({ staging, bytes }) => staging.mapAsync(MAP_MODE_READ, 0, bytes));
    const done = waits.length > 0 ? Promise.all(waits) : device.queue.onSubmittedWorkDone();
    done.catch(() => {});
    return { staged, done };
  } catch (error) {
    for (const { staging } of staged) spare.giveBack('readback', staging, false);
    throw error;
  }
}

/** Hands over what came back, or throws what went wrong. */
async function received<T>(
  gpu: Gpu,
  { staged, done }: Sent,
  failure: Promise<Error | undefined>,
  consume: Consume<T>,
): Promise<T> {
  let isGood = false;
  try {
    const error = await gpu.guard(failure);
    if (error) throw error;
    await gpu.guard(done);
    const parts = staged.flatMap(({ staging, bytes, parts }) => {
      const mapped = staging.getMappedRange(0, bytes);
      return parts.map(({ read, at }) => new Uint8Array(mapped, at, read.bytes));
    });
    isGood = true;
    return consume(parts);
  } finally {
    for (const { staging } of staged) {
      if (staging.mapState === 'mapped') staging.unmap();
      gpu.spare.giveBack('readback', staging, isGood);
    }
  }
}

/** Which parts share a buffer, and where they lie in it. */
function together(reads: readonly Readback[]): readonly Staged[] {
  let end = 0;
  const parts = reads.map((read) => {
    const { buffer, offset = 0, bytes } = read;
    if (!isBuffer(buffer)) refuse('buffer', 'a GPUBuffer', buffer);
    requireWhole(offset, 'offset');
    requireWhole(bytes, 'bytes');
    const at = end;
    end = at + Math.ceil(wholeWords(bytes) / ALIGNMENT) * ALIGNMENT;
    return { read, at };
  });
  if (parts.length === 0) return [];
  if (end <= MOST_TOGETHER) return [{ bytes: Math.max(ALIGNMENT, end), parts }];
  return parts.map(({ read }) => ({ bytes: Math.max(ALIGNMENT, wholeWords(read.bytes)), parts: [{ read, at: 0 }] }));
}

const wholeWords = (bytes: number): number => Math.ceil(bytes / WORD_BYTES) * WORD_BYTES;

const MAP_MODE_READ = 1;
