/**
 * A stable sort of few items by one workgroup, in one dispatch. The kernels of the radix sort are many times as long, and drivers take as
 * much longer to compile them.
 */
import { extentCount } from '../gpu/index.ts';
import { type Binding, type Kernel, kept, kernel, wgsl } from '../wgsl/index.ts';
import {
  eachOfTile,
  MERGE_THREADS,
  MERGE_TILE,
  mergePath,
  sortTile,
  tileLeads,
  tileOrder,
} from './mergeSortTile.wgsl.ts';
import { digitOf } from './radixKernels.wgsl.ts';
import { keysOut, valuesOut } from './radixScatter.wgsl.ts';

/** The most items that it takes. */
export const FEW_ITEMS = MERGE_TILE;

/** Of equal digits the one that came first stays first: there is nothing else to compare. */
const path = mergePath(tileLeads, tileOrder, wgsl`fn isLessThan(itemA: u32, itemB: u32) -> bool { return false; }`);

/** The kernel, by where the keys and the values lie before: in buffers of their own, or where they go. */
export const sortFew = kept((keysFrom: Binding, valuesFrom: Binding | undefined): Kernel => {
  const move = (from: Binding, to: Binding) => wgsl`
  ${eachOfTile((at, k) => wgsl`let ${to.name}${k} = ${from}[${tileOrder}[${at}]];`)}
  storageBarrier();
  ${eachOfTile((at, k) => wgsl`if (${at} < size) { ${to}[${at}] = ${to.name}${k}; }`)}`;
  return kernel({
    label: 'sort/few',
    threads: MERGE_THREADS,
    itemsPerGroup: MERGE_TILE,
    body: wgsl`
  let size = min(${extentCount}, ${MERGE_TILE}u);
  if (size == 0u) { return; }
  ${eachOfTile((at, k) => wgsl`let lead${k} = ${digitOf}(${keysFrom}[min(${at}, size - 1u)]);`)}
  ${eachOfTile((at, k) => wgsl`${tileLeads}[${at}] = lead${k}; ${tileOrder}[${at}] = ${at};`)}
  ${sortTile(path)}
  ${move(keysFrom, keysOut)}
  ${valuesFrom ? move(valuesFrom, valuesOut) : ''}`,
  });
});
