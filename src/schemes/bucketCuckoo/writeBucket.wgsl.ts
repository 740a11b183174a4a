import { wordsOf } from '../../keys/index.ts';
import { join, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { Bucket } from '../kit/bucket.wgsl.ts';
import { bucketCode } from './layout.wgsl.ts';
import type { Meetings } from './oneOfEachKey.wgsl.ts';
import type { Parcels } from './parcels.wgsl.ts';
import { NONE, type RegionState } from './regionState.wgsl.ts';
import type { Shape } from './shape.ts';

export const bucketsOut = storage('buckets', wgsl`array<${Bucket}>`, 'read_write');
export const sideOut = storage('side', 'array<u32>', 'read_write');

/** WGSL: `(region: u32, b: u32)`, writes a finished bucket to memory, and notices copies in it. */
export function writeBucket(state: RegionState, { onCopy, reportCopy }: Meetings): Wgsl {
  const { shape, view, parcels, slots, homes, parcelOf, isSameKey, locate, addressOf } = state;
  const { layout, exact } = shape;
  const code = bucketCode(layout);
  const each = Array.from({ length: layout.slots }, (_, s) => s);
  // All loads first, so that they are under way together.
  const loadSlot = (s: number): Wgsl => wgsl`
  let item${s} = atomicLoad(&${slots}[b * ${layout.slots}u + ${s}u]);
  let used${s} = item${s} != ${NONE};
  let parcel${s} = ${parcelOf(`select(0u, item${s}, used${s})`)};`;
  const putSlot = (s: number): Wgsl => {
    const sameTag = each.slice(0, s).map((t) => `tag${t} == tag${s}`);
    return wgsl`
  let address${s} = ${locate}(${parcels.hash(`parcel${s}`)});
  let isAway${s} = used${s} && address${s}.home != b;
  let tag${s} = select(${NONE}, (address${s}.remainder << 1u) | u32(isAway${s}), used${s});
  if (used${s}) {
    let parcel = parcel${s};
    used = ${s + 1}u;
    ${code.putTag(s, `tag${s}`)}
    ${layout.inside > 0 ? code.putWords(s, keptWords(shape, parcels, 'parcel')) : storePayload(shape, parcels, `whole * ${layout.slots}u + ${s}u`)}
    away |= select(0u, ${1 << s}u, isAway${s});
    ${s > 0 ? `suspects |= select(0u, ${1 << s}u, ${sameTag.join(' || ')});` : ''}
  }`;
  };
  // A tag is no more than a part of the hash.
  const compareWithEarlier = wgsl`
    for (var t = 0u; t < s; t++) {
      let other = atomicLoad(&${slots}[b * ${layout.slots}u + t]);
      if (other != ${NONE} && ${isSameKey('item', 'other')}) { ${onCopy} }
    }`;
  return wgsl`
fn writeBucket(region: u32, b: u32) {
  var bucket: ${Bucket};
  var used = 0u;
  var away = 0u;
  var suspects = 0u; // slots with the tag of an earlier one
  let whole = region * ${view.header}.bucketsPerRegion + b;
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
    ${reportCopy}(item, ${addressOf}(item).home);
  }
}`;
}

/** The words that a slot keeps of a parcel: those of the key that its tag does not tell, and the value. */
export const keptWords = ({ request, keptKeyWords }: Shape, parcels: Parcels, parcel: WgslPart): WgslPart[] => [
  ...(keptKeyWords > 0 ? wordsOf(request.key.words, parcels.storedKey(parcel)).slice(0, keptKeyWords) : []),
  ...wordsOf(request.valueWords, parcels.value(parcel)),
];

/** Statements that write those of `parcel` which are not in the bucket of its slot. */
export const storePayload = (shape: Shape, parcels: Parcels, slot: WgslPart): Wgsl =>
  join(
    keptWords(shape, parcels, 'parcel').map(
      (word, w) => wgsl`${sideOut}[(${slot}) * ${shape.payloadWords}u + ${w}u] = ${word};`,
    ),
    '\n    ',
  );
