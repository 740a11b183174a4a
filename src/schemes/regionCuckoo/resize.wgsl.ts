/**
 * From one size to another without a partition. Regions are ranges of hashes, in order, so the keys of a new region are in those few
 * old regions whose ranges overlap it, and the workgroup of the new one finds them there: buckets are ranges as well, and only in the
 * first and the last of them has a key to be hashed. It lists them as parcels, and an ordinary insertion takes them from there.
 */
import type { Bound, Recorder } from '../../gpu/index.ts';
import { mix, multiplyHigh } from '../../hashing/index.ts';
import { keysView } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { type Binding, type Kernel, kernel, once, storage, type Wgsl, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import { counters, type DynamicPlan, HeaderLayout, type Move, type RecordMove, TableView } from '../contract/index.ts';
import { type Parcels, parcelsOf } from '../kit/partition/parcels.wgsl.ts';
import { readParts } from './find.wgsl.ts';
import { firstHash } from './geometry.wgsl.ts';
import { type InsertKind, insertKernel } from './insert.wgsl.ts';
import { emptyTag } from './layout.wgsl.ts';
import { enter, regionOf } from './region.wgsl.ts';
import type { Shape } from './shape.ts';
import { sideOut } from './slots.wgsl.ts';
import { bucketsOut } from './tagStore.wgsl.ts';

interface Sized {
  readonly plan: DynamicPlan;
  readonly shape: Shape;
}

const THREADS = 256;
/** Old regions for each new one at most: one workgroup visits them all. */
const MOST_OLD_REGIONS = 64;
const ARRIVING: InsertKind = { onExisting: 'replace', unique: true, listsLeft: false, onlyCounts: false };

/** Where the parcels of every region begin and end. */
const ranges = storage('ranges', 'array<vec2u>');
const rangesOut = storage('rangesOut', 'array<vec2u>', 'read_write');
/** How many parcels there are. */
const listedCount = storage('listedCount', 'atomic<u32>', 'read_write');

/** Whether what is in tables of one shape can be moved to those of another in this way. */
export const isReachable = (before: Shape, after: Shape): boolean =>
  before.request.key === after.request.key &&
  before.request.valueWords === after.request.valueWords &&
  before.regions <= MOST_OLD_REGIONS * after.regions;

/** The function that records how a table takes over all that is in one of another size, which has the same hash constants. */
export function moving(before: Sized, after: Sized): RecordMove {
  const { shape } = after;
  const { key, valueWords } = shape.request;
  const view = new TableView(before.plan);
  const header = HeaderLayout.of(after.plan.fields).forReading();
  const keys = keysView(key, 'input');
  const inTable = key.access('table');
  const parcels = parcelsOf(
    { key, valueWords, numbered: false },
    { keys, valueAt: () => '', header, moved: key.hasContext ? { access: inTable, by: '0u' } : undefined },
  );
  const kernels = once(() => {
    const region = regionOf({ shape, header, parcels, key: key.hasContext ? inTable : keys.access });
    return {
      collect: collectKernel(before.shape, view, shape, header, parcels),
      insert: insertKernel(region, ARRIVING, enterRange(header)),
    };
  });
  return (recorder: Recorder, { from, to, keys: count, counters: buffer, workspace }: Move) => {
    const { regions } = shape;
    const { collect, insert } = kernels();
    // A batch has parcels too, and they are never needed at the same time.
    const parcelBuffer = workspace.scratch('regionCuckoo/parcels', count * parcels.words * WORD_BYTES);
    const rangeBuffer = workspace.scratch('regionCuckoo/ranges', regions * 8);
    const listed = workspace.scratch('regionCuckoo/listedCount', 4);
    recordFill(recorder, { output: listed, value: 0, items: 1 });
    const both: Bound = [
      [header, to.header],
      [counters, buffer],
    ];
    const collected: Bound = [
      ...both,
      ...view.bind(from),
      [rangesOut, rangeBuffer],
      [listedCount, listed],
      [parcels.bufferOut, parcelBuffer],
    ];
    recorder.run(collect, collected, regions);
    const inserted: Bound = [
      ...both,
      ...(inTable.context && to.context ? [[inTable.context, to.context] as const] : []),
      [ranges, rangeBuffer],
      [parcels.buffer, parcelBuffer],
      [bucketsOut, to.get('buckets')],
      [sideOut, to.get('side')],
    ];
    recorder.run(insert, inserted, regions);
  };
}

/** Where the parcels of a region have a range. */
const enterRange = (header: Binding): Wgsl =>
  enter(
    header,
    wgsl`
  let first = ${ranges}[group].x;
  let end = ${ranges}[group].y;`,
  );

/** Lists the keys of a new region. Those that are more than a region can hold are left. */
function collectKernel(before: Shape, view: TableView, after: Shape, header: Binding, parcels: Parcels): Kernel {
  const { layout, exact, request } = before;
  const { code, buckets, homeOf, hashFrom, payloadKey, valueAt } = readParts(before, view);
  const old = view.header;
  const mostKeys = after.layout.regionBuckets * after.layout.slots;
  const listed = wgsl`var<workgroup> listed: array<u32, ${mostKeys}>;`;
  const count = wgsl`var<workgroup> count: atomic<u32>;`;
  const start = wgsl`var<workgroup> start: u32;`;
  const hashOfKey = wgsl`${request.key.hash(view.key, mix)}(${view.key.of(payloadKey('slot'))}, ${old}.hash)`;
  /** WGSL: `(slot: u32, tag: u32) -> vec2u`; of the hash that tells a key, only the first word is known. */
  const hashOf = wgsl`
fn hashOf(slot: u32, tag: u32) -> vec2u {
  return ${exact ? wgsl`vec2u(${hashFrom}(${homeOf}(slot / ${layout.slots}u, tag), tag >> 1u), 0u)` : hashOfKey};
}`;
  // Where neither the hash stands for the key nor the parcel has one, it is not computed.
  const needsHash = exact || request.key.hasContext;
  const parcelOf = wgsl`
fn parcelOf(slot: u32) -> ${parcels.type} {
  let bucket = ${buckets}[slot / ${layout.slots}u];
  let within = slot % ${layout.slots}u;
  ${needsHash ? wgsl`let hash = ${hashOf}(slot, ${code.tagOf}(bucket, within));` : ''}
  ${exact ? '' : wgsl`let stored = ${payloadKey('slot')};`}
  ${request.valueWords > 0 ? wgsl`let value = ${valueAt('bucket', 'within', 'slot')};` : ''}
  return ${parcels.made('hash', 'stored', 'value')};
}`;
  const listBucket = wgsl`
fn listBucket(index: u32, hashes: vec2u, homes: vec2u) {
  let bucket = ${buckets}[index];
  var mask = 0u;
  for (var s = 0u; s < ${layout.slots}u; s++) {
    let tag = ${code.tagOf}(bucket, s);
    if (tag == ${emptyTag(layout)}u) { continue; }
    let home = ${homeOf}(index, tag);
    if (home < homes.x || home > homes.y) { continue; }
    if (home == homes.x || home == homes.y) {
      let hash = ${hashOf}(index * ${layout.slots}u + s, tag).x;
      if (hash < hashes.x || hash > hashes.y) { continue; }
    }
    mask |= 1u << s;
  }
  var at = 0u;
  if (mask != 0u) { at = atomicAdd(&${count}, countOneBits(mask)); }
  for (; mask != 0u && at < ${mostKeys}u; mask &= mask - 1u) {
    ${listed}[at] = index * ${layout.slots}u + firstTrailingBit(mask);
    at++;
  }
}`;
  return kernel({
    label: 'regionCuckoo/collect',
    threads: THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  let regions = ${header}.regions;
  if (group >= regions) { return; }
  // The first and the last hash of the region, and their old buckets.
  var hashes = vec2u(${firstHash}(group, regions), 0xffffffffu);
  if (group + 1u < regions) { hashes.y = ${firstHash}(group + 1u, regions) - 1u; }
  let oldBuckets = ${old}.regions << ${old}.bucketBits;
  let homes = vec2u(${multiplyHigh}(hashes.x, oldBuckets), ${multiplyHigh}(hashes.y, oldBuckets));
  // Who is away from home is in the same region.
  let firstBucket = homes.x & ~((1u << ${old}.bucketBits) - 1u);
  let lastBucket = homes.y | ((1u << ${old}.bucketBits) - 1u);
  for (var index = firstBucket + thread; index <= lastBucket; index += ${THREADS}u) {
    ${listBucket}(index, hashes, homes);
  }
  workgroupBarrier();
  let found = atomicLoad(&${count});
  let most = min(found, ${mostKeys}u);
  if (thread == 0u) {
    if (found > most) { atomicAdd(&${counters}.left, found - most); }
    ${start} = atomicAdd(&${listedCount}, most);
    ${rangesOut}[group] = vec2u(${start}, ${start} + most);
  }
  workgroupBarrier();
  for (var i = thread; i < most; i += ${THREADS}u) { ${parcels.bufferOut}[${start} + i] = ${parcelOf}(${listed}[i]); }`,
  });
}
