import { wgsl } from '../../wgsl/index.ts';
import { miss, type PlanRequest, type TableReader, type TableView } from '../contract/index.ts';
import { sortedReader } from '../kit/sortedTable.wgsl.ts';

/** Khuong and Morin 2015: from the root down to where the needle would hang, without a branch. */
export const eytzingerReader = (request: PlanRequest, view: TableView): TableReader =>
  sortedReader(
    request,
    view,
    ({ isLess, isEqual, hitAt }) => wgsl`
  var node = 1u;
  var probes = 0u;
  // Node numbers double every time, so 32 rounds are enough for any size.
  for (; probes < 32u && node <= size; probes++) {
    node = 2u * node + u32(${isLess}(node, lead, key));
  }
  // Every step to the right has left a one in the number. The last step to the left was taken at the first key that is not
  // less than the needle; without such a step there is none, and node 0 is nowhere.
  node >>= countTrailingZeros(~node) + 1u;
  if (node > 0u && ${isEqual}(node, lead, key)) {
    return ${hitAt('node', 'probes + 1u')};
  }
  return ${miss(request.valueWords, 'probes + u32(node > 0u)')};`,
    (size) => wgsl`slot > 0u && slot <= ${size}`,
  );
