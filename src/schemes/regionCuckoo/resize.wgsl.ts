/**
 * From one size to another without a partition: the workgroup of a new region finds its keys in the old ones. Most regions are filled
 * at once (`quickMove.wgsl.ts`). For those that are given up the keys are listed as parcels, and an ordinary insertion takes them
 * from there.
 */
import { type Bound, extentCount, type Gpu, type Recorder } from '../../gpu/index.ts';
import { keysView } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { type Binding, type Kernel, kept, kernel, once, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { counters, type DynamicPlan, HeaderLayout, type Move, type RecordMove, TableView } from '../contract/index.ts';
import { type Parcels, parcelsOf } from '../kit/partition/parcels.wgsl.ts';
import { regionThreads } from '../kit/quick/slots.wgsl.ts';
import { type InsertKind, insertKernel } from './insert.wgsl.ts';
import { emptyTag } from './layout.wgsl.ts';
import { oldRegions } from './oldRegions.wgsl.ts';
import { givenUpOut, oldWords, quickMoveFits, quickMoveKernel } from './quickMove.wgsl.ts';
import { wholeBuckets } from './quickRegion.wgsl.ts';
import { regionOf } from './region.wgsl.ts';
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

/** Regions whose keys are listed: how many, and which. */
const givenUp = storage('givenUp', 'array<u32>');
/** Where the parcels of each of them begin and end. */
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
  const quickOn = kept(({ limits }: Gpu) =>
    quickMoveFits(before.shape, shape, limits)
      ? quickMoveKernel(before.shape, view, shape, header, regionThreads(limits))
      : undefined,
  );
  return (recorder: Recorder, { from, to, keys: count, counters: buffer, workspace }: Move) => {
    const { regions } = shape;
    const { collect, insert } = kernels();
    // A batch has parcels too, and they are never needed at the same time.
    const parcelBuffer = workspace.scratch('regionCuckoo/parcels', count * parcels.words * 4);
    const rangeBuffer = workspace.scratch('regionCuckoo/ranges', regions * 8);
    const listed = workspace.scratch('regionCuckoo/listedCount', 4);
    const list = workspace.scratch('regionCuckoo/givenUp', (1 + regions) * 4);
    const each = recorder.extent(regions);
    for (const output of [listed, list]) recordFill(recorder, { output, value: 0, items: 1 });
    const arriving: Bound = [
      [header, to.header],
      [counters, buffer],
    ];
    const leaving: Bound = [...arriving, ...view.bind(from)];
    const moved: Bound = [
      ...leaving,
      [oldWords, from.get('buckets')],
      [wholeBuckets, to.get('buckets')],
      [sideOut, to.get('side')],
      [givenUpOut, list],
      [extentCount, each.count],
    ];
    const quick = quickOn(recorder.gpu);
    if (!quick) after.plan.recordClear(recorder, to);
    recorder.run(quick ?? giveUpAll, moved, regions);
    const gate = workspace.gate('regionCuckoo/move', regions);
    gate.open(recorder, { buffer: list }, regions);
    const behind = recorder.behind(gate);
    const collected: Bound = [
      ...leaving,
      [givenUp, list],
      [rangesOut, rangeBuffer],
      [listedCount, listed],
      [parcels.bufferOut, parcelBuffer],
    ];
    behind.run(collect, collected, gate.extent(regions));
    const inserted: Bound = [
      ...arriving,
      ...(inTable.context && to.context ? [[inTable.context, to.context] as const] : []),
      [givenUp, list],
      [ranges, rangeBuffer],
      [parcels.buffer, parcelBuffer],
      [bucketsOut, to.get('buckets')],
      [sideOut, to.get('side')],
    ];
    behind.run(insert, inserted, gate.extent(regions));
    gate.seal();
  };
}

/** Where no region is filled quickly. */
const giveUpAll = kernel({
  label: 'regionCuckoo/giveUpAll',
  threads: 256,
  body: wgsl`
  if (item == 0u) { atomicStore(&${givenUpOut}[0], ${extentCount}); }
  if (item < ${extentCount}) { atomicStore(&${givenUpOut}[1u + item], item); }`,
});

/** Where the parcels of a region have a range. */
const enterRange = (header: Binding): Wgsl => wgsl`
  if (group >= ${givenUp}[0]) { return; }
  let firstBucket = ${givenUp}[1u + group] << ${header}.bucketBits;
  let first = ${ranges}[group].x;
  let end = ${ranges}[group].y;
  if (first == end) { return; }`;

/** Lists the keys of a new region. Those that are more than a region can hold are left. */
function collectKernel(before: Shape, view: TableView, after: Shape, header: Binding, parcels: Parcels): Kernel {
  const { layout, exact, request } = before;
  const { code, buckets, homeOf, hashOf, payloadKey, valueAt, findOld } = oldRegions(before, view, header);
  const mostKeys = after.layout.regionBuckets * after.layout.slots;
  const listed = wgsl`var<workgroup> listed: array<u32, ${mostKeys}>;`;
  const count = wgsl`var<workgroup> count: atomic<u32>;`;
  const start = wgsl`var<workgroup> start: u32;`;
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
  if (group >= ${givenUp}[0]) { return; }
  let region = ${givenUp}[1u + group];
  ${findOld}
  for (var index = firstOld + thread; index <= lastOld; index += ${THREADS}u) {
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
