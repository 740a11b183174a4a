import type { BufferView } from '../../src/gpu/index.ts';
import type { Count, Source } from '../../src/table/source.ts';

/** A source of items that are in buffers of the test's own, of any width. */
export const bufferSource = (items: {
  readonly keys: BufferView;
  readonly values: BufferView | undefined;
  readonly count: Count;
  readonly maxCount: number;
}): Source => ({
  count: items.count,
  maxCount: items.maxCount,
  contextBytes: undefined,
  load: () => ({ keys: items.keys, values: items.values, context: undefined }),
  release: () => {},
});
