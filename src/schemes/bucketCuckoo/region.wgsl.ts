/**
 * Builds a region in workgroup memory. Every slot there holds the number of an item of the region. Items go home while
 * there is room; what finds none walks: it takes an empty slot of its other bucket, or changes places with someone there
 * and the evicted one walks on, as in Alcantara 2011, section 6.1, within bounds. Who is still walking at the end spills
 * into the overflow.
 *
 * Copies of a key meet in their home bucket or in their other one, so they are found when the buckets are written. If
 * they are allowed, the region is then built again from one item of each key.
 */

import {
  type Binding,
  type Kernel,
  kernel,
  storage,
  uniform,
  type Wgsl,
  type WgslPart,
  wgsl,
} from '../../wgsl/index.ts';
import { unrolled } from '../../wgsl/unrolled.ts';
import { buildHeader, STATUS } from '../contract/header.wgsl.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { geometry, OWN, Place } from './geometry.wgsl.ts';
import { MAX_BUCKETS_PER_REGION, REGION_SLOTS, shapeOf } from './plan.ts';
import { recordsOf } from './records.wgsl.ts';
import { NONE, writeBucketCode } from './writeBucket.wgsl.ts';

/** Steps of a walk; at a load of 0.96 one in thousands is longer. */
const WALK_LIMIT = 128;

/** If more than one in so many finds its home full, there are copies: in the fullest tables of distinct keys one in five does. */
const CROWD_SHARE = 4;

/** Regions, and slots of each. */
export const regionShape = uniform('regionShape', 'vec2u');
export const regionEnds = storage('regionEnds', 'array<u32>');

export interface RegionKernel {
  readonly kernel: Kernel;
  readonly records: Binding;
  readonly spilled: Binding;
}

/** The kernel for workgroups of that many threads: 512 where the device allows it, else 256. */
export function regionKernel(plan: TablePlan, threads: number): RegionKernel {
  /** Items that a thread looks after. */
  const heldItems = REGION_SLOTS / threads;
  const { duplicates } = plan;
  const shape = shapeOf(plan);
  const { layout, indexed } = shape;
  const { slots: perBucket } = layout;
  const records = recordsOf(plan, buildHeader);
  const spilled = storage('spilled', wgsl`array<${records.type}>`, 'read_write');
  const { locate, awayFrom, classOf, spillLimit } = geometry(shape, buildHeader);
  const copiesAllowed = !forbidsCopies(duplicates);
  const buckets = wgsl`${buildHeader}.${OWN.bucketsPerRegion}`;

  const slots = wgsl`var<workgroup> slots: array<atomic<u32>, ${REGION_SLOTS}>;`;
  // Low half: items that wanted to be at home here. High half: class bits.
  const homes = wgsl`var<workgroup> homes: array<atomic<u32>, ${MAX_BUCKETS_PER_REGION}>;`;
  const copiesMet = wgsl`var<workgroup> copiesMet: atomic<u32>;`;
  const kept = wgsl`var<workgroup> kept: atomic<u32>;`;
  const crowd = wgsl`var<workgroup> crowd: atomic<u32>;`;
  const verdict = wgsl`var<workgroup> verdict: u32;`;
  const start = wgsl`var<private> start: u32;`;
  const held = wgsl`var<private> held: array<u32, ${heldItems}>;`;

  const recordOf = (item: WgslPart): Wgsl => wgsl`${records.readable}[${start} + ${item}]`;
  const sameKey = (a: WgslPart, b: WgslPart): WgslPart => records.sameKey(recordOf(a), recordOf(b));

  const placeOf = wgsl`
fn placeOf(item: u32) -> ${Place} {
  return ${locate}(${records.hash(recordOf('item'))});
}`;

  const noteLeft = wgsl`
fn noteLeft(bucket: u32, remainder: u32) {
  atomicOr(&${homes}[bucket], 1u << (16u + ${classOf}(remainder)));
}`;

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

  const walk = wgsl`
// Finds a place for an item whose home is full; gives back the item that is left over, if any.
fn walk(homeless: u32) -> u32 {
  var item = homeless;
  var place = ${placeOf}(item);
  var bucket = ${awayFrom}(place);
  for (var i = 0u; i < ${WALK_LIMIT}u; i++) {
    if (bucket != place.home) { ${noteLeft}(place.home, place.remainder); }
    if (${takeEmpty}(bucket, item)) { return ${NONE}; }
    let slot = bucket * ${perBucket}u + (item + i) % ${perBucket}u;
    item = atomicExchange(&${slots}[slot], item);
    place = ${placeOf}(item);
    bucket = select(place.home, ${awayFrom}(place), bucket == place.home);
  }
  ${noteLeft}(place.home, place.remainder);
  ${noteLeft}(${awayFrom}(place), place.remainder);
  return item;
}`;

  const clear = wgsl`
fn clear(thread: u32, classMask: u32) {
  for (var i = thread; i < ${REGION_SLOTS}u; i += ${threads}u) { atomicStore(&${slots}[i], ${NONE}); }
  for (var i = thread; i < ${MAX_BUCKETS_PER_REGION}u; i += ${threads}u) { atomicAnd(&${homes}[i], classMask); }
  workgroupBarrier();
}`;

  const better = indexed
    ? wgsl`(${records.index(wgsl`${records.readable}[${start} + item]`)} ${duplicates === 'first' ? '<' : '>'} ${records.index(wgsl`${records.readable}[${start} + old]`)})`
    : 'false';
  const keepOne = wgsl`
// Keeps one item of each key in the slots, as in a table with linear probing. False if there are too many keys.
fn keepOne(item: u32) -> bool {
  let all = ${buckets} * ${perBucket}u;
  var slot = ${placeOf}(item).home * ${perBucket}u;
  var visited = 0u;
  // A step either moves on or follows somebody else's success at this slot.
  for (var i = 0u; i < all + 100000u && visited < all; i++) {
    let old = atomicLoad(&${slots}[slot]);
    if (old == ${NONE} || ${sameKey('item', 'old')}) {
      if (old != ${NONE} && !${better}) { return true; }
      if (atomicCompareExchangeWeak(&${slots}[slot], old, item).exchanged) { return true; }
    } else {
      slot = select(slot + 1u, 0u, slot + 1u == all);
      // Only who has seen all slots knows that no copy is there: steps that were repeated do not count.
      visited++;
    }
  }
  return false;
}`;

  const spill = wgsl`
fn spill(item: u32) {
  let at = atomicAdd(&${buildHeader}.stashed, 1u);
  if (at < ${spillLimit}()) { ${spilled}[at] = ${records.readable}[${start} + item]; } else {
    atomicOr(&${buildHeader}.status, ${STATUS.retry}u);
    atomicAdd(&${buildHeader}.failed, 1u);
  }
}`;

  const onCopy = copiesAllowed
    ? wgsl`atomicStore(&${copiesMet}, 1u);`
    : wgsl`
      atomicOr(&${buildHeader}.status, ${STATUS.duplicate}u);
      atomicMin(&${buildHeader}.witness, ${start} + item);`;

  const reportCopy = wgsl`
// Looks for a copy of an item in a bucket where the item itself is not.
fn reportCopy(item: u32, bucket: u32) {
  for (var s = 0u; s < ${perBucket}u; s++) {
    let other = atomicLoad(&${slots}[bucket * ${perBucket}u + s]);
    if (other != ${NONE} && ${sameKey('item', 'other')}) { ${onCopy} }
  }
}`;

  const leaveBehind = wgsl`
// An item that goes to the overflow leaves word of it in both of its buckets.
fn leaveBehind(item: u32) {
  let place = ${placeOf}(item);
  ${noteLeft}(place.home, place.remainder);
  ${noteLeft}(${awayFrom}(place), place.remainder);
}`;

  const reportCopies = wgsl`
fn reportCopies(item: u32) {
  let place = ${placeOf}(item);
  ${reportCopy}(item, place.home);
  ${reportCopy}(item, ${awayFrom}(place));
}`;

  const heldItem = wgsl`
fn heldItem(k: u32, thread: u32, count: u32, chosen: bool) -> u32 {
  if (chosen) { return ${held}[k]; }
  let item = k * ${threads}u + thread;
  return select(${NONE}, item, item < count);
}`;

  const writeBucket = writeBucketCode({
    plan,
    records,
    slots,
    homes,
    start,
    locate,
    placeOf,
    reportCopy,
    onCopy,
    sameKey,
  });

  const chooseOfEachKey = wgsl`
    for (var i = thread; i < count; i += ${threads}u) {
      if (!${keepOne}(i)) {
        ${leaveBehind}(i);
        ${spill}(i);
        atomicAdd(&${kept}, 1u);
      }
    }
    workgroupBarrier();
    for (var k = 0u; k < ${heldItems}u; k++) {
      ${held}[k] = atomicLoad(&${slots}[k * ${threads}u + thread]);
      if (${held}[k] != ${NONE}) { atomicAdd(&${kept}, 1u); }
    }
    workgroupBarrier();
    ${clear}(thread, 0xffff0000u);
    if (thread == 0u) {
      atomicAdd(&${buildHeader}.copies, count - atomicLoad(&${kept}));
      atomicAdd(&${buildHeader}.restarts, 1u);
    }`;

  // Copies crowd in one bucket, and evicting one for another would be in vain until every walk has reached its limit.
  const lookForCrowds = wgsl`
    if (!chosen) {
      if (homeless != 0u) { atomicAdd(&${crowd}, countOneBits(homeless)); }
      workgroupBarrier();
      if (thread == 0u) { ${verdict} = u32(atomicLoad(&${crowd}) > count / ${CROWD_SHARE}u); }
      if (workgroupUniformLoad(&${verdict}) == 1u) {
        chosen = true;
        continue;
      }
    }`;

  const body = wgsl`
  let region = group;
  if (region >= ${regionShape}.x) { return; }
  let room = ${regionShape}.y;
  var first = 0u;
  if (region > 0u) { first = ${regionEnds}[region - 1u]; }
  let count = ${regionEnds}[region] - first;
  ${start} = first;
  // With more items than slots there are copies, or all is lost anyway.
  var chosen = ${copiesAllowed ? 'count > room' : 'false'};
  var leftOver = 0u;
  for (var attempt = 0u; attempt < 2u; attempt++) {
    ${clear}(thread, 0u);
    if (chosen) { ${copiesAllowed ? chooseOfEachKey : ''} }

    var homeless = 0u;
    leftOver = 0u;
    ${unrolled(
      heldItems,
      (k) => wgsl`
    let item${k} = ${heldItem}(${k}u, thread, min(count, room), chosen);
    let home${k} = ${placeOf}(select(item${k}, 0u, item${k} == ${NONE})).home;`,
    )}
    ${unrolled(
      heldItems,
      (k) => wgsl`
    if (item${k} != ${NONE}) {
      let rank = atomicAdd(&${homes}[home${k}], 1u) & 0xffffu;
      if (rank < ${perBucket}u) { atomicStore(&${slots}[home${k} * ${perBucket}u + rank], item${k}); } else { homeless |= ${1 << k}u; }
    }`,
    )}
    ${copiesAllowed ? lookForCrowds : ''}
    workgroupBarrier();
    for (; homeless != 0u; homeless &= homeless - 1u) {
      let k = firstTrailingBit(homeless);
      let left = ${walk}(${heldItem}(k, thread, min(count, room), chosen));
      if (left != ${NONE}) {
        ${held}[k] = left;
        leftOver |= 1u << k;
      }
    }
    if (!chosen) {
      for (var i = room + thread; i < count; i += ${threads}u) { ${leaveBehind}(i); }
    }
    workgroupBarrier();

    for (var b = thread; b < ${buckets}; b += ${threads}u) { ${writeBucket}(region, b); }
    if (!chosen) {
      for (var left = leftOver; left != 0u; left &= left - 1u) { ${reportCopies}(${held}[firstTrailingBit(left)]); }
      for (var i = room + thread; i < count; i += ${threads}u) { ${reportCopies}(i); }
    }
    workgroupBarrier();
    if (thread == 0u) { ${verdict} = atomicLoad(&${copiesMet}); }
    if (chosen || workgroupUniformLoad(&${verdict}) == 0u) { break; }
    chosen = true;
  }
  for (; leftOver != 0u; leftOver &= leftOver - 1u) { ${spill}(${held}[firstTrailingBit(leftOver)]); }
  if (!chosen) {
    for (var i = room + thread; i < count; i += ${threads}u) { ${spill}(i); }
  }`;
  return {
    kernel: kernel({ label: 'bucketCuckoo/region', threads, itemsPerGroup: 1, body }),
    records: records.readable,
    spilled,
  };
}
