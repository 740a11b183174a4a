import type { HashFamily } from '../../hashing/index.ts';
import type { KeySide } from '../../keys/index.ts';
import { storage, wgsl } from '../../wgsl/index.ts';
import { header } from '../contract/header.wgsl.ts';
import { entryOf, entryType, hit, hitType, miss } from '../contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../contract/scheme.ts';
import { keyIn, slotsType, valueIn } from '../kit/slot.wgsl.ts';

/** Listing 4.2: the bucket's first and last item are looked up, then its items are examined one by one. */
export function chainingShader(family: HashFamily, plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const contents = storage('contents', slotsType(plan));
  const starts = storage('starts', 'array<u32>');
  const needle = key.access(side);
  const inTable = key.access('table');

  // The two reads of `starts` are not counted as probes, as in Table 4.1.
  const find = wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let bucket = ${family.reduce}(${key.hash(needle, family)}(key, ${header}.hash).x, ${header}.own.x);
  // Word b tells where bucket b ends and bucket b + 1 begins.
  let start = select(0u, ${starts}[max(bucket, 1u) - 1u], bucket > 0u);
  let end = ${starts}[bucket];
  for (var index = start; index < end; index++) {
    let slot = ${contents}[index];
    if (${key.equals(inTable, needle)}(${inTable.of(keyIn(plan, 'slot'))}, key)) {
      return ${hit(valueWords, 'index', 'index - start + 1u', valueIn(plan, 'slot'))};
    }
  }
  return ${miss(valueWords, 'end - start')};
}`;

  const entry = wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let slot = ${contents}[index];
  let present = index < ${header}.count - ${header}.copies;
  return ${entryOf(key.words, valueWords, 'present', keyIn(plan, 'slot'), valueIn(plan, 'slot'))};
}`;

  return {
    find,
    entry,
    bindings: new Map([
      ['header', header],
      ['contents', contents],
      ['starts', starts],
    ]),
  };
}
