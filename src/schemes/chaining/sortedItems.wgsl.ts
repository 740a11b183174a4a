/** The items in the order of their buckets, as the kernels behind the sort see them. */
import type { HashFamily } from '../../hashing/index.ts';
import { storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../header.ts';
import type { Duplicates } from '../scheme.ts';
import { dropsCopies, type Sorting } from './sorting.ts';

/** The word that an item is sorted by, before and after. */
export const sortKeys = storage('sortKeys', 'array<u32>', 'read_write');
export const sorted = storage('sorted', 'array<u32>');
/** Which item of the input stands there. */
export const order = storage('order', 'array<u32>');
export const orderOut = storage('order', 'array<u32>', 'read_write');
/** Whether an item is dropped, as 1 or 0; after the scan, how many before it are. */
export const dropped = storage('dropped', 'array<u32>');
export const droppedOut = storage('dropped', 'array<u32>', 'read_write');

/** `bucketOf(word, buckets)`: the bucket of an item, from the word that it was sorted by. */
export const bucketOf = ({ by }: Sorting, family: HashFamily): Wgsl => wgsl`
fn bucketOf(word: u32, buckets: u32) -> u32 {
  return ${by === 'hash' ? wgsl`${family.reduce}(word, buckets)` : 'word'};
}`;

/** `slotAt(at)`: the slot of the item that stands there, or of the next that is kept; for the count, the end of all slots. */
export const slotAt = (duplicates: Duplicates): Wgsl =>
  dropsCopies(duplicates)
    ? wgsl`
fn slotAt(at: u32) -> u32 {
  if (at < ${buildHeader}.count) { return at - ${dropped}[at]; }
  return at - atomicLoad(&${buildHeader}.copies);
}`
    : wgsl`
fn slotAt(at: u32) -> u32 {
  return at;
}`;
