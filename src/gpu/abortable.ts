import { refuse } from './arguments.ts';

/** What a call of the host face takes that may be given up. */
export interface Abortable {
  /** Gives the call up: it rejects with the reason of the signal, at once. What is on the GPU already runs to its end. */
  readonly signal?: AbortSignal;
}

/** Throws unless it is a signal; and its reason, if it says already that nobody wants the answer. */
export function requireSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  if (typeof signal?.throwIfAborted !== 'function') refuse('signal', 'an AbortSignal', signal);
  signal.throwIfAborted();
}

/** Waits for a call, but no longer than the signal allows; what comes too late is discarded. */
export async function abortable<T>(
  signal: AbortSignal | undefined,
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
