/**
 * What a workgroup does with the region that it owns. Nobody else touches its buckets while a batch runs, so that the order of all
 * changes is that of the workgroup's barriers. Tags are in its memory.
 */
import { type Binding, storage, uniform, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { type Changed, slotsOf } from './slots.wgsl.ts';
import { regionTags } from './tagStore.wgsl.ts';

export type Region = ReturnType<typeof regionOf>;

/** How a workgroup comes to the parcels of its region. */
export interface Entry {
  /**
   * Statements that leave unless the region has parcels; `firstBucket`, `first` and `end` are known behind them. What is `ahead` is done
   * before anything is waited for.
   */
  code(ahead: Wgsl): Wgsl;
  /** Where the parcels begin, unless rooms were too small. */
  readonly likelyFirst?: Wgsl;
}

/** What kernels do with regions, and with parcels that are partitioned by region. */
export function regionOf(changed: Changed) {
  const { shape, header, parcels } = changed;
  const store = regionTags(shape.layout, header);
  const slots = slotsOf(changed, store);
  const { buffer } = parcels;
  const aheadOf = ({ likelyFirst }: Entry): Wgsl =>
    likelyFirst
      ? wgsl`
  let likely = ${likelyFirst} + thread;
  let likelyParcel = ${buffer}[min(likely, arrayLength(&${buffer}) - 1u)];`
      : wgsl``;
  const parcelAt = ({ likelyFirst }: Partial<Entry>): Wgsl =>
    likelyFirst
      ? wgsl`
      var parcel = likelyParcel;
      if (item != likely) { parcel = ${buffer}[item]; }`
      : wgsl`let parcel = ${buffer}[item];`;
  return {
    ...slots,
    store,
    /** Statements that enter a region and load its tags. A barrier has to follow. */
    open: (entry: Entry): Wgsl => wgsl`
  ${entry.code(wgsl`${store.load}${aheadOf(entry)}`)}
  ${store.keep}`,
    /** Statements for every item of this thread, from `start` to `stop`; they see `item`, `parcel` and `address`. */
    eachItem: (entry: Entry, then: Wgsl): Wgsl => wgsl`
    for (var item = start + thread; item < stop; item += ${store.threads}u) {
      ${parcelAt(entry)}
      let address = ${slots.addressOf}(parcel);
      ${then}
    }`,
    /** The same for those whose bits are in a mask; they see their `bit` too. */
    heldItems: (mask: string, then: Wgsl): Wgsl => wgsl`
    for (var rest = ${mask}; rest != 0u; rest &= rest - 1u) {
      let bit = rest & (0u - rest);
      let item = start + firstTrailingBit(rest) * ${store.threads}u + thread;
      ${parcelAt({})}
      let address = ${slots.addressOf}(parcel);
      ${then}
    }`,
  };
}

/** Where the parcels of every region end. */
export const regionEnds: Binding = storage('regionEnds', 'array<u32>');

/** The room of a region's parcels where they were not counted, else 0. */
export const regionRoom = uniform('regionRoom', 'u32');
/** What is found out before regions are changed. */
export const findings = storage('findings', 'vec2u');
/** Whether the room was too little for one of them, and whether the table was empty. */
export const isOverflowing = wgsl`(${findings}.x != 0u)`;
export const wasEmpty = wgsl`(${findings}.y != 0u)`;

/**
 * An entry.
 * @param findRange statements that tell `first` and `end`
 */
export const entryBy = (header: Binding, findRange: Wgsl): Entry => ({
  code: (ahead) => wgsl`
  if (group >= ${header}.regions) { return; }
  let firstBucket = group << ${header}.bucketBits;
  ${ahead}
  ${findRange}
  if (first == end) { return; }`,
});

/** Where parcels were counted. */
export const enterRegion = (header: Binding): Entry =>
  entryBy(
    header,
    wgsl`
  var first = 0u;
  if (group > 0u) { first = ${regionEnds}[group - 1u]; }
  let end = ${regionEnds}[group];`,
  );

/** Where parcels may have room. It is done with them if that was enough, and without once they were counted because it was not. */
export const enterRoom = (header: Binding): Entry => ({
  ...entryBy(
    header,
    wgsl`
  if (${isOverflowing} != (${regionRoom} == 0u)) { return; }
  var first = group * ${regionRoom};
  if (${regionRoom} == 0u && group > 0u) { first = ${regionEnds}[group - 1u]; }
  let end = ${regionEnds}[group];`,
  ),
  likelyFirst: wgsl`group * ${regionRoom}`,
});
