import { refuse } from './arguments.ts';

/** An `AbortSignal`, as far as it is needed here: not every project has the types of those. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** What a call of the host face takes that may be given up. */
export interface Abortable {
  /** An `AbortSignal` that gives the call up: it rejects with the reason of the signal, at once. What is on the GPU already runs to its end, but no array of yours gets answers any more. */
  readonly signal?: Signal;
}

/** What a call of the host face takes that sends its keys in several parts. */
export interface Followed extends Abortable {
  /**
   * Called with how many keys are answered, and how many there are, whenever some more are: keys are sent at most some millions at a
   * time. What it throws ends the call.
   */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Throws unless a call can be followed so, or if nobody wants the answer any more. */
export function requireFollowed({ signal, onProgress }: Followed): void {
  if (onProgress !== undefined && typeof onProgress !== 'function') refuse('onProgress', 'a function', onProgress);
  requireSignal(signal);
}

/** Throws unless it is a signal; and its reason, if it says already that nobody wants the answer. */
export function requireSignal(signal: Signal | undefined): void {
  if (signal === undefined) return;
  if (typeof signal?.throwIfAborted !== 'function') refuse('signal', 'an AbortSignal', signal);
  signal.throwIfAborted();
}

/** Waits for a call, but no longer than the signal allows; what comes too late is discarded. */
export async function abortable<T>(
  signal: Signal | undefined,
  call: Promise<T>,
  discard: (result: T) => void = () => {},
): Promise<T> {
  if (!signal) return call;
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
    // Somebody may have waited for something else before.
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([call, aborted]);
  } catch (error) {
    call.then(discard, () => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
