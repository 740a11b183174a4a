import { InvalidInputError, UnsupportedError } from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { scanScratch } from '../../primitives/index.ts';
import type { BufferSpec, PlanRequest, TablePlan } from '../contract/scheme.ts';
import { competes } from '../kit/token.wgsl.ts';
import { BUCKET_BYTES, type BucketLayout, chooseLayout } from './layout.wgsl.ts';

/** Slots of a region: its build has to fit into 16 KB of workgroup memory. */
export const REGION_SLOTS = 3072;
export const MAX_BUCKETS_PER_REGION = 512;
/** With so many regions, whole powers of two of buckets waste little, and finding a bucket takes a shift. */
const MANY_REGIONS = 32;
/** Bins of one partition pass. */
export const MAX_BINS = 512;

/** Words of a record: 256 of them, and the bins, have to fit into 16 KB of workgroup memory while they are partitioned. */
const MAX_RECORD_WORDS = 12;

/** Two choices of four slots can be filled to 98% if there is no end of time; this much is quick. */
const MAX_SLOT_LOAD = new Map([
  [4, 0.968],
  [5, 0.975],
  [6, 0.98],
  [8, 0.985],
]);

/** Overflow slots for each item. Full regions leave a few keys over, others next to none. */
const OVERFLOW_SHARE = { full: 1 / 80, roomy: 1 / 1024 };
const OVERFLOW_MIN = 64;
/** Above this load regions run full by chance. */
const ROOMY_LOAD = 0.85;

const GROWTH = 1.05;

/** Scratch buffers of the build. */
export const SCRATCH = {
  coarse: 'bucketCuckoo/coarse',
  records: 'bucketCuckoo/records',
  coarseEnds: 'bucketCuckoo/coarseEnds',
  regionEnds: 'bucketCuckoo/regionEnds',
  spilled: 'bucketCuckoo/spilled',
} as const;

/** What a build and a search have to know beyond the plan; all of it follows from the plan. */
export interface Shape {
  readonly layout: BucketLayout;
  /** Whether the tag is the rest of the key rather than a fingerprint. */
  readonly exact: boolean;
  readonly regions: number;
  readonly bucketsPerRegion: number;
  readonly buckets: number;
  readonly overflowSlots: number;
  /** Words a slot in the payload: keys that are not exact, values that are not inside. */
  readonly payloadWords: number;
  /** Words of an overflow slot: a mark, the key, the value. */
  readonly overflowWords: number;
  /** Words of an item while it is being partitioned: key, value, and its number where the policy needs it. */
  readonly recordWords: number;
  readonly indexed: boolean;
  /** Slots of plain pairs in the same bytes: that is what loads of different tables can be compared by. */
  readonly nominalSlots: number;
  /** Bins of the first partition pass, or 1 where one pass is enough, and of the last. */
  readonly coarseBins: number;
  readonly fineBins: number;
}

/** Words of the hash in a record: keys of variable length are read once, when the hash is made, and seldom again. */
export const hashWords = (key: KeyType): 0 | 2 => (key.access('input').context ? 2 : 0);

const SHAPES = new WeakMap<TablePlan, Shape>();

export const shapeOf = (plan: TablePlan): Shape => SHAPES.get(plan) as Shape;

export function planBucketCuckoo(options: { readonly loadFactor?: number }, request: PlanRequest): TablePlan {
  const { loadFactor = 0.8 } = options;
  if (!(loadFactor > 0 && loadFactor <= 1)) {
    throw new InvalidInputError(`bucketCuckoo: loadFactor must be above 0 and at most 1, not ${loadFactor}`);
  }
  const shape = shapeFor(loadFactor / GROWTH ** request.growth, request);
  const { layout, buckets, regions, bucketsPerRegion, overflowSlots, payloadWords, overflowWords, recordWords } = shape;
  if (recordWords > MAX_RECORD_WORDS) {
    throw new UnsupportedError(
      `bucketCuckoo: an item of ${recordWords} words (key, value, its number) is wider than ${MAX_RECORD_WORDS}; use another scheme`,
    );
  }
  const { items, growth } = request;
  const records = { bytes: items * recordWords * 4 };
  const table: BufferSpec[] = [{ name: 'buckets', bytes: buckets * BUCKET_BYTES }];
  const side: BufferSpec = {
    name: 'side',
    bytes: (buckets * layout.slots * payloadWords + overflowSlots * overflowWords) * 4,
  };
  const plan: TablePlan = {
    ...request,
    capacitySlots: shape.nominalSlots,
    canGrow: growth < 12,
    table: [...table, side],
    scratch: [
      { name: SCRATCH.records, ...records },
      ...(shape.coarseBins > 1 ? [{ name: SCRATCH.coarse, ...records }] : []),
      { name: SCRATCH.coarseEnds, bytes: shape.coarseBins * 4 },
      { name: SCRATCH.regionEnds, bytes: regions * 4 },
      { name: SCRATCH.spilled, bytes: overflowSlots * recordWords * 4 },
      ...scanScratch(Math.max(regions, shape.coarseBins)),
    ],
    own: [regions, bucketsPerRegion, 31 - Math.clz32(buckets), overflowSlots],
  };
  SHAPES.set(plan, shape);
  return plan;
}

function shapeFor(loadFactor: number, request: PlanRequest): Shape {
  const { items, key, valueWords, duplicates } = request;
  const exact = key.unhash !== undefined;
  const indexed = competes(duplicates);
  const overflowWords = 1 + key.words + valueWords;
  const wantedSlots = Math.max(1, items / loadFactor);
  // Where values are inside, loads are measured in bytes: four pairs a bucket, whatever the layout.
  const nominalPerBucket = exact && valueWords === 1 ? 4 : 8;
  const expected = chooseLayout(exact, valueWords, wantedSlots / nominalPerBucket);
  const isRoomy = (loadFactor * nominalPerBucket) / expected.slots <= ROOMY_LOAD;
  const overflowSlots = OVERFLOW_MIN + Math.ceil(items * (isRoomy ? OVERFLOW_SHARE.roomy : OVERFLOW_SHARE.full));
  // The overflow is part of the table, so it is taken from what the load allows.
  const nominalOverflow = overflowSlots * (nominalPerBucket === 4 ? overflowWords / (key.words + valueWords) : 1);
  const fewest = Math.ceil(items / (MAX_SLOT_LOAD.get(expected.slots) as number) / expected.slots);
  // No fewer than the expected layout needs, although the overflow is taken off: the one below holds less.
  const buckets = Math.max(expected.minBuckets, fewest, Math.ceil((wantedSlots - nominalOverflow) / nominalPerBucket));
  const layout = chooseLayout(exact, valueWords, buckets);
  const mostPerRegion = Math.min(MAX_BUCKETS_PER_REGION, Math.floor(REGION_SLOTS / layout.slots));
  const roundPerRegion = 2 ** Math.floor(Math.log2(mostPerRegion));
  const isLarge = buckets > MANY_REGIONS * roundPerRegion;
  const regions = Math.ceil(buckets / (isLarge ? roundPerRegion : mostPerRegion));
  const bucketsPerRegion = isLarge ? roundPerRegion : Math.max(2, Math.ceil(buckets / regions));
  // A power of two, so that the bins of both passes are bits of the region's number.
  const fineBins = regions <= MAX_BINS ? regions : 2 ** Math.ceil(Math.log2(regions) / 2);
  return {
    layout,
    exact,
    regions,
    bucketsPerRegion,
    buckets: regions * bucketsPerRegion,
    overflowSlots,
    payloadWords: (exact ? 0 : key.words) + (layout.inlineValues ? 0 : valueWords),
    overflowWords,
    nominalSlots: Math.floor(regions * bucketsPerRegion * nominalPerBucket + nominalOverflow),
    recordWords: hashWords(key) + key.words + valueWords + (indexed ? 1 : 0),
    indexed,
    coarseBins: Math.ceil(regions / fineBins),
    fineBins,
  };
}
