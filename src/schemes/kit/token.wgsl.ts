/**
 * What stands for an item in the one word that atomics can claim or move. With one-word keys it is the key, and a
 * copy meets itself. With wider keys it is the item's rank, through which the key is read from the input.
 */
import type { KeyType } from '../../keys/index.ts';
import { type Binding, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { type Duplicates, STATUS } from '../contract/index.ts';

/** What stands for an item in the one word that atomics move: its key, or its rank (`rankOf`), through which the key is read. */
export type Token = 'key' | 'rank';

/** What keys of this type are claimed by. */
export const tokenOf = ({ isWord }: KeyType): Token => (isWord ? 'key' : 'rank');

const rankOfFirst = wgsl`fn rank(item: u32) -> u32 { return item; }`;
const rankOfLast = wgsl`fn rank(item: u32) -> u32 { return 0xfffffffeu - item; }`;

/**
 * WGSL: `(item: u32) -> u32`, its own inverse. Ranks order the copies of a key so that the least rank wins; all ones
 * stays free to mean empty.
 */
export const rankOf = (duplicates: Duplicates): Wgsl => (duplicates === 'last' ? rankOfLast : rankOfFirst);

/**
 * WGSL: `(at: u32, token: u32) -> u32`, puts a token into an empty word of `slots`, an `array<atomic<u32>>`. Returns what
 * stood there before: `empty` if the token stands there now, or if the status says that the attempt is lost.
 */
export const tryClaim = (header: Binding, slots: Binding, empty = 0xffff_ffff): Wgsl => wgsl`
fn tryClaim(at: u32, token: u32) -> u32 {
  // Retry: compare-exchange may fail spuriously.
  for (var i = 0u; i < 1000u; i++) {
    let result = atomicCompareExchangeWeak(&${slots}[at], ${empty}u, token);
    if (result.exchanged) { return ${empty}u; }
    if (result.old_value != ${empty}u) { return result.old_value; }
  }
  atomicOr(&${header}.status, ${STATUS.retry}u);
  return ${empty}u;
}`;
