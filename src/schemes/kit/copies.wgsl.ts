/** Copies: items whose key another item has too. */
import { type Binding, kept, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { type Duplicates, STATUS } from '../contract/index.ts';

/** Whether two items of one key are an error. */
export const forbidsCopies = (duplicates: Duplicates): boolean => duplicates === 'error' || duplicates === 'unique';

/** Whether the copies of a key compete, so that the winner is known only when all have been seen. */
export const copiesCompete = (duplicates: Duplicates): boolean => duplicates === 'first' || duplicates === 'last';

/** WGSL: `(item: u32)`, ends the build with the news that this item's key occurs elsewhere too. */
export const reportDuplicate = kept(
  (header: Binding): Wgsl => wgsl`
fn reportDuplicate(item: u32) {
  // The loads spare the atomics to nearly all of a million copies.
  if ((atomicLoad(&${header}.status) & ${STATUS.duplicate}u) == 0u) {
    atomicOr(&${header}.status, ${STATUS.duplicate}u);
  }
  if (item < atomicLoad(&${header}.example)) { atomicMin(&${header}.example, item); }
}`,
);

/**
 * WGSL: `(what: u32)`, a key that occurs twice was found, but no item that has it. `what` names the key: it is the key itself
 * or where it is. The least of them waits in `header.witness` until items that have it are found.
 */
export const accuse = kept(
  (header: Binding): Wgsl => wgsl`
fn accuse(what: u32) {
  // The loads spare the atomics to nearly all of a million copies.
  if ((atomicLoad(&${header}.status) & ${STATUS.duplicate}u) == 0u) {
    atomicOr(&${header}.status, ${STATUS.duplicate}u);
  }
  if (what < atomicLoad(&${header}.witness)) { atomicMin(&${header}.witness, what); }
}`,
);
