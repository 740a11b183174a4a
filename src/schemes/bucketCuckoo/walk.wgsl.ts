/**
 * Homes and walks. Items go home while there is room. An item that finds none walks: it takes an empty slot of its other
 * bucket or, if there is none, the slot of another item, which then walks on (Alcantara 2011, section 6.1). Walks have a
 * bound. An item that is still walking then spills into the overflow, and so do items beyond the slots of the region.
 */
import { unrolled, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { STATUS } from '../contract/index.ts';
import { anySlot } from '../kit/quick/homeless.wgsl.ts';
import { spillLimit } from './overflow.wgsl.ts';
import { NONE, type RegionState } from './regionState.wgsl.ts';

/** Steps of a walk; at a load of 0.96 one in thousands is longer. */
const WALK_LIMIT = 128;

/** What a thread does with its items; the statements see `thread`, `count`, `room` and `chosen`. */
export function homesAndWalks(state: RegionState): {
  /** Statements: all items try their homes; `homeless` gets a bit for each item of the thread whose home was full. */
  readonly goHome: Wgsl;
  /** Statements: the homeless walk. What is left over is put into `held`, and `leftOver` gets a bit for each. */
  readonly walkHomeless: Wgsl;
} {
  const { shape, threads, heldItems, slots, homes, held, addressOf } = state;
  const { slots: perBucket } = shape.layout;
  const heldItem = wgsl`
fn heldItem(k: u32, thread: u32, count: u32, chosen: bool) -> u32 {
  if (chosen) { return ${held}[k]; }
  let item = k * ${threads}u + thread;
  return select(${NONE}, item, item < count);
}`;
  const findHome = (k: number): Wgsl => wgsl`
    let item${k} = ${heldItem}(${k}u, thread, min(count, room), chosen);
    let home${k} = ${addressOf}(select(item${k}, 0u, item${k} == ${NONE})).home;`;
  const tryHome = (k: number): Wgsl => wgsl`
    if (item${k} != ${NONE}) {
      let before = atomicAdd(&${homes}[home${k}], 1u) & 0xffffu;
      if (before < ${perBucket}u) { atomicStore(&${slots}[home${k} * ${perBucket}u + before], item${k}); } else { homeless |= ${1 << k}u; }
    }`;
  return {
    goHome: wgsl`
    ${unrolled(heldItems, findHome)}
    ${unrolled(heldItems, tryHome)}`,
    walkHomeless: wgsl`
    for (; homeless != 0u; homeless &= homeless - 1u) {
      let k = firstTrailingBit(homeless);
      let left = ${walk(state)}(${heldItem}(k, thread, min(count, room), chosen));
      if (left != ${NONE}) {
        ${held}[k] = left;
        leftOver |= 1u << k;
      }
    }`,
  };
}

/** WGSL: `(homeless: u32) -> u32`, finds a slot for an item whose home is full; gives back the item left over, if any. */
function walk({ shape, slots, addressOf, awayFrom, noteLeft }: RegionState): Wgsl {
  const { slots: perBucket } = shape.layout;
  const takeEmpty = wgsl`
// Whether the item got an empty slot of the bucket.
fn takeEmpty(bucket: u32, item: u32) -> bool {
  for (var s = 0u; s < ${perBucket}u; s++) {
    // Retry: compare-exchange may fail spuriously.
    for (var i = 0u; i < 100u && atomicLoad(&${slots}[bucket * ${perBucket}u + s]) == ${NONE}; i++) {
      if (atomicCompareExchangeWeak(&${slots}[bucket * ${perBucket}u + s], ${NONE}, item).exchanged) { return true; }
    }
  }
  return false;
}`;
  return wgsl`
fn walk(homeless: u32) -> u32 {
  var item = homeless;
  var address = ${addressOf}(item);
  var bucket = ${awayFrom}(address);
  for (var i = 0u; i < ${WALK_LIMIT}u; i++) {
    if (bucket != address.home) { ${noteLeft}(address.home, address.remainder); }
    if (${takeEmpty}(bucket, item)) { return ${NONE}; }
    let slot = bucket * ${perBucket}u + ${anySlot(perBucket)}(homeless, i);
    item = atomicExchange(&${slots}[slot], item);
    address = ${addressOf}(item);
    bucket = select(address.home, ${awayFrom}(address), bucket == address.home);
  }
  ${noteLeft}(address.home, address.remainder);
  ${noteLeft}(${awayFrom}(address), address.remainder);
  return item;
}`;
}

/** The ways of an item into the overflow. */
export interface Spills {
  /** WGSL: `(item: u32)`, leaves word in both buckets of an item that it goes to the overflow. */
  readonly leaveBehind: Wgsl;
  /** WGSL: `(item: u32)`, sends an item there. */
  readonly spill: Wgsl;
}

export function spills({ view, parcels, parcelOf, addressOf, awayFrom, noteLeft }: RegionState): Spills {
  const { header } = view;
  return {
    leaveBehind: wgsl`
fn leaveBehind(item: u32) {
  let address = ${addressOf}(item);
  ${noteLeft}(address.home, address.remainder);
  ${noteLeft}(${awayFrom}(address), address.remainder);
}`,
    spill: wgsl`
fn spill(item: u32) {
  let at = atomicAdd(&${header}.stashed, 1u);
  if (at < ${spillLimit(header)}()) { ${parcels.spilledOut}[at] = ${parcelOf('item')}; } else {
    atomicOr(&${header}.status, ${STATUS.retry}u);
    atomicAdd(&${header}.failed, 1u);
  }
}`,
  };
}
