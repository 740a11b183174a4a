import { wordsOf } from '../../keys/index.ts';
import { join, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../contract/header.wgsl.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { OWN } from './geometry.wgsl.ts';
import { Bucket, bucketCode } from './layout.wgsl.ts';
import { shapeOf } from './plan.ts';
import type { recordsOf } from './records.wgsl.ts';

/** A slot in workgroup memory that nobody has. */
export const NONE = '0xffffffffu';

export const bucketsOut = storage('buckets', wgsl`array<${Bucket}>`, 'read_write');
export const sideOut = storage('side', 'array<u32>', 'read_write');

/** The function that writes one finished bucket to memory, and notices copies in it. */
export function writeBucketCode(parts: {
  readonly plan: TablePlan;
  readonly records: ReturnType<typeof recordsOf>;
  readonly slots: Wgsl;
  readonly homes: Wgsl;
  readonly start: Wgsl;
  readonly locate: Wgsl;
  readonly placeOf: Wgsl;
  readonly reportCopy: Wgsl;
  readonly onCopy: Wgsl;
  readonly sameKey: (a: WgslPart, b: WgslPart) => WgslPart;
}): Wgsl {
  const { plan, records, slots, homes, start, locate, placeOf, reportCopy, onCopy, sameKey } = parts;
  const { key, valueWords } = plan;
  const { layout, exact, payloadWords } = shapeOf(plan);
  const code = bucketCode(layout);
  const each = Array.from({ length: layout.slots }, (_, s) => s);
  const payload: WgslPart[] = [
    ...(exact ? [] : wordsOf(key.words, 'storedKey')),
    ...(layout.inlineValues ? [] : wordsOf(valueWords, 'storedValue')),
  ];
  const storePayload = (s: number): Wgsl => wgsl`
    ${exact ? '' : wgsl`let storedKey = ${records.storedKey('record')};`}
    ${layout.inlineValues || valueWords === 0 ? '' : wgsl`let storedValue = ${records.value('record')};`}
    ${join(
      payload.map(
        (word, w) => wgsl`${sideOut}[(whole * ${layout.slots}u + ${s}u) * ${payloadWords}u + ${w}u] = ${word};`,
      ),
      '\n    ',
    )}`;
  // All loads first, so that they are under way together.
  const loadSlot = (s: number): Wgsl => wgsl`
  let item${s} = atomicLoad(&${slots}[b * ${layout.slots}u + ${s}u]);
  let used${s} = item${s} != ${NONE};
  let record${s} = ${records.readable}[${start} + select(0u, item${s}, used${s})];`;
  const putSlot = (s: number): Wgsl => {
    const sameTag = each.slice(0, s).map((t) => `tag${t} == tag${s}`);
    return wgsl`
  let place${s} = ${locate}(${records.hash(`record${s}`)});
  let isAway${s} = used${s} && place${s}.home != b;
  let tag${s} = select(${NONE}, (place${s}.remainder << 1u) | u32(isAway${s}), used${s});
  if (used${s}) {
    let record = record${s};
    used = ${s + 1}u;
    ${code.putTag(s, `tag${s}`)}
    ${layout.inlineValues ? code.putValue(s, records.value('record')) : storePayload(s)}
    away |= select(0u, ${1 << s}u, isAway${s});
    ${s > 0 ? `suspects |= select(0u, ${1 << s}u, ${sameTag.join(' || ')});` : ''}
  }`;
  };
  // A tag is no more than a part of the hash.
  const compareWithEarlier = wgsl`
    for (var t = 0u; t < s; t++) {
      let other = atomicLoad(&${slots}[b * ${layout.slots}u + t]);
      if (other != ${NONE} && ${sameKey('item', 'other')}) { ${onCopy} }
    }`;
  return wgsl`
fn writeBucket(region: u32, b: u32) {
  var bucket: ${Bucket};
  var used = 0u;
  var away = 0u;
  var suspects = 0u; // slots with the tag of an earlier one
  let whole = region * ${buildHeader}.${OWN.bucketsPerRegion} + b;
  ${join(each.map(loadSlot), '')}
  ${join(each.map(putSlot), '')}
  let left = atomicLoad(&${homes}[b]) >> 16u;
  ${code.putClasses('left')}
  ${code.putCount('used')}
  ${bucketsOut}[whole] = bucket;
  for (; suspects != 0u; suspects &= suspects - 1u) {
    let s = firstTrailingBit(suspects);
    let item = atomicLoad(&${slots}[b * ${layout.slots}u + s]);
    ${exact ? onCopy : compareWithEarlier}
  }
  for (; away != 0u; away &= away - 1u) {
    let item = atomicLoad(&${slots}[b * ${layout.slots}u + firstTrailingBit(away)]);
    ${reportCopy}(item, ${placeOf}(item).home);
  }
}`;
}
