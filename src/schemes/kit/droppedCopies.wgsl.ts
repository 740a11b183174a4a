/** Sorted items from which copies are dropped: the items behind a dropped one move up. */
import { storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../contract/header.wgsl.ts';
import type { Duplicates } from '../contract/scheme.ts';
import { forbidsCopies } from './copies.wgsl.ts';

/** Whether an item is dropped, as 1 or 0; after the scan, how many before it are. */
export const dropped = storage('dropped', 'array<u32>');
export const droppedOut = storage('dropped', 'array<u32>', 'read_write');

/**
 * `placeAt(at)`: the place of the item that stands there, or of the next that is kept, among those that are kept; for the
 * count, the end of all places. Where copies are an error, every item of a table that succeeds keeps its place.
 */
export const placeAt = (duplicates: Duplicates): Wgsl =>
  forbidsCopies(duplicates)
    ? wgsl`
fn placeAt(at: u32) -> u32 {
  return at;
}`
    : wgsl`
fn placeAt(at: u32) -> u32 {
  if (at < ${buildHeader}.count) { return at - ${dropped}[at]; }
  return at - atomicLoad(&${buildHeader}.copies);
}`;
