/**
 * Builds a region quickly where nothing is special about it (`kit/quick/slots.wgsl.ts`). What it gives up is left to
 * `region.wgsl.ts`.
 */
import { type Kernel, kernel, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { Bucket } from '../kit/bucket.wgsl.ts';
import { arriveFromBin, eachItem, finishedBucket, type QuickBucket } from '../kit/quick/bucket.wgsl.ts';
import { HOME_BITS, type QuickShape, quickSlotsFit } from '../kit/quick/memory.wgsl.ts';
import { type QuickSlots, quickSlots } from '../kit/quick/slots.wgsl.ts';
import { Address, geometry } from './geometry.wgsl.ts';
import { bucketCode } from './layout.wgsl.ts';
import { clearOverflow } from './overflow.wgsl.ts';
import type { BuildParts } from './parcels.wgsl.ts';
import { DONE, lookThrough, noteGivenUp, regionCursors, regionShape } from './regionInput.wgsl.ts';
import { regionBuckets, type Shape, type Way } from './shape.ts';
import { bucketsOut, keptWords, storePayload } from './writeBucket.wgsl.ts';

/** Bits of the number of an item inside a region, or inside a whole input that is looked through. */
const REGION_NUMBER_BITS = 12;
const NUMBER_BITS = 16;

/** Whether anything of an item is wanted when its bucket is written, beside its tag. */
const needsNumbers = ({ exact, layout, payloadWords }: Shape): boolean =>
  !exact || layout.inside > 0 || payloadWords > 0;

const shapeOf = (shape: Shape): QuickShape => ({
  slots: shape.layout.slots,
  buckets: regionBuckets(shape),
  tagBits: shape.layout.tagBits,
  numberBits: needsNumbers(shape) ? (shape.way?.rooms ? REGION_NUMBER_BITS : NUMBER_BITS) : 0,
  isDense: !shape.isRoomy,
});

/** Whether a device has enough workgroup memory for it. */
export const quickRegionFits = (shape: Shape, limits: GPUSupportedLimits): boolean =>
  quickSlotsFit(shapeOf(shape), limits);

/** The kernel for parcels that came that way, with that many threads. */
export function quickRegionKernel(parts: BuildParts, way: Way, threads: number): Kernel {
  const { shape, view, parcels } = parts;
  const { header } = view;
  const first = wgsl`var<private> first: u32;`;
  const parcelAt = (number: WgslPart): WgslPart =>
    way.rooms ? wgsl`${parcels.buffer}[${first} + ${number}]` : parcels.fromInput(number);
  const addresses = addressesOf(parts, parcelAt);
  const slots = quickSlots(shapeOf(shape), addresses);
  const { trouble, goHome, settle } = slots;
  const arrive = (k: number): Wgsl => wgsl`${goHome}(${addresses.addressOfParcel(`parcel${k}`)}, item${k});`;

  // A cursor that may be written is not the same for all threads as far as WGSL knows, so no thread leaves here.
  const arriveByCursor = wgsl`
  ${first} = region * ${regionShape}.z;
  let count = atomicLoad(&${regionCursors}[region]) - ${first};
  let fits = count <= min(slotCount, ${regionShape}.z);
  ${arriveFromBin(threads, parcelAt, arrive)}`;
  const arriveFromInput = wgsl`
  let fits = true;
  if (thread == 0u) { atomicStore(&${regionCursors}[region], 0u); }
  ${lookThrough(parts, threads, arrive)}`;

  return kernel({
    label: 'bucketCuckoo/quickRegion',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  let region = group;
  if (region >= ${regionShape}.x) { return; }
  let slotCount = ${regionShape}.y;
  ${clearOverflow(shape, header, threads)}
  ${way.rooms ? arriveByCursor : arriveFromInput}
  ${settle(threads)}
  for (var b = thread; b < ${header}.bucketsPerRegion; b += ${threads}u) {
    ${bucketsOut}[region * ${header}.bucketsPerRegion + b] = ${finishedBucket(slots, bucketOf(parts, slots, parcelAt))}(b);
  }
  ${shape.payloadWords > 0 ? writePayload(parts, slots, threads, parcelAt) : ''}
  workgroupBarrier();
  if (thread == 0u) {
    if (atomicLoad(&${trouble}) == 0u) {
      atomicStore(&${regionCursors}[region], ${DONE});
    } else { ${way.gathers === 'none' ? noteGivenUp : ''} }
  }`,
  });
}

/** Where the items of parcels belong. */
function addressesOf({ shape, view, parcels }: BuildParts, parcelAt: (number: WgslPart) => WgslPart) {
  const { locate, awayFrom, homeFrom, classOf } = geometry(shape, view.header);
  const addressOfParcel = (parcel: WgslPart): Wgsl => wgsl`${locate}(${parcels.hash(parcel)})`;
  const otherBucket = wgsl`
fn otherBucket(bucket: u32, tag: u32) -> u32 {
  // Without a branch, so that several can be found at the same time.
  return select(${awayFrom}(${Address}(0u, bucket, tag >> 1u)), ${homeFrom}(bucket, tag >> 1u), (tag & 1u) == 1u);
}`;
  return {
    Address,
    addressOfParcel,
    addressOf: (number: WgslPart) => addressOfParcel(parcelAt(number)),
    otherBucket,
    noteLeft: (homes: Wgsl, bucket: string, remainder: string) =>
      wgsl`atomicOr(&${homes}[${bucket}], 1u << (${HOME_BITS}u + ${classOf}(${remainder})));`,
    ...(!shape.exact && {
      looksSame: (one: WgslPart, other: WgslPart) => parcels.looksSame(parcelAt(one), parcelAt(other)),
    }),
  };
}

/** What stands in a bucket. */
function bucketOf(
  { shape, parcels }: BuildParts,
  { homes }: QuickSlots,
  parcelAt: (number: WgslPart) => WgslPart,
): QuickBucket {
  const code = bucketCode(shape.layout);
  return {
    empty: wgsl`${Bucket}()`,
    putTag: code.putTag,
    ...(shape.layout.inside > 0 && {
      inside: {
        load: parcelAt,
        put: (slot: number, parcel: string) => code.putWords(slot, keptWords(shape, parcels, parcel)),
      },
    }),
    putRest: wgsl`
  let left = atomicLoad(&${homes}[b]) >> ${HOME_BITS}u;
  ${code.putClasses('left')}
  ${code.putCount('end')}`,
  };
}

/** Statements that write what is not in the buckets themselves: keys unless their tags tell them, and values. */
const writePayload = (
  { shape, parcels }: BuildParts,
  slots: QuickSlots,
  threads: number,
  parcelAt: (number: WgslPart) => WgslPart,
): Wgsl =>
  eachItem(
    slots,
    threads,
    wgsl`
      let parcel = ${parcelAt('number')};
      ${storePayload(shape, parcels, wgsl`region * ${regionShape}.y + i`)}`,
  );
