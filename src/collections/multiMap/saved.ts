/** The saved arrays of a multi-map: what is asked of them before it is opened, and how they come back. */
import { FormatError, type Gpu } from '../../gpu/index.ts';
import type { Opened, OpenRequest } from '../../table/saved/open.ts';
import type { ValueType } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { KeyIndex } from '../keyIndex/keyIndex.ts';
import { savedIndex } from '../keyIndex/saved.ts';
import { ArraysById } from '../onIndex.ts';
import { arrayIn, BOUND_WORDS } from './arrays.ts';

/** The arrays beside the index, in the order in which they are saved. */
const SAVED_ARRAYS = ['bounds', 'values'] as const;
export type SavedArray = (typeof SAVED_ARRAYS)[number];

/** The arrays and bounds beside the index. */
export const savedMultiMap: NonNullable<OpenRequest['beside']> = {
  buffers: [...savedIndex.buffers, ...SAVED_ARRAYS],
  entries: savedIndex.entries,
  check(opened: Opened): void {
    savedIndex.check(opened);
    const { size, count, extras, value, details } = opened;
    if (details.order !== 'input' && details.order !== 'any') {
      throw new FormatError(`the saved values are in the order '${details.order}'`);
    }
    const bounds = extras.get('bounds');
    const isWhole = bounds?.length === size * BOUND_WORDS * WORD_BYTES;
    if (!isWhole || !value || extras.get('values')?.length !== count * value.words * WORD_BYTES) {
      throw new FormatError('the saved values do not go with their keys');
    }
    requireBounds(new Uint32Array(bounds.buffer), count);
  },
};

/** Throws unless the values of every key are a range of all values, and these ranges together have as many. */
function requireBounds(bounds: Uint32Array, count: number): void {
  let total = 0;
  for (let i = 0; i < bounds.length; i += BOUND_WORDS) {
    const [start, end] = [bounds[i] as number, bounds[i + 1] as number];
    if (start > end || end > count) {
      throw new FormatError(`the saved values of a key go from ${start} to ${end}, of ${count}`);
    }
    total += end - start;
  }
  if (total !== count) throw new FormatError(`the saved keys have ${total} values together, and there are ${count}`);
}

/** A map from what was saved of it; `make` makes it from its index and its arrays. */
export function restoreArrays<K, Map extends { destroy(): void }>(
  gpu: Gpu,
  opened: Parameters<typeof KeyIndex.restore>[1],
  make: (index: KeyIndex<K>, own: ArraysById) => Map,
): Map {
  const { value, extras, items, count } = opened;
  // Room for an encoded rebuild, so that shaders can keep what they bound. The saved arrays are as long as they say.
  const room = Math.max(items, count);
  const own = new ArraysById(gpu);
  const map = make(KeyIndex.restore<K>(gpu, opened, room), own);
  try {
    const bytes = { values: room * (value as ValueType).words * WORD_BYTES, bounds: items * BOUND_WORDS * WORD_BYTES };
    for (const name of SAVED_ARRAYS) gpu.write(arrayIn(own, name, bytes[name]), extras.get(name) as Uint8Array);
    return map;
  } catch (error) {
    map.destroy();
    throw error;
  }
}
