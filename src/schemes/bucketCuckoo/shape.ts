/** All sizes of a table. They follow from what it is wanted for, and are decided here and nowhere else. */
import { FormatError, InvalidInputError, UnsupportedError } from '../../gpu/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { BufferSpec, PlanRequest } from '../contract/index.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import { isExact, parcelWordsOf } from '../kit/partition/parcels.wgsl.ts';
import {
  binsFor,
  MAX_PARCEL_WORDS,
  type PartitionScratch,
  partitionScratch,
  type Rooms,
  roomsFor,
} from '../kit/partition/partition.wgsl.ts';
import type { BucketCuckooOptions } from './index.ts';
import { type BucketLayout, chooseLayout, layoutsFor, TAGS_ONLY, tellsLastWord } from './layout.wgsl.ts';
import { contentOf } from './parcels.wgsl.ts';

/** The most slots of a region: its build has to fit into 16 KB of workgroup memory. */
const MAX_REGION_SLOTS = 3072;
/** Buckets of two slots are small enough for twice as many. */
const maxBuckets = ({ slots }: BucketLayout): number => (slots === 2 ? 1024 : 512);
/** With so many regions, whole powers of two of buckets waste little, and finding a bucket takes a shift. */
const MANY_REGIONS = 32;
/** How full slots get, as shares of them. */
interface SlotLoads {
  /** Two choices of four slots can be filled to 98% if there is no end of time; this much is quick. */
  readonly most: number;
  /** Above it regions run full by chance, or many items have to walk. */
  readonly roomy: number;
  /** Up to here that is seldom enough for the quick way, which leaves few regions to the thorough one. */
  readonly quick: number;
}

/** By the slots of a bucket. */
const SLOT_LOADS: Readonly<Record<number, SlotLoads>> = {
  2: { most: 0.86, roomy: 0.76, quick: 0.76 },
  3: { most: 0.93, roomy: 0.78, quick: 0.78 },
  4: { most: 0.968, roomy: 0.85, quick: 0.85 },
  5: { most: 0.92, roomy: 0.85, quick: 0.92 },
  6: { most: 0.94, roomy: 0.85, quick: 0.94 },
  8: { most: 0.985, roomy: 0.85, quick: 0.85 },
};

/** The buckets that a table had better have at most: where most of it is in them, whole regions in a binding of 2³¹ − 4 bytes. */
const mostBucketsOf = ({ inside }: BucketLayout): number => (inside > 1 ? 2 ** 26 - 1024 : Number.POSITIVE_INFINITY);

/** Overflow slots for each item. Full regions leave a few keys over, those of the quick way next to none. */
const OVERFLOW_SHARE = { full: 1 / 80, quick: 1 / 1024 };
const OVERFLOW_MIN = 64;

/** The load of so few items, where nobody names one: fewer of them have to walk. */
const FEW = { items: 50_000, loadFactor: 0.5 };

/** By how much each growth step lowers the load. */
const GROWTH = 1.05;

/** With so few regions, all of their workgroups may look through so many items. */
const GATHERED = { regions: 12, items: 20_000 };
/** Items that all workgroups together may look at where bins overflow. */
const LOOKED_AT = 4e7;

/** How the parcels of a first attempt come to their regions. Later attempts count the parcels of every region first. */
export interface Way {
  /** A partition into bins of some room that nobody counts; if it is left out, there is none. */
  readonly rooms?: Rooms;
  /**
   * Which regions look through the whole input for their items: all of them, or those whose bin overflowed. Where none do, a
   * build in which a bin overflowed has failed.
   */
  readonly gathers: 'all' | 'crowded' | 'none';
}

/** What a build and a search have to know of their table. */
export interface Shape {
  readonly request: PlanRequest;
  readonly layout: BucketLayout;
  /** Whether a tag tells the whole key. */
  readonly exact: boolean;
  /** Whether tags are the rest of the first word of the hash, which tells the last word of the key, rather than fingerprints. */
  readonly isQuotient: boolean;
  /** Words of the key that a slot keeps, inside or in the payload. */
  readonly keptKeyWords: number;
  readonly regions: number;
  readonly bucketsPerRegion: number;
  /** The buckets of a region, where the searches know them: a power of two, in tables of many regions. */
  readonly roundRegion: number | undefined;
  readonly buckets: number;
  readonly overflowSlots: number;
  /** Words a slot in the payload: none where they are inside. */
  readonly payloadWords: number;
  /** Words of an overflow slot: a mark, the key, the value. */
  readonly overflowWords: number;
  /** Words of an item on its way to its region: hash, key, value, and its number where the policy compares it. */
  readonly parcelWords: number;
  /** Whether the quick way builds nearly all regions; keys that find no slot are next to none then. */
  readonly isQuick: boolean;
  /** Whether it builds all of them. */
  readonly isRoomy: boolean;
  /** How the first attempt goes, if not like the others. */
  readonly way: Way | undefined;
  /** Slots of plain pairs in the same bytes: that is what loads of different tables can be compared by. */
  readonly nominalSlots: number;
}

/**
 * The sizes of a table, or the typed error that says why there is none.
 * @param isTight whether a build takes as little scratch as it can, and longer
 */
export function chooseShape(
  { loadFactor = 'bySize' }: BucketCuckooOptions,
  request: PlanRequest,
  isTight = false,
): Shape {
  const { key, valueWords, growth, format } = request;
  const exact = isExact(key);
  const all = layoutsFor(key, valueWords);
  // Wide keys once had nothing inside.
  const kept = format === undefined ? undefined : formatNamed(format, key.isWord ? all : [...all, TAGS_ONLY]);
  const layouts = kept ? [kept.layout] : all.filter(canHold(request.items));
  const load = loadMeant(loadFactor, request, layouts);
  const parcelWords = parcelWordsOf(contentOf(request));
  if (parcelWords > MAX_PARCEL_WORDS) {
    throw new UnsupportedError(
      `bucketCuckoo: an item of ${parcelWords} words (key, value, its number) is wider than ${MAX_PARCEL_WORDS}; use another scheme`,
    );
  }
  const { buckets, layout, overflowSlots, nominalOverflow, isQuick, isRoomy } = bucketsFor(
    load / GROWTH ** growth,
    request,
    layouts,
  );
  const { roundRegion } = kept ?? { roundRegion: roundRegionFor(buckets, layout) };
  const { regions, bucketsPerRegion } = regionsFor(buckets, layout, roundRegion);
  const isInside = layout.inside > 0;
  const isQuotient = exact || (isInside && tellsLastWord(key));
  const keptKeyWords = isQuotient ? key.words - 1 : key.words;
  return {
    request,
    layout,
    exact,
    isQuotient,
    keptKeyWords,
    regions,
    bucketsPerRegion,
    roundRegion,
    buckets: regions * bucketsPerRegion,
    overflowSlots,
    payloadWords: isInside ? 0 : keptKeyWords + valueWords,
    overflowWords: overflowWordsOf(request),
    parcelWords,
    isQuick,
    isRoomy,
    way: isTight ? undefined : wayFor(request, regions),
    nominalSlots: Math.floor(regions * bucketsPerRegion * layout.nominal + nominalOverflow),
  };
}

function wayFor({ items, key }: PlanRequest, regions: number): Way {
  const rooms = roomsFor(items, regions);
  // A context is one buffer more, and kernels have no more than eight.
  if (!key.hasContext) {
    if (regions <= GATHERED.regions && items <= GATHERED.items) return { gathers: 'all' };
    const { coarseBins } = binsFor(regions);
    if (items * regions <= LOOKED_AT && coarseBins === 1) return { rooms, gathers: 'crowded' };
  }
  return { rooms, gathers: 'none' };
}

const overflowWordsOf = ({ key, valueWords }: PlanRequest): number => 1 + key.words + valueWords;

const slotLoadsOf = (slots: number) => SLOT_LOADS[slots] as SlotLoads;

const fewestBuckets = (layout: BucketLayout, items: number): number =>
  Math.ceil(items / slotLoadsOf(layout.slots).most / layout.slots);

/** Whether a layout has room for so many items in those, or is the last resort. */
const canHold = (items: number) => (layout: BucketLayout, i: number, layouts: readonly BucketLayout[]) =>
  i === layouts.length - 1 || fewestBuckets(layout, items) <= mostBucketsOf(layout);

/** The load that an option asks for. */
function loadMeant(
  loadFactor: BucketCuckooOptions['loadFactor'],
  request: PlanRequest,
  layouts: readonly BucketLayout[],
): number {
  const { items } = request;
  if (loadFactor === 'bySize') return items <= FEW.items ? FEW.loadFactor : 0.8;
  const densest = Math.max(...layouts.map((layout) => densestLoad(layout, request)));
  if (loadFactor === 'densest') return densest;
  if (!(typeof loadFactor === 'number' && loadFactor > 0 && loadFactor <= Math.max(1, densest))) {
    const most = densest > 1 ? `${Math.floor(densest * 1000) / 1000} for ${items} items` : '1';
    throw new InvalidInputError(`bucketCuckoo: loadFactor must be above 0 and at most ${most}, not ${loadFactor}`);
  }
  return loadFactor;
}

/** The load of the smallest table of a layout that holds so many items. */
function densestLoad(layout: BucketLayout, request: PlanRequest): number {
  const items = Math.max(1, request.items);
  const buckets = Math.max(layout.minBuckets, fewestBuckets(layout, items));
  const { nominalOverflow } = overflowFor(layout, items / buckets / layout.slots, request);
  return items / (buckets * layout.nominal + nominalOverflow);
}

/** The overflow of a table whose slots are filled to that load. */
function overflowFor({ slots, inside, nominal }: BucketLayout, slotLoad: number, request: PlanRequest) {
  const isQuick = slotLoad <= slotLoadsOf(slots).quick;
  const overflowSlots =
    OVERFLOW_MIN + Math.ceil(request.items * (isQuick ? OVERFLOW_SHARE.quick : OVERFLOW_SHARE.full));
  // In bytes where a bucket has all of its slots.
  const nominalWords = BUCKET_WORDS / nominal;
  const nominalOverflow = overflowSlots * (inside > 0 ? overflowWordsOf(request) / nominalWords : 1);
  return { isQuick, overflowSlots, nominalOverflow };
}

/** How many buckets and overflow slots make that load. */
function bucketsFor(loadFactor: number, request: PlanRequest, layouts: readonly BucketLayout[]) {
  const { items } = request;
  const wantedSlots = Math.max(1, items / loadFactor);
  const layout = chooseLayout(layouts, wantedSlots);
  const { slots, nominal, minBuckets } = layout;
  const slotLoad = Math.max((loadFactor * nominal) / slots, items / slots / mostBucketsOf(layout));
  const overflow = overflowFor(layout, slotLoad, request);
  // The overflow is part of the table, so it is taken from what the load allows.
  const wanted = Math.ceil((wantedSlots - overflow.nominalOverflow) / nominal);
  // No fewer than the layout needs, although the overflow is taken off. Rather fuller buckets than more of them than one binding holds.
  const buckets = Math.max(minBuckets, fewestBuckets(layout, items), Math.min(wanted, mostBucketsOf(layout)));
  return { ...overflow, buckets, layout, isRoomy: slotLoad <= slotLoadsOf(slots).roomy };
}

/** The most buckets that a region has room for, and the greatest power of two among them. */
const mostBuckets = (layout: BucketLayout): number =>
  Math.min(maxBuckets(layout), Math.floor(MAX_REGION_SLOTS / layout.slots));
/** The most buckets of a region, and its slots, for all tables of a format. */
export const regionBuckets = ({ layout, roundRegion }: Format): number => roundRegion ?? mostBuckets(layout);
export const regionSlots = (format: Format): number => regionBuckets(format) * format.layout.slots;
const roundBuckets = (layout: BucketLayout): number => 2 ** Math.floor(Math.log2(mostBuckets(layout)));

const roundRegionFor = (buckets: number, layout: BucketLayout): number | undefined =>
  buckets > MANY_REGIONS * roundBuckets(layout) ? roundBuckets(layout) : undefined;

/** How so many buckets are parted into regions; a few more may come of it. */
function regionsFor(
  buckets: number,
  layout: BucketLayout,
  roundRegion: number | undefined,
): Pick<Shape, 'regions' | 'bucketsPerRegion'> {
  if (roundRegion !== undefined) return { regions: Math.ceil(buckets / roundRegion), bucketsPerRegion: roundRegion };
  const regions = Math.ceil(buckets / mostBuckets(layout));
  return { regions, bucketsPerRegion: Math.max(2, Math.ceil(buckets / regions)) };
}

/** What the text of searches depends on. */
type Format = Pick<Shape, 'layout' | 'roundRegion'>;

/** The layout of a bucket as slots and bits of a tag, and of a region its buckets where searches know them. */
export function formatOf({ layout, roundRegion }: Format): string {
  const parts = ['bucketCuckoo/1', `${layout.slots}x${layout.tagBits}`];
  return [...parts, ...(roundRegion === undefined ? [] : [roundRegion])].join('/');
}

function formatNamed(name: string, layouts: readonly BucketLayout[]): Format {
  const all = layouts.flatMap((layout) => [
    { layout, roundRegion: undefined },
    { layout, roundRegion: roundBuckets(layout) },
  ]);
  const found = all.find((format) => formatOf(format) === name);
  if (!found) throw new FormatError(`bucketCuckoo has no format '${name}' for such a table`);
  return found;
}

/** Where the first parcel is that a region has gathered itself. */
const gatheredStart = ({ way, regions }: Shape): number => regions * (way?.rooms?.fine ?? 0);

/** Scratch buffers of a build. */
export type ScratchName = PartitionScratch | 'spilled';

export function scratchOf(shape: Shape): Readonly<Record<ScratchName, BufferSpec>> {
  const { request, parcelWords, regions, overflowSlots, way } = shape;
  const owner = 'bucketCuckoo';
  const { items } = request;
  const partitioned = partitionScratch(owner, { items, words: parcelWords, regions, rooms: way?.rooms });
  const { parcels } = partitioned;
  const gathered = { all: regions * items, crowded: gatheredStart(shape) + items, none: 0 }[way?.gathers ?? 'none'];
  return {
    ...partitioned,
    parcels: { ...parcels, bytes: Math.max(parcels.bytes, gathered * parcelWords * WORD_BYTES) },
    spilled: { name: `${owner}/spilled`, bytes: overflowSlots * parcelWords * WORD_BYTES },
  };
}
