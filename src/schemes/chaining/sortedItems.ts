/** The items in the order of their buckets, as the kernels behind the sort see them. */
import { type HashFamily, multiplyHigh } from '../../hashing/index.ts';
import { storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../header.ts';
import { dropsCopies } from './plan.ts';
import type { TablePlan } from '../scheme.ts';

/** The word that an item is sorted by, and once sorted. */
export const sortKeys = storage('sortKeys', 'array<u32>', 'read_write');
export const sorted = storage('sorted', 'array<u32>');
/** Which item of the input stands there. */
export const order = storage('order', 'array<u32>');
export const orderOut = storage('order', 'array<u32>', 'read_write');
/** Whether an item is dropped, as 1 or 0; after the scan, how many before it are. */
export const dropped = storage('dropped', 'array<u32>');
export const droppedOut = storage('dropped', 'array<u32>', 'read_write');

/**
 * What the items are sorted by.
 * - `bucket`: by nothing but the bucket, where the caller says that no key occurs twice.
 * - `hash`: by the first word of the hash. If a greater hash never means a lower bucket, that orders the buckets too, and
 *   in the same passes brings the copies of a key together.
 * - `secondHash`: first by the second word of the hash, which brings copies together; then, stably, by the bucket.
 */
export type Grouping = 'bucket' | 'hash' | 'secondHash';

export function groupingOf(family: HashFamily, { duplicates }: TablePlan): Grouping {
  if (duplicates === 'unique') return 'bucket';
  return family.reduce === multiplyHigh ? 'hash' : 'secondHash';
}

/** `bucketAt(at)`: the bucket of the item that stands there. */
export const bucketAt = (family: HashFamily, grouping: Grouping): Wgsl => wgsl`
fn bucketAt(at: u32) -> u32 {
  let word = ${sorted}[at];
  return ${grouping === 'hash' ? wgsl`${family.reduce}(word, ${buildHeader}.own.x)` : 'word'};
}`;

/** `slotAt(at)`: the slot of the item that stands there, or would if it were kept; for the count, the end of all slots. */
export const slotAt = ({ duplicates }: TablePlan): Wgsl =>
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
