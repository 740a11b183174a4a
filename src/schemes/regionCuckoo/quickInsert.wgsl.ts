/** Insertion into a table that is empty, as fast as a static table is built. */
import { wordsOf } from '../../keys/index.ts';
import { type Binding, join, type Kernel, kernel, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { counters } from '../contract/index.ts';
import { arriveFromBin } from '../kit/quick/bucket.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { hasInlineValues } from './layout.wgsl.ts';
import { quickRegion, quickRegionFits } from './quickRegion.wgsl.ts';
import { isOverflowing, regionEnds, regionRoom, wasEmpty } from './region.wgsl.ts';
import type { Shape } from './shape.ts';
import { type Changed, sideOut } from './slots.wgsl.ts';

/** Bits of the number of an item inside a region. */
const NUMBER_BITS = 12;

/** Where the parcels of every region end; for a region that has them all, where they begin. Behind them, whether any was given up. */
export const regionEndsOut = storage('regionEnds', 'array<atomic<u32>>', 'read_write');
const GIVEN_UP = '0xffffffffu';

/** Whether it has inserted all parcels of all regions. */
export const isAllInserted = (header: Binding): Wgsl =>
  wgsl`(${wasEmpty} && !${isOverflowing} && ${regionEnds}[${header}.regions] != ${GIVEN_UP})`;

/** Whether a device has enough workgroup memory. */
export const quickInsertFits = (shape: Shape, limits: GPUSupportedLimits): boolean =>
  quickRegionFits(shape, NUMBER_BITS, limits);

/** Inserts parcels that have rooms. Those of regions that are given up stay for the kernel that comes next. */
export function quickInsertKernel({ shape, header, parcels }: Omit<Changed, 'key'>, threads: number): Kernel {
  const { layout, exact, payloadWords } = shape;
  const { key, valueWords } = shape.request;
  const { locate } = geometry(shape, header);
  const first = wgsl`var<private> first: u32;`;
  const parcelAt = (number: WgslPart): Wgsl => wgsl`${parcels.buffer}[${first} + ${number}]`;
  const addressOf = (parcel: WgslPart): Wgsl => wgsl`${locate}(${parcels.hash(parcel)})`;
  const beside = [
    ...(exact ? [] : wordsOf(key.words, parcels.storedKey('parcel'))),
    ...(hasInlineValues(layout) ? [] : wordsOf(valueWords, parcels.value('parcel'))),
  ];
  const { goHome, sizes, finish } = quickRegion({
    shape,
    header,
    numberBits: NUMBER_BITS,
    addressOf: (number) => addressOf(parcelAt(number)),
    ...(!exact && { looksSame: (one, other) => parcels.looksSame(parcelAt(one), parcelAt(other)) }),
    valueAt: (number) => parcels.value(parcelAt(number)),
    storeBeside: wgsl`
      let parcel = ${parcelAt('number')};
      ${join(
        beside.map((word, w) => wgsl`${sideOut}[slot * ${payloadWords}u + ${w}u] = ${word};`),
        '\n      ',
      )}`,
  });
  return kernel({
    label: 'regionCuckoo/quickInsert',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  let region = group;
  if (region >= ${header}.regions || ${isOverflowing} || !${wasEmpty}) { return; }
  ${sizes}
  ${first} = region * ${regionRoom};
  let count = atomicLoad(&${regionEndsOut}[region]) - ${first};
  let fits = count <= min(slotCount, ${regionRoom});
  ${arriveFromBin(threads, parcelAt, (k) => wgsl`${goHome}(${addressOf(`parcel${k}`)}, item${k});`)}
  ${finish(threads)}
  if (thread == 0u) {
    if (isFilled) {
      atomicStore(&${regionEndsOut}[region], ${first});
      atomicAdd(&${counters}.keys, count);
    } else { atomicStore(&${regionEndsOut}[${header}.regions], ${GIVEN_UP}); }
  }`,
  });
}
