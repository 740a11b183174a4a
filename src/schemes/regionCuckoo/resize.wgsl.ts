/**
 * From one size to another without a partition: the workgroup of a new region finds its keys in the old ones. Most tables are filled
 * at once (`quickMove.wgsl.ts`). Where that is not enough, the keys of every region are listed as parcels, and an ordinary insertion
 * takes them from there.
 */
import type { Bound, Recorder } from '../../gpu/index.ts';
import { keysView } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { type Binding, type Kernel, kernel, once, storage, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import { counters, HeaderLayout, type Move, type RecordMove, TableView } from '../contract/index.ts';
import { type Parcels, parcelsOf } from '../kit/partition/parcels.wgsl.ts';
import { type InsertKind, insertKernel } from './insert.wgsl.ts';
import { emptyTag } from './layout.wgsl.ts';
import { oldRegions, type Sized } from './oldRegions.wgsl.ts';
import { quickMove, quickMoveFits } from './quickMove.wgsl.ts';
import { type Entry, entryBy, regionOf } from './region.wgsl.ts';
import type { Shape } from './shape.ts';
import { sideOut } from './slots.wgsl.ts';
import { bucketsOut } from './tagStore.wgsl.ts';

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

/** How a table takes over all that is in one of another size, which has the same hash constants; the quickest way first. */
export const movesFrom = (before: Sized, after: Sized, limits: GPUSupportedLimits): readonly RecordMove[] => [
  ...(quickMoveFits(before.shape, after.shape, limits) ? [quickMove(before, after, limits)] : []),
  thoroughMove(before, after),
];

function thoroughMove(before: Sized, after: Sized): RecordMove {
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
    after.plan.recordClear(recorder, to);
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
const enterRange = (header: Binding): Entry =>
  entryBy(
    header,
    wgsl`
  let first = ${ranges}[group].x;
  let end = ${ranges}[group].y;`,
  );

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
  let region = group;
  if (region >= ${header}.regions) { return; }
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
