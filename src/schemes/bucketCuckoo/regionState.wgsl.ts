/** What a workgroup keeps in its memory while it builds a region, and what all steps of that do with it. */
import { join, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { Address, geometry } from './geometry.wgsl.ts';
import type { BuildParts } from './parcels.wgsl.ts';
import { regionBuckets, regionSlots } from './shape.ts';

/** A slot in workgroup memory that nobody has. */
export const NONE = '0xffffffffu';

/** Items are numbered inside their region. */
export interface RegionState extends BuildParts {
  readonly threads: number;
  /** Items that a thread looks after. */
  readonly heldItems: number;
  /** The item in every slot. */
  readonly slots: Wgsl;
  /** For every bucket, low half: items that wanted to be at home here. High half: class bits. */
  readonly homes: Wgsl;
  /** Whether copies were met. */
  readonly copiesMet: Wgsl;
  /** Items that found their home full. */
  readonly crowd: Wgsl;
  /** What the whole workgroup has to know. */
  readonly verdict: Wgsl;
  /** How many items are left where copies were dropped. */
  readonly kept: Wgsl;
  /** Statements for one thread: nothing is known of the region before. */
  readonly forget: Wgsl;
  /** Of every thread: its items where they were chosen from copies, and later those that it has left over. */
  readonly held: Wgsl;
  /** Where the region's parcels begin. */
  readonly start: Wgsl;
  /** The parcel of an item. */
  parcelOf(item: WgslPart): Wgsl;
  /** Whether two items have one key. */
  isSameKey(one: WgslPart, other: WgslPart): Wgsl;
  /** WGSL: `(hash: vec2u) -> Address`. */
  readonly locate: Wgsl;
  /** WGSL: `(item: u32) -> Address`. */
  readonly addressOf: Wgsl;
  /** WGSL: `(address: Address) -> u32`, the other bucket. */
  readonly awayFrom: Wgsl;
  /** WGSL: `(bucket: u32, remainder: u32)`, sets the class bit for a key that is not in this bucket of its two. */
  readonly noteLeft: Wgsl;
  /** WGSL: `(thread: u32, classMask: u32)`, empties all slots, and all homes but for those of their class bits. */
  readonly clear: Wgsl;
}

export function regionState(parts: BuildParts, threads: number): RegionState {
  const { shape, view, parcels } = parts;
  const { locate, awayFrom, classOf } = geometry(shape, view.header);
  const [slotCount, buckets] = [regionSlots(shape), regionBuckets(shape)];
  const heldItems = Math.ceil(slotCount / threads);
  const slots = wgsl`var<workgroup> slots: array<atomic<u32>, ${slotCount}>;`;
  const homes = wgsl`var<workgroup> homes: array<atomic<u32>, ${buckets}>;`;
  const copiesMet = wgsl`var<workgroup> copiesMet: atomic<u32>;`;
  const crowd = wgsl`var<workgroup> crowd: atomic<u32>;`;
  const kept = wgsl`var<workgroup> kept: atomic<u32>;`;
  const start = wgsl`var<private> start: u32;`;
  const parcelOf = (item: WgslPart): Wgsl => wgsl`${parcels.buffer}[${start} + ${item}]`;
  return {
    ...parts,
    threads,
    heldItems,
    slots,
    homes,
    copiesMet,
    crowd,
    kept,
    forget: join(
      [copiesMet, crowd, kept].map((counter) => wgsl`atomicStore(&${counter}, 0u);`),
      ' ',
    ),
    verdict: wgsl`var<workgroup> verdict: u32;`,
    held: wgsl`var<private> held: array<u32, ${heldItems}>;`,
    start,
    parcelOf,
    isSameKey: (one, other) => parcels.isSameKey(parcelOf(one), parcelOf(other)),
    locate,
    addressOf: wgsl`
fn addressOf(item: u32) -> ${Address} {
  return ${locate}(${parcels.hash(parcelOf('item'))});
}`,
    awayFrom,
    noteLeft: wgsl`
fn noteLeft(bucket: u32, remainder: u32) {
  atomicOr(&${homes}[bucket], 1u << (16u + ${classOf}(remainder)));
}`,
    clear: wgsl`
fn clear(thread: u32, classMask: u32) {
  for (var i = thread; i < ${slotCount}u; i += ${threads}u) { atomicStore(&${slots}[i], ${NONE}); }
  for (var i = thread; i < ${buckets}u; i += ${threads}u) { atomicAnd(&${homes}[i], classMask); }
  workgroupBarrier();
}`,
  };
}
