/** Compiling for all of a first call at its beginning. What does it is loaded then. */
import { abortable, type Gpu, Later, requireSignal, type Signal } from '../gpu/index.ts';
import { rehearsedSource, type Source } from '../table/source.ts';
import type { IndexSettings } from './keyIndex/settings.ts';

const rehearsal = new Later(() => import('./ahead.later.ts'));

/**
 * Makes a call that submits several times. When it asks for a pipeline that nobody has asked for, it is rehearsed while that is compiled,
 * so that those of its later submissions are compiled beside it. How many keys differ is a guess, which may cost time but changes nothing
 * else.
 */
export async function askingAhead<T>(
  gpu: Gpu,
  items: number,
  call: () => Promise<T>,
  /** The same on a device that does nothing. */
  rehearsed: (idle: Gpu) => Promise<unknown>,
): Promise<T> {
  const { listeners } = gpu;
  // It is a rehearsal, or part of a call that will be rehearsed as a whole. One beside such a call only asks later.
  if (listeners.size > 0) return call();
  const rehearse = () => {
    listeners.delete(rehearse);
    // Behind the commands that are being recorded. What goes wrong is told by the call, if it meets it too.
    queueMicrotask(() => rehearsal.use(({ rehearseCalls }) => rehearseCalls(gpu, items, rehearsed)).catch(() => {}));
  };
  listeners.add(rehearse);
  try {
    return await call();
  } finally {
    listeners.delete(rehearse);
  }
}

/** Builds a collection that stands on an index. What the signal gives up is destroyed when it is there. */
export function builtOnIndex<T extends { destroy(): void }>(
  gpu: Gpu,
  { arrays }: Pick<IndexSettings<never>, 'arrays'>,
  source: Source,
  signal: Signal | undefined,
  build: (gpu: Gpu, source: Source) => Promise<T>,
): Promise<T> {
  requireSignal(signal);
  const call = () => build(gpu, source);
  const rehearsed = (idle: Gpu) => build(idle, rehearsedSource(source));
  // What is part of another call is rehearsed with that.
  const made = arrays ? call() : askingAhead(gpu, source.maxCount, call, rehearsed);
  return abortable(
    signal,
    made.finally(() => source.release()),
    (collection) => collection.destroy(),
  );
}
