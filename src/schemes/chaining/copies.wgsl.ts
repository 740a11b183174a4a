import type { HashFamily } from '../../hashing/index.ts';
import type { KeyAccess } from '../../keys/index.ts';
import { type Kernel, kernel, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../contract/header.wgsl.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { reportDuplicate } from '../kit/copies.wgsl.ts';
import { droppedOut } from '../kit/droppedCopies.wgsl.ts';
import { order, sorted } from './sortedItems.wgsl.ts';
import type { Sorting } from './sorting.ts';

const THREADS = 256;

/**
 * How far a build for keys that are said to be unique looks for a copy. Few buckets are longer even at 0.1 buckets an item,
 * and of many copies of one key two are near each other in a bucket of any length.
 */
const TRUSTING_REACH = 64;

/** How the keys of the items are reached, and by what they are hashed. */
export interface KeysAt {
  readonly side: KeyAccess;
  readonly family: HashFamily;
  readonly sorting: Sorting;
  at(place: WgslPart): WgslPart;
}

/** Marks the copies that are dropped. */
export const markKernel = (plan: TablePlan, keys: KeysAt): Kernel =>
  kernel({
    label: 'chaining/mark',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  ${droppedOut}[item] = u32(${isCopy(plan, keys)}(item));`,
  });

/** Reports copies where there must be none. It runs on the finished buckets, whose keys lie side by side. */
export const checkKernel = (plan: TablePlan, keys: KeysAt): Kernel =>
  kernel({
    label: 'chaining/check',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  if (${isCopy(plan, keys)}(item)) { ${reportDuplicate}(${order}[item]); }`,
  });

/**
 * `isCopy(item)`: whether the same key stands nearer to the end from which copies are kept. The sort is stable, so copies
 * are in the order of the input; and only keys of equal hash can come between them, so that the nearest of a million
 * copies is found at once.
 */
function isCopy({ key, duplicates }: TablePlan, { side, family, sorting, at }: KeysAt): Wgsl {
  const [other, within] =
    duplicates === 'last'
      ? ['item + step', wgsl`item + step < ${buildHeader}.count`]
      : ['item - step', sorting.by === 'bucket' ? `step <= min(item, ${TRUSTING_REACH}u)` : 'step <= item'];
  const secondHash = (of: string) => wgsl`${key.hash(side, family)}(${of}, ${buildHeader}.hash).y`;
  return wgsl`
fn isCopy(item: u32) -> bool {
  for (var step = 1u; ${within}; step++) {
    let other = ${other};
    if (${sorted}[other] != ${sorted}[item]) { break; }
    let key = ${side.of(at('item'))};
    let otherKey = ${side.of(at('other'))};
    if (${key.equals(side, side)}(otherKey, key)) { return true; }
    ${sorting.by === 'secondHash' ? wgsl`if (${secondHash('otherKey')} != ${secondHash('key')}) { break; }` : ''}
  }
  return false;
}`;
}
