import { storage, wgsl } from '../../wgsl/index.ts';
import type { ValueStore } from '../contract/index.ts';

/** Where the one-word values of a table of buckets are, in words. */
export interface BucketValues {
  /** Slots and words of a bucket. */
  readonly slots: number;
  readonly bucketWords: number;
  /** The word of a bucket that the first value is in, if they are inside. */
  readonly inside?: number | undefined;
  /** Otherwise: words beside the buckets for every slot, and those of them before the value. */
  readonly sideWords: number;
  readonly keyWords: number;
}

/** Replaces values that are in their buckets, or behind their keys beside them. */
export function bucketValueStore({ slots, bucketWords, inside, sideWords, keyWords }: BucketValues): ValueStore {
  const buckets = storage('buckets', 'array<u32>', 'read_write');
  const side = storage('side', 'array<u32>', 'read_write');
  return {
    store: wgsl`
fn storeValue(slot: u32, value: u32) {
  ${
    inside === undefined
      ? wgsl`${side}[slot * ${sideWords}u + ${keyWords}u] = value;`
      : wgsl`${buckets}[(slot / ${slots}u) * ${bucketWords}u + ${inside}u + slot % ${slots}u] = value;`
  }
}`,
    bind: (table) => [
      [buckets, table.get('buckets')],
      [side, table.get('side')],
    ],
  };
}
