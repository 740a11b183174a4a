import type { HashFamily } from '../../hashing/index.ts';
import type { KeyAccess } from '../../keys/index.ts';
import { type Binding, type Kernel, kernel, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../header.ts';
import { reportDuplicate } from '../reportDuplicate.ts';
import type { TablePlan } from '../scheme.ts';
import { keyIn } from '../slot.ts';
import { droppedOut, groupingOf, order, sorted } from './sortedItems.ts';

const THREADS = 256;

/**
 * How far back a build for keys that are said to be unique looks for a copy. Few buckets are longer even at 0.1 buckets an
 * item, and of many copies of one key two are near each other in any bucket.
 */
const TRUSTING_LOOK_BACK = 64;

/** Marks the copies that are dropped. */
export const markKernel = (family: HashFamily, plan: TablePlan, keys: Binding): Kernel =>
  kernel({
    label: 'chaining/mark',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  ${droppedOut}[item] = u32(${isCopy(family, plan, plan.key.access('input'), (at) => wgsl`${keys}[${order}[${at}]]`)}(item));`,
  });

/** Reports copies where there must be none. It runs on the finished buckets: their keys lie side by side. */
export const checkKernel = (family: HashFamily, plan: TablePlan, contents: Binding): Kernel =>
  kernel({
    label: 'chaining/check',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  if (${isCopy(family, plan, plan.key.access('table'), (at) => keyIn(plan, wgsl`${contents}[${at}]`))}(item)) {
    ${reportDuplicate}(${order}[item]);
  }`,
  });

/**
 * `isCopy(item)`: whether the same key stands nearer to the end that is kept. The sort is stable, so copies of a key are in
 * the order of the input. Only items with equal hashes can come between them, so one key a million times is found at once.
 */
function isCopy(family: HashFamily, plan: TablePlan, side: KeyAccess, keyAt: (at: string) => WgslPart): Wgsl {
  const { key, duplicates } = plan;
  const [other, within] =
    duplicates === 'last'
      ? ['item + step', wgsl`item + step < ${buildHeader}.count`]
      : ['item - step', wgsl`step <= ${duplicates === 'unique' ? `min(item, ${TRUSTING_LOOK_BACK}u)` : 'item'}`];
  const secondHash = (of: string) => wgsl`${key.hash(side, family)}(${of}, ${buildHeader}.hash).y`;
  return wgsl`
fn isCopy(item: u32) -> bool {
  for (var step = 1u; ${within}; step++) {
    let other = ${other};
    if (${sorted}[other] != ${sorted}[item]) { break; }
    let key = ${side.of(keyAt('item'))};
    let otherKey = ${side.of(keyAt('other'))};
    if (${key.equals(side, side)}(otherKey, key)) { return true; }
    ${groupingOf(family, plan) === 'secondHash' ? wgsl`if (${secondHash('otherKey')} != ${secondHash('key')}) { break; }` : ''}
  }
  return false;
}`;
}
