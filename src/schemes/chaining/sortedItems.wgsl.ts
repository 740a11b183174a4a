/** The items in the order of their buckets, as the kernels behind the sort see them. */
import { storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { BuildView } from '../contract/index.ts';
import type { ChainingPlan } from './sorting.ts';

/** The word that an item is sorted by, before and after. */
export const sortKeys = storage('sortKeys', 'array<u32>', 'read_write');
export const sorted = storage('sorted', 'array<u32>');
/** Which item of the input stands there. */
export const order = storage('order', 'array<u32>');
export const orderOut = storage('order', 'array<u32>', 'read_write');

/** The key at that position in the order, as words: fetched from the input, or told by the hash that was sorted. */
export const keyAt = ({ sorting }: ChainingPlan, { header, keys }: BuildView, position: WgslPart): WgslPart =>
  sorting.unhash
    ? wgsl`${sorting.unhash}(${sorted}[${position}], ${header}.hash)`
    : keys.stored(wgsl`${order}[${position}]`);

/** WGSL: `(word: u32, buckets: u32) -> u32`, the bucket of an item, from the word that it was sorted by. */
export const bucketOf = ({ sorting, family }: ChainingPlan): Wgsl => wgsl`
fn bucketOf(word: u32, buckets: u32) -> u32 {
  return ${sorting.by === 'hash' ? wgsl`${family.reduce}(word, buckets)` : 'word'};
}`;
