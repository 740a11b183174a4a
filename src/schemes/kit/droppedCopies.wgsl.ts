/** Sorted items from which copies are dropped: the items behind a dropped one move up. */
import { type Binding, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { Duplicates } from '../contract/index.ts';
import { forbidsCopies } from './copies.wgsl.ts';

/** Whether an item is dropped, as 1 or 0; after the scan, how many before it are. */
export const dropped = storage('dropped', 'array<u32>');
export const droppedOut = storage('dropped', 'array<u32>', 'read_write');

/**
 * WGSL: `(position: u32) -> u32`, how many kept items stand before that position of the sorted ones; for the count, how many
 * are kept in all. Where the policy forbids copies, every item of a table that succeeds is kept.
 */
export const keptBefore = (header: Binding, duplicates: Duplicates): Wgsl =>
  forbidsCopies(duplicates)
    ? wgsl`
fn keptBefore(position: u32) -> u32 {
  return position;
}`
    : wgsl`
fn keptBefore(position: u32) -> u32 {
  if (position < ${header}.count) { return position - ${dropped}[position]; }
  return position - atomicLoad(&${header}.copies);
}`;
