/** Copies: items whose key another item has too. */
import { type Binding, kept, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { type Duplicates, STATUS } from '../contract/index.ts';

/** Whether two items of one key are an error. */
export const forbidsCopies = (duplicates: Duplicates): boolean => duplicates === 'error' || duplicates === 'unique';

/** Whether the copies of a key compete, so that the winner is known only when all have been seen. */
export const copiesCompete = (duplicates: Duplicates): boolean => duplicates === 'first' || duplicates === 'last';

/** WGSL: `(what: u32)`, ends the build with the news that a key occurs twice, and keeps the least of what was said of it in a field. */
const noteCopy = (field: 'example' | 'witness') =>
  kept(
    (header: Binding): Wgsl => wgsl`
fn noteCopy(what: u32) {
  // The loads spare the atomics to nearly all of a million copies.
  if ((atomicLoad(&${header}.status) & ${STATUS.duplicate}u) == 0u) {
    atomicOr(&${header}.status, ${STATUS.duplicate}u);
  }
  if (what < atomicLoad(&${header}.${field})) { atomicMin(&${header}.${field}, what); }
}`,
  );

/** WGSL: `(item: u32)`, this item's key occurs elsewhere too. */
export const reportDuplicate = noteCopy('example');

/**
 * WGSL: `(what: u32)`, a key that occurs twice was found, but no item that has it. `what` names the key: it is the key itself
 * or where it is. It waits in `header.witness` until items that have it are found.
 */
export const accuse = noteCopy('witness');
