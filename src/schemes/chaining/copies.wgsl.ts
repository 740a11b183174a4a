import { type Binding, type Kernel, kernel, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { BuildView } from '../contract/index.ts';
import { reportDuplicate } from '../kit/copies.wgsl.ts';
import { droppedOut } from '../kit/droppedCopies.wgsl.ts';
import { keyIn } from '../kit/slot.wgsl.ts';
import { keyAt, order, sorted } from './sortedItems.wgsl.ts';
import type { ChainingPlan } from './sorting.ts';

const THREADS = 256;

/**
 * How far a build for keys that are said to be unique looks for a copy. Few buckets are longer even at 0.1 buckets an item,
 * and of many copies of one key two are near each other in a bucket of any length.
 */
const TRUSTING_REACH = 64;

/** Marks the copies that are dropped. */
export const markKernel = (plan: ChainingPlan, view: BuildView): Kernel =>
  kernel({
    label: 'chaining/mark',
    threads: THREADS,
    body: wgsl`
  if (item >= ${view.header}.count) { return; }
  ${droppedOut}[item] = u32(${isCopy(plan, view, (position) => keyAt(plan, view, position))}(item));`,
  });

/** Reports copies where there must be none. It runs on the finished buckets, whose keys lie side by side. */
export const checkKernel = (plan: ChainingPlan, view: BuildView, contents: Binding): Kernel =>
  kernel({
    label: 'chaining/check',
    threads: THREADS,
    body: wgsl`
  if (item >= ${view.header}.count) { return; }
  if (${isCopy(plan, view, (position) => keyIn(plan.request, wgsl`${contents}[${position}]`))}(item)) {
    ${reportDuplicate(view.header)}(${order}[item]);
  }`,
  });

/**
 * WGSL: `(item: u32) -> bool`, whether the same key stands nearer to the end from which copies are kept. The sort is stable,
 * so copies are in the order of the input; and only keys of equal hash can come between them, so that the nearest of a
 * million copies is found at once.
 * @param stored the words of the key at a position; keys in a finished bucket still point into the bytes of the input
 */
function isCopy(plan: ChainingPlan, { header, keys }: BuildView, stored: (position: WgslPart) => WgslPart): Wgsl {
  const { request, family, sorting } = plan;
  const { key, duplicates } = request;
  const { access } = keys;
  const [other, isWithin] =
    duplicates === 'last'
      ? ['item + step', wgsl`item + step < ${header}.count`]
      : ['item - step', sorting.by === 'bucket' ? `step <= min(item, ${TRUSTING_REACH}u)` : 'step <= item'];
  const secondHash = (of: string) => wgsl`${key.hash(access, family)}(${of}, ${header}.hash).y`;
  return wgsl`
fn isCopy(item: u32) -> bool {
  for (var step = 1u; ${isWithin}; step++) {
    let other = ${other};
    if (${sorted}[other] != ${sorted}[item]) { break; }
    let key = ${access.of(stored('item'))};
    let otherKey = ${access.of(stored('other'))};
    if (${key.equals(access, access)}(otherKey, key)) { return true; }
    ${sorting.by === 'secondHash' ? wgsl`if (${secondHash('otherKey')} != ${secondHash('key')}) { break; }` : ''}
  }
  return false;
}`;
}
