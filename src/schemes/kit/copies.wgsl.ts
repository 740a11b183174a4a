import { wgsl } from '../../wgsl/index.ts';
import { buildHeader, STATUS } from '../contract/header.wgsl.ts';
import type { Duplicates } from '../contract/scheme.ts';

/** Whether two items of one key are an error. */
export const forbidsCopies = (duplicates: Duplicates): boolean => duplicates === 'error' || duplicates === 'unique';

/** `reportDuplicate(item)`: ends the build with the news that this item's key occurs elsewhere too. */
export const reportDuplicate = wgsl`
fn reportDuplicate(item: u32) {
  // The loads spare the atomics to nearly all of a million copies.
  if ((atomicLoad(&${buildHeader}.status) & ${STATUS.duplicate}u) == 0u) {
    atomicOr(&${buildHeader}.status, ${STATUS.duplicate}u);
  }
  if (item < atomicLoad(&${buildHeader}.example)) { atomicMin(&${buildHeader}.example, item); }
}`;
