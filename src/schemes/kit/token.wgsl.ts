/**
 * What stands for an item in the one word that atomics can claim or move. With one-word keys it is the key, and a
 * duplicate meets itself. With wider keys it is the item's rank, through which the key is read from the input.
 */
import { isOneWord } from '../../keys/index.ts';
import { type Binding, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { buildHeader, STATUS } from '../contract/header.wgsl.ts';
import type { Duplicates, TablePlan } from '../contract/scheme.ts';

export type Token = 'key' | 'rank';

export const tokenOf = (plan: TablePlan): Token => (isOneWord(plan.key) ? 'key' : 'rank');

/** Whether the copies of a key compete, so that the winner is known only when all have been seen. */
export const competes = (duplicates: Duplicates): boolean => duplicates === 'first' || duplicates === 'last';

const rankOfFirst = wgsl`fn rank(item: u32) -> u32 { return item; }`;
const rankOfLast = wgsl`fn rank(item: u32) -> u32 { return 0xfffffffeu - item; }`;

/**
 * WGSL: `(item: u32) -> u32`, its own inverse. Ranks order the copies of a key so that the least rank wins; all ones
 * stays free to mean empty.
 */
export const rankOf = (duplicates: Duplicates): Wgsl => (duplicates === 'last' ? rankOfLast : rankOfFirst);

/**
 * WGSL: `(at: u32, token: u32) -> u32`, puts a token into an empty word of `slots`. Returns what stood there before: all
 * ones if the token stands there now.
 */
export const tryClaim = (slots: Binding): Wgsl => wgsl`
fn tryClaim(at: u32, token: u32) -> u32 {
  // Retry: compare-exchange may fail spuriously.
  for (var i = 0u; i < 1000u; i++) {
    let result = atomicCompareExchangeWeak(&${slots}[at], 0xffffffffu, token);
    if (result.exchanged) { return 0xffffffffu; }
    if (result.old_value != 0xffffffffu) { return result.old_value; }
  }
  atomicOr(&${buildHeader}.status, ${STATUS.retry}u);
  return 0xffffffffu;
}`;
