import { where } from './calls.ts';

/** What went wrong, for programs: these words are stable. */
export type ErrorCode =
  | 'invalid-input'
  | 'unsupported'
  | 'too-large'
  | 'build-failed'
  | 'duplicate-key'
  | 'bad-format'
  | 'destroyed'
  | 'no-gpu'
  | 'device-lost'
  | 'out-of-memory'
  | 'gpu-fault'
  | 'load-failed';

/**
 * Every error that Hashnest throws on purpose. `code` is stable and meant for programs; the message is meant for people
 * and says what to do.
 */
export abstract class HashnestError extends Error {
  abstract readonly code: ErrorCode;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The arguments make no sense together; nothing was allocated or changed. */
export class InvalidInputError extends HashnestError {
  readonly code = 'invalid-input';

  constructor(message: string, options?: { cause?: unknown }) {
    super(where() + message, options);
  }
}

/** What was asked for is legal but this scheme, key type or device cannot do it. */
export class UnsupportedError extends HashnestError {
  readonly code = 'unsupported';

  constructor(message: string, options?: { cause?: unknown }) {
    super(where() + message, options);
  }
}

/** The table would not fit the device. */
export class TooLargeError extends HashnestError {
  readonly code = 'too-large';

  constructor(
    message: string,
    /** The largest number of items that would have fitted; of a buffer by itself, of bytes. */
    readonly largestItems: number,
  ) {
    super(where() + message);
  }
}

/** No arrangement of the items was found within the allowed attempts. */
export class BuildError extends HashnestError {
  readonly code = 'build-failed';

  constructor(
    message: string,
    /** Items that found no slot in the last attempt. */
    readonly itemsLeft: number,
    readonly attempts: number,
  ) {
    super(message);
  }
}

/** A key occurs twice although `duplicates` is `'error'` or `'unique'`. */
export class DuplicateKeyError extends HashnestError {
  readonly code = 'duplicate-key';

  constructor(
    message: string,
    /** Position in the input of one item whose key occurs elsewhere too. */
    readonly index: number,
  ) {
    super(message);
  }
}

/** Bytes that are not a saved table, or not one that this call can open. */
export class FormatError extends HashnestError {
  readonly code = 'bad-format';
}

/** The table, workspace or Gpu was destroyed before the call. */
export class DestroyedError extends HashnestError {
  readonly code = 'destroyed';
}

/** There is no usable GPU, not even a software one. */
export class NoGpuError extends HashnestError {
  readonly code = 'no-gpu';
}

/** The device went away; every table on it is gone. Open a new Gpu and build again. */
export class DeviceLostError extends HashnestError {
  readonly code = 'device-lost';
}

/** The device ran out of memory. */
export class OutOfMemoryError extends HashnestError {
  readonly code = 'out-of-memory';
}

/** WebGPU refused something; this is a fault in Hashnest or in the driver, or a buffer that was not made for this use. */
export class GpuFaultError extends HashnestError {
  readonly code = 'gpu-fault';
}

/** A part of the library that is loaded when it is first needed could not be: there was no network, or the file is not there. */
export class LoadError extends HashnestError {
  readonly code = 'load-failed';
}
