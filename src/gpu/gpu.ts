import { WORD_BYTES } from '../wgsl/index.ts';
import { arrayKind, refuse, requireAttached, requireWhole } from './arguments.ts';
import type { BufferView } from './bound.ts';
import { nameCalls, within } from './calls.ts';
import { describe, type GpuInfo } from './device/info.ts';
import { type OpenOptions, openDevice, requireOpenOptions } from './device/open.ts';
import {
  DestroyedError,
  DeviceLostError,
  GpuFaultError,
  HashnestError,
  OutOfMemoryError,
  TooLargeError,
  UnsupportedError,
} from './errors.ts';
import { ParameterRows } from './parameterRows.ts';
import { plainBytes } from './plainBytes.ts';
import type { PipelineText } from './program.ts';
import { type ArrayType, partOf, type ReadOptions } from './reading.ts';
import { SpareBuffers } from './spareBuffers.ts';
import { performNow, type Readback } from './submission.ts';
import { USAGE } from './usage.ts';

/** Immutable parameter buffers kept for reuse; past this the oldest is forgotten (its encoded users keep it alive). */
const CONSTANTS_KEPT = 512;

/**
 * Large arrays are written in pieces that WebGPU has memory for: Dawn keeps 4 MiB, and makes memory anew for what is larger, which takes
 * three times as long as to fill it (docs/performance.md).
 */
const PIECE_BYTES = 2 ** 21;
/** What is smaller may wait for the next submission. */
const LARGE_BYTES = 2 ** 19;

/**
 * A GPU device and what Hashnest keeps for it: parameter buffers, and the promise that everything fails clearly once the
 * device is gone.
 * @example
 * const gpu = await Gpu.open();
 * console.log(gpu.info.description, gpu.info.software ? '(software)' : '');
 */
export class Gpu {
  static {
    // Not `run`: what it is given to record are calls of their own.
    nameCalls(this, 'Gpu', ['open', 'from', 'createBuffer', 'upload', 'write']);
  }

  readonly device: GPUDevice;
  readonly info: GpuInfo;
  readonly #ownsDevice: boolean;
  readonly #constants = new Map<string, GPUBuffer>();
  /** Buffers of the host face between two calls. @internal */
  readonly spare: SpareBuffers;
  /** Who is told of pipelines that nobody has asked for before. @internal */
  readonly listeners = new Set<(text: PipelineText) => void>();
  readonly #rows = new ParameterRows(this);
  /** What rejects the calls that are pending. */
  readonly #pending = new Set<(reason: unknown) => void>();
  #gone: HashnestError | undefined;
  /** Dawn aborts the process when its instance or adapter is collected before the device. @internal */
  readonly keepAlive: readonly unknown[];

  private constructor(device: GPUDevice, info: GpuInfo, ownsDevice: boolean, keepAlive: readonly unknown[]) {
    this.device = device;
    this.info = info;
    this.#ownsDevice = ownsDevice;
    this.keepAlive = keepAlive;
    this.spare = new SpareBuffers(this);
    device.lost.then(({ reason = 'unknown', message }) =>
      this.#leave(new DeviceLostError(`the GPU device was lost (${reason}): ${message}`)),
    );
  }

  /** Opens the best device there is: a real GPU first, a software one where there is none. */
  static async open(options: OpenOptions = {}): Promise<Gpu> {
    requireOpenOptions(options);
    const { device, info, keepAlive } = await openDevice(options);
    return new Gpu(device, info, true, keepAlive);
  }

  /** Uses a device that you opened; `destroy()` then leaves it alone. One of WebGPU's compatibility mode allows too little, and is refused. */
  static from(device: GPUDevice): Gpu {
    if (!device?.queue) refuse('device', 'a GPUDevice', device);
    // Kernels need workgroups of the size that all others allow.
    if (device.limits.maxComputeInvocationsPerWorkgroup < 256) {
      throw new UnsupportedError('the device is of the compatibility mode: request core-features-and-limits');
    }
    return new Gpu(device, describe((device as { adapterInfo?: GPUAdapterInfo }).adapterInfo), false, []);
  }

  #leave(reason: HashnestError): void {
    this.#gone ??= reason;
    for (const reject of this.#pending) reject(this.#gone);
    this.#pending.clear();
  }

  /** A device that does nothing, and the pipelines that were to run on it. @internal */
  static rehearsing(device: GPUDevice, info: GpuInfo, texts: PipelineText[]): Gpu {
    const gpu = new Gpu(device, info, false, []);
    gpu.listeners.add((text) => texts.push(text));
    return gpu;
  }

  get limits(): GPUSupportedLimits {
    return this.device.limits;
  }

  /** Lanes of a subgroup, where kernels may use them and all have the same number. @internal */
  get subgroupSize(): number | undefined {
    const { features, adapterInfo } = this.device as GPUDevice & { readonly adapterInfo?: GPUAdapterInfo };
    const { subgroupMinSize, subgroupMaxSize } = adapterInfo ?? {};
    return features.has('subgroups') && subgroupMinSize === subgroupMaxSize ? subgroupMaxSize : undefined;
  }

  /** Settles when the device is lost or destroyed, with the reason. */
  get lost(): Promise<GPUDeviceLostInfo> {
    return this.device.lost;
  }

  /** Throws what happened to the device, if it is gone. @internal */
  assertAlive(): void {
    if (this.#gone) throw this.#gone;
  }

  /** @internal */
  get isAlive(): boolean {
    return this.#gone === undefined;
  }

  /** Creates a labelled buffer: of whole words, and 16 bytes at least. Without `usage` it is a storage buffer that can be copied from and to. One larger than the device's `maxBufferSize` is a `TooLargeError`. */
  createBuffer(label: string, bytes: number, usage?: GPUBufferUsageFlags): GPUBuffer {
    this.assertAlive();
    requireWhole(bytes, 'bytes');
    const most = this.limits.maxBufferSize;
    if (bytes > most) throw new TooLargeError(`a buffer of ${bytes} bytes: this device makes none above ${most}`, most);
    return this.device.createBuffer({
      label: `hashnest/${label}`,
      // Bindings must not be empty, and copies move whole words.
      size: Math.max(16, Math.ceil(bytes / WORD_BYTES) * WORD_BYTES),
      usage: usage ?? USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST,
    });
  }

  /** Creates a storage buffer that holds `data`. */
  upload(label: string, data: ArrayBufferView): GPUBuffer {
    if (!ArrayBuffer.isView(data)) refuse('data', 'a typed array', data);
    const buffer = this.createBuffer(label, data.byteLength);
    try {
      this.write(buffer, data);
      return buffer;
    } catch (error) {
      buffer.destroy();
      throw error;
    }
  }

  /** Writes data to the beginning of a buffer, or from `offset` on, ahead of all that is submitted later. */
  write(buffer: GPUBuffer, data: ArrayBufferView, offset = 0): void {
    const { queue } = this.device;
    if (arrayKind(data)) requireAttached(data, 'data');
    requireWhole(offset, 'offset');
    const bytes = plainBytes(data);
    const whole = bytes.length - (bytes.length % 4);
    // Nothing is not written: Deno 2.9 panics over that.
    for (let at = 0; at < whole; at += PIECE_BYTES) {
      const size = Math.min(PIECE_BYTES, whole - at);
      queue.writeBuffer(buffer, offset + at, bytes.buffer, bytes.byteOffset + at, size);
      // Sends it off, so that the next piece gets the same memory of the driver's.
      if (size >= LARGE_BYTES) queue.submit([]);
    }
    if (whole < bytes.length) {
      const rest = new Uint8Array(4);
      rest.set(bytes.subarray(whole));
      queue.writeBuffer(buffer, offset + whole, rest);
    }
  }

  /** Creates several buffers, or none: what does not fit is a typed error. @internal */
  async allocate(
    specs: readonly { label: string; bytes: number; usage?: GPUBufferUsageFlags }[],
  ): Promise<GPUBuffer[]> {
    return this.made((keep) => specs.map(({ label, bytes, usage }) => keep(this.createBuffer(label, bytes, usage))));
  }

  /** Runs calls that make buffers, like `checked`. `keep` is told of each one: if anything goes wrong, they are destroyed. @internal */
  async made<T>(calls: (keep: (buffer: GPUBuffer) => GPUBuffer) => T): Promise<T> {
    const kept: GPUBuffer[] = [];
    const keep = (buffer: GPUBuffer): GPUBuffer => {
      kept.push(buffer);
      return buffer;
    };
    try {
      return await this.checked(() => calls(keep));
    } catch (error) {
      for (const buffer of kept) buffer.destroy();
      throw error;
    }
  }

  /** A uniform buffer with these words, filled at creation and never written again, so encoded calls may share it. */
  constants(...words: readonly number[]): GPUBuffer {
    this.assertAlive();
    const key = words.join();
    let buffer = this.#constants.get(key);
    if (!buffer) {
      buffer = this.device.createBuffer({
        label: 'hashnest/constants',
        // Uniforms are padded to 16 bytes.
        size: Math.max(16, Math.ceil(words.length / 4) * 16),
        usage: USAGE.UNIFORM | USAGE.STORAGE,
        mappedAtCreation: true,
      });
      new Uint32Array(buffer.getMappedRange()).set(words);
      buffer.unmap();
      const oldest = this.#constants.keys().next();
      if (this.#constants.size >= CONSTANTS_KEPT && !oldest.done) this.#constants.delete(oldest.value);
      this.#constants.set(key, buffer);
    }
    return buffer;
  }

  /** Words that are used by one call only, as a uniform that moves: they take no buffer and no bind group of their own. @internal */
  wordsOnce(words: Uint32Array): BufferView {
    this.assertAlive();
    return this.#rows.next(words);
  }

  /**
   * Records commands, submits them, and returns the wanted parts of buffers. Out of memory, device loss and validation
   * faults reject with typed errors.
   * @example
   * const [bytes] = await gpu.run((encoder) => map.encodeGet(encoder, io), [{ buffer: io.values, bytes: 4096 }]);
   */
  async run(record: (encoder: GPUCommandEncoder) => void, reads: readonly Readback[] = []): Promise<ArrayBuffer[]> {
    within('Gpu.run', () => {
      if (typeof record !== 'function') refuse('record', 'a function', record);
      if (!Array.isArray(reads)) refuse('reads', 'an array of { buffer, bytes }', reads);
    });
    return performNow(this, record, reads);
  }

  /**
   * What is in a buffer, as an array of that type: all of it, or `length` numbers from `offset` bytes on. It waits for all that was
   * submitted before. Buffers that `createBuffer` and `upload` made may be a little longer than what was asked for.
   * @example
   * const prices = await gpu.read(buffer, Float32Array, { length: 1000 });
   */
  async read<Numbers>(buffer: GPUBuffer, type: ArrayType<Numbers>, options: ReadOptions = {}): Promise<Numbers> {
    const part = within('Gpu.read', () => partOf(buffer, type, options));
    const [bytes] = await this.run(() => {}, [part]);
    return new type(bytes as ArrayBuffer);
  }

  /** Runs synchronous WebGPU calls and turns what goes wrong in them, now or later, into typed errors. @internal */
  checked<T>(calls: () => T): Promise<T> {
    const { result, failure } = this.watched(calls);
    return this.guard(failure).then((error) => {
      if (error) throw error;
      return result;
    });
  }

  /** Like `checked`, for callers that need the result at once: `failure` tells later whether it was any good. @internal */
  watched<T>(calls: () => T): { result: T; failure: Promise<HashnestError | undefined> } {
    this.assertAlive();
    const { device } = this;
    device.pushErrorScope('validation');
    device.pushErrorScope('out-of-memory');
    let result: T;
    let memory: Promise<GPUError | null>;
    let fault: Promise<GPUError | null>;
    try {
      result = calls();
    } finally {
      memory = device.popErrorScope();
      fault = device.popErrorScope();
    }
    const failure = Promise.all([memory, fault]).then(([outOfMemory, invalid]) => {
      if (outOfMemory) {
        this.spare.release();
        return new OutOfMemoryError(`the GPU is out of memory: ${outOfMemory.message}`);
      }
      if (invalid) return new GpuFaultError(`WebGPU refused a call: ${invalid.message}`);
      return undefined;
    });
    failure.catch(() => {});
    return { result, failure };
  }

  /** Rejects if the device is lost or this Gpu destroyed before the promise settles. @internal */
  async guard<T>(promise: Promise<T>): Promise<T> {
    // Whoever waits for it no longer does so once the device is gone.
    promise.catch(() => {});
    this.assertAlive();
    let leave: (reason: unknown) => void = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        leave = reject;
        this.#pending.add(leave);
        promise.then(resolve, reject);
      });
    } catch (error) {
      // A lost device also fails the pending call itself, sometimes first.
      await Promise.resolve();
      if (this.#gone || error instanceof HashnestError) throw this.#gone ?? error;
      throw new GpuFaultError(`WebGPU failed: ${error}`, { cause: error });
    } finally {
      this.#pending.delete(leave);
    }
  }

  /** Frees the buffers that are kept for later calls on the host face, at most 512 MiB. */
  trim(): void {
    this.spare.release();
  }

  /** Lets go of the device. Calls that are pending or made later are rejected. */
  destroy(): void {
    this.#leave(new DestroyedError('this Gpu was destroyed'));
    for (const buffer of this.#constants.values()) buffer.destroy();
    this.#constants.clear();
    this.spare.release();
    this.#rows.destroy();
    if (this.#ownsDevice) this.device.destroy();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}
