import { wgsl } from '../../wgsl/index.ts';
import { miss, type PlanRequest, type TableReader, type TableView } from '../contract/index.ts';
import { sortedReader } from '../kit/sortedTable.wgsl.ts';

/** Bisection for the first key that is not less than the needle. */
export const sortedArrayReader = (request: PlanRequest, view: TableView): TableReader =>
  sortedReader(
    request,
    view,
    ({ isLess, isEqual, hitAt }) => wgsl`
  var low = 0u;
  var high = size;
  var probes = 0u;
  // The interval halves every time, so 32 rounds are enough for any size.
  for (; probes < 32u && low < high; probes++) {
    let middle = low + (high - low) / 2u;
    if (${isLess}(middle, lead, key)) { low = middle + 1u; } else { high = middle; }
  }
  if (low < size && ${isEqual}(low, lead, key)) {
    return ${hitAt('low', 'probes + 1u')};
  }
  return ${miss(request.valueWords, 'probes + u32(low < size)')};`,
    (size) => wgsl`slot < ${size}`,
  );
