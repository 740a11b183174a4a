/** The items in the order of their buckets, as the kernels behind the sort see them. */
import type { HashFamily } from '../../hashing/index.ts';
import { storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { Sorting } from './sorting.ts';

/** The word that an item is sorted by, before and after. */
export const sortKeys = storage('sortKeys', 'array<u32>', 'read_write');
export const sorted = storage('sorted', 'array<u32>');
/** Which item of the input stands there. */
export const order = storage('order', 'array<u32>');
export const orderOut = storage('order', 'array<u32>', 'read_write');

/** `bucketOf(word, buckets)`: the bucket of an item, from the word that it was sorted by. */
export const bucketOf = ({ by }: Sorting, family: HashFamily): Wgsl => wgsl`
fn bucketOf(word: u32, buckets: u32) -> u32 {
  return ${by === 'hash' ? wgsl`${family.reduce}(word, buckets)` : 'word'};
}`;
