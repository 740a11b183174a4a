/** All sizes of a table. They follow from what it is wanted for, and are decided here and nowhere else. */
import { FormatError, UnsupportedError } from '../../gpu/index.ts';
import type { DynamicRequest } from '../contract/index.ts';
import { isExact, parcelWordsOf } from '../kit/partition/parcels.wgsl.ts';
import { MAX_PARCEL_WORDS } from '../kit/partition/partition.wgsl.ts';
import { hasInlineValues, type Layout, layoutsFor, minBucketsOf, remaindersOf } from './layout.wgsl.ts';

/** What batches and searches have to know of their table. */
export interface Shape {
  readonly request: DynamicRequest;
  readonly layout: Layout;
  /** Whether the tag is the rest of the key rather than a fingerprint. */
  readonly exact: boolean;
  readonly regions: number;
  /** A power of two. */
  readonly regionBuckets: number;
  readonly buckets: number;
  /** Words a slot in the payload: keys that are not exact, values that are not inside. */
  readonly payloadWords: number;
  /** Slots by which tables of different layouts are compared: of plain pairs in the same bytes, where values are inside. */
  readonly nominalSlots: number;
}

/** Of a region in a small table. */
const FEWEST_BUCKETS = 128;

/** Slots of a bucket as they are counted: loads of pairs are measured in bytes. */
const nominalSlots = (layout: Layout): number => (hasInlineValues(layout) ? 4 : layout.slots);

export function chooseShape(request: DynamicRequest): Shape {
  const { key, valueWords, slots, format } = request;
  const exact = isExact(key);
  const parcelWords = parcelWordsOf({ key, valueWords, numbered: true });
  if (parcelWords > MAX_PARCEL_WORDS) {
    throw new UnsupportedError(
      `regionCuckoo: an item of ${parcelWords} words (key, value, its number) is wider than ${MAX_PARCEL_WORDS}`,
    );
  }
  const layouts = layoutsFor(exact, valueWords);
  const wanted = (layout: Layout): number => Math.ceil(slots / nominalSlots(layout));
  const layout =
    format === undefined
      ? (layouts.find((one) => wanted(one) >= minBucketsOf(one)) ?? (layouts.at(-1) as Layout))
      : layoutNamed(format, layouts);
  const fewest = Math.max(wanted(layout), minBucketsOf(layout), FEWEST_BUCKETS);
  const regionBuckets = Math.min(layout.regionBuckets, 2 ** Math.ceil(Math.log2(fewest)));
  const regions = Math.ceil(fewest / regionBuckets);
  const buckets = regions * regionBuckets;
  return {
    request,
    layout,
    exact,
    regions,
    regionBuckets,
    buckets,
    payloadWords: (exact ? 0 : key.words) + (hasInlineValues(layout) ? 0 : valueWords),
    nominalSlots: buckets * nominalSlots(layout),
  };
}

/** The fields of the header that say how large a table is: tables of all sizes share the kernels that read them. */
export const headerFields = ({ regions, regionBuckets, buckets, layout, exact }: Shape) => ({
  regions,
  bucketBits: Math.log2(regionBuckets),
  remainders: exact ? Math.ceil(2 ** 32 / buckets) : remaindersOf(layout),
});

/** The layout of a bucket as slots and bits of a tag. */
export const formatOf = ({ layout }: Pick<Shape, 'layout'>): string =>
  `regionCuckoo/1/${layout.slots}x${layout.tagBits}`;

function layoutNamed(format: string, layouts: readonly Layout[]): Layout {
  const found = layouts.find((layout) => formatOf({ layout }) === format);
  if (!found) throw new FormatError(`regionCuckoo has no format '${format}' for such a table`);
  return found;
}
