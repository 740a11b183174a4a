/**
 * Builds a region quickly where nothing is special about it: no more items than slots, no copies, no long walks. What it gives
 * up is left to `region.wgsl.ts`.
 *
 * Items go home. Those whose home is full go to their other bucket; if that is full too, they make somebody of either bucket
 * move who has room elsewhere; the last few walk.
 */
import { join, type Kernel, kernel, unrolled, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { Bucket } from '../kit/bucket.wgsl.ts';
import { bucketCode } from './layout.wgsl.ts';
import { clearOverflow } from './overflow.wgsl.ts';
import type { BuildParts } from './parcels.wgsl.ts';
import { type QuickSlots, quickSlots } from './quickSlots.wgsl.ts';
import { DONE, lookThrough, noteGivenUp, regionCursors, regionShape } from './regionInput.wgsl.ts';
import type { Way } from './shape.ts';
import { bucketsOut, keptWords, storePayload } from './writeBucket.wgsl.ts';

/** Parcels that a thread loads at a time; loops that are written out take more registers, and leave room for fewer workgroups. */
const LOADED = 2;

/** The kernel for parcels that came that way, with that many threads. */
export function quickRegionKernel(parts: BuildParts, way: Way, threads: number): Kernel {
  const { shape, view, parcels } = parts;
  const { header } = view;
  const first = wgsl`var<private> first: u32;`;
  const parcelAt = (number: WgslPart): WgslPart =>
    way.rooms ? wgsl`${parcels.buffer}[${first} + ${number}]` : parcels.fromInput(number);
  const slots = quickSlots(parts, parcelAt);
  const { homeless, mostHomeless, stuck, trouble, goHome, goAway, makeRoom, walk, walkers } = slots;
  const { meetCopies, meetCopyOf } = slots;

  const load = (k: number): Wgsl => wgsl`
    let item${k} = base + ${k * threads}u;
    let parcel${k} = ${parcelAt(`min(item${k}, count - 1u)`)};`;
  // A cursor that may be written is not the same for all threads as far as WGSL knows, so no thread leaves here.
  const arriveFromBin = wgsl`
  ${first} = region * ${regionShape}.z;
  let count = atomicLoad(&${regionCursors}[region]) - ${first};
  let fits = count <= min(${regionShape}.y, ${regionShape}.z);
  for (var base = thread; fits && base < count; base += ${LOADED * threads}u) {
    ${unrolled(LOADED, load)}
    ${unrolled(LOADED, (k) => wgsl`if (item${k} < count) { ${goHome}(parcel${k}, item${k}); }`)}
  }`;
  const arriveFromInput = wgsl`
  let fits = true;
  if (thread == 0u) { atomicStore(&${regionCursors}[region], 0u); }
  ${lookThrough(parts, threads, (k) => wgsl`${goHome}(parcel${k}, item${k});`)}`;

  return kernel({
    label: 'bucketCuckoo/quickRegion',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  let region = group;
  if (region >= ${regionShape}.x) { return; }
  ${clearOverflow(shape, header, threads)}
  ${way.rooms ? arriveFromBin : arriveFromInput}
  workgroupBarrier();

  let isOrdinary = fits && atomicLoad(&${homeless}) <= ${mostHomeless}u;
  let waiting = select(0u, atomicLoad(&${homeless}), isOrdinary);
  var crowdedOut = 0u; // a bit for each of the thread's items whose buckets are both full
  for (var i = thread; i < waiting; i += ${threads}u) {
    if (!${goAway}(i)) { crowdedOut |= 1u << (i / ${threads}u); }
  }
  workgroupBarrier();
  for (var left = crowdedOut; left != 0u; left &= left - 1u) {
    ${makeRoom}(firstTrailingBit(left) * ${threads}u + thread);
  }
  workgroupBarrier();
  if (thread < ${walkers}u) {
    for (var i = thread; i < atomicLoad(&${stuck}) && atomicLoad(&${trouble}) == 0u; i += ${walkers}u) { ${walk}(i); }
  }
  workgroupBarrier();
  ${meetCopyOf ? wgsl`if (atomicLoad(&${stuck}) > 0u) { for (var i = thread; i < ${regionShape}.y; i += ${threads}u) { ${meetCopyOf}(i); } }` : ''}
  for (var left = crowdedOut; left != 0u; left &= left - 1u) {
    ${meetCopies}(firstTrailingBit(left) * ${threads}u + thread);
  }
  for (var b = thread; b < ${header}.bucketsPerRegion; b += ${threads}u) {
    ${writeQuickly(parts, slots, parcelAt)}(region, b);
  }
  ${shape.payloadWords > 0 ? writePayload(parts, slots, threads, parcelAt) : ''}
  workgroupBarrier();
  if (thread == 0u) {
    if (isOrdinary && atomicLoad(&${trouble}) == 0u) {
      atomicStore(&${regionCursors}[region], ${DONE});
    } else { ${way.gathers === 'none' ? noteGivenUp : ''} }
  }`,
  });
}

/** WGSL: `(region: u32, b: u32)`, writes a finished bucket to memory. Where one key occurs twice, there is trouble. */
function writeQuickly(
  { shape, view, parcels }: BuildParts,
  { word, tagOf, numberOf, homes, used, trouble, copiesAt }: QuickSlots,
  parcelAt: (number: WgslPart) => WgslPart,
): Wgsl {
  const { layout } = shape;
  const { slots: perBucket, inside } = layout;
  const code = bucketCode(layout);
  const each = Array.from({ length: perBucket }, (_, s) => s);
  const slotAt = (s: number) => `b * ${perBucket}u + ${s}u`;
  // All loads first, so that they are under way together.
  const load = (s: number): Wgsl => wgsl`
  let word${s} = ${word(slotAt(s))};
  let tag${s} = ${tagOf(`word${s}`)};
  ${inside > 0 ? wgsl`let number${s} = select(0u, ${numberOf(`word${s}`, slotAt(s))}, ${s}u < end);` : ''}
  ${inside > 0 ? wgsl`let parcel${s} = ${parcelAt(`number${s}`)};` : ''}`;
  const put = (s: number): Wgsl => wgsl`
  if (${s}u < end) {
    ${code.putTag(s, `tag${s}`)}
    ${inside > 0 ? code.putWords(s, keptWords(shape, parcels, `parcel${s}`)) : ''}
    ${
      s > 0
        ? `suspicious |= ${each
            .slice(0, s)
            .map((t) => `tag${t} == tag${s}`)
            .join(' || ')};`
        : ''
    }
  }`;
  const giveUp = wgsl`atomicStore(&${trouble}, 1u);`;
  // Tags may not tell keys.
  const lookCloser = wgsl`
    for (var s = 0u; s < end; s++) {
      if (${copiesAt}(b, s) > 1u) { ${giveUp} }
    }`;
  return wgsl`
fn writeQuickly(region: u32, b: u32) {
  var bucket: ${Bucket};
  var suspicious = false;
  let end = ${used}(b);
  let left = atomicLoad(&${homes}[b]) >> 16u;
  ${join(each.map(load), '')}
  ${join(each.map(put), '')}
  ${code.putClasses('left')}
  ${code.putCount('end')}
  ${bucketsOut}[region * ${view.header}.bucketsPerRegion + b] = bucket;
  if (suspicious) { ${shape.exact ? giveUp : lookCloser} }
}`;
}

/** Statements that write what is not in the buckets themselves: keys unless their tags tell them, and values. */
function writePayload(
  { shape, parcels }: BuildParts,
  { word, numberOf, used }: QuickSlots,
  threads: number,
  parcelAt: (number: WgslPart) => WgslPart,
): Wgsl {
  const { slots: perBucket } = shape.layout;
  return wgsl`
  for (var i = thread; i < ${regionShape}.y; i += ${threads}u) {
    if (i % ${perBucket}u < ${used}(i / ${perBucket}u)) {
      let slotWord = ${word('i')};
      let parcel = ${parcelAt(numberOf('slotWord', 'i'))};
      ${storePayload(shape, parcels, wgsl`region * ${regionShape}.y + i`)}
    }
  }`;
}
