import type { HashFamily } from '../../hashing/index.ts';
import { type Wgsl, wgsl } from '../../wgsl/index.ts';
import { hit, hitType, miss, type PlanRequest, sizeIn, type TableReader, type TableView } from '../contract/index.ts';
import { keyIn, slotEntry, valueIn } from '../kit/slot.wgsl.ts';

/** Listing 4.2: the bucket's first and last item are looked up, then its items are examined one by one. */
export function chainingReader(family: HashFamily, request: PlanRequest, view: TableView): TableReader {
  const { key, valueWords } = request;
  const { header } = view;
  const contents = view.buffer('contents');
  const starts = view.buffer('starts');
  return {
    // The two reads of `starts` are not counted as probes, as in Table 4.1.
    find: (needle) => wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let bucket = ${family.reduce}(${key.hash(needle, family)}(key, ${header}.hash).x, ${header}.buckets);
  // Word b tells where bucket b ends and bucket b + 1 begins.
  let start = select(0u, ${starts}[max(bucket, 1u) - 1u], bucket > 0u);
  let end = min(${starts}[bucket], arrayLength(&${contents}));
  for (var index = start; index < end; index++) {
    let slot = ${contents}[index];
    if (${key.equals(view.key, needle)}(${view.key.of(keyIn(request, 'slot'))}, key)) {
      return ${hit(valueWords, 'index', 'index - start + 1u', valueIn(request, 'slot'))};
    }
  }
  return ${miss(valueWords, 'max(end, start) - start')};
}`,
    entry: slotEntry(request, contents, wgsl`index < ${sizeIn(header)}`),
  };
}

/** Buckets lie one behind the other, and end where the items do. */
export function areSoundStarts(view: TableView): Wgsl {
  const { header } = view;
  const starts = view.buffer('starts');
  return wgsl`
fn isSoundStart(bucket: u32) -> bool {
  let start = select(0u, ${starts}[max(bucket, 1u) - 1u], bucket > 0u);
  let end = ${starts}[bucket];
  let size = ${sizeIn(header)};
  return start <= end && end <= size && (end == size || bucket + 1u < ${header}.buckets);
}`;
}
