/** A million strings become bytes in a worker, and the page that draws meanwhile only takes them over. */
import { type Gpu, HashMap, type PreparedKeys, utf8 } from 'hashnest';

/** In the worker: `addEventListener('message', ({ data }) => postMessage(...prepared(data)))`. What it posts is moved, not copied. */
export function prepared(names: readonly string[]): [message: Omit<PreparedKeys, 'type'>, moved: ArrayBuffer[]] {
  const { count, words, context = [] } = utf8.encode(names);
  return [{ count, words, context }, [words, ...context].map(({ buffer }) => buffer as ArrayBuffer)];
}

/** In the page: prepared strings go wherever arrays of strings do. */
export async function numbersOf(gpu: Gpu, names: Omit<PreparedKeys, 'type'>, queries: readonly string[]) {
  const values = Uint32Array.from({ length: names.count }, (_, i) => i);
  using numbers = await HashMap.from(gpu, { keys: { type: utf8, ...names }, values });
  return (await numbers.get(queries)).values;
}
