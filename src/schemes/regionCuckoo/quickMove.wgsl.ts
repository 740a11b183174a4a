/** What is in a table goes to one of another size in one pass: every new region takes its keys from the old ones. */
import {
  type Binding,
  join,
  type Kernel,
  kernel,
  once,
  storage,
  unrolled,
  type Wgsl,
  type WgslPart,
  wgsl,
} from '../../wgsl/index.ts';
import { counters, HeaderLayout, type RecordMove, TableView } from '../contract/index.ts';
import { newKeys } from '../kit/batch/ends.wgsl.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import { regionThreads } from '../kit/quick/slots.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { emptyTag } from './layout.wgsl.ts';
import { oldRegions, type Sized } from './oldRegions.wgsl.ts';
import { quickRegion, quickRegionFits, wholeBuckets } from './quickRegion.wgsl.ts';
import type { Shape } from './shape.ts';
import { sideOut } from './slots.wgsl.ts';

/** A key is numbered by its slot among the old regions, as if all buckets had eight. */
const NUMBER_BITS = 16;

/** Old buckets that a thread loads at a time. */
const LOADED = 2;

/** The words of old buckets. */
const oldWords = storage('oldWords', 'array<u32>');

/** Whether keys can be numbered, and a device has enough workgroup memory. */
export function quickMoveFits(before: Shape, after: Shape, limits: GPUSupportedLimits): boolean {
  const overlapping = Math.ceil(before.regions / after.regions) + 1;
  return (
    overlapping * before.regionBuckets * BUCKET_WORDS <= 2 ** NUMBER_BITS && quickRegionFits(after, NUMBER_BITS, limits)
  );
}

/** The way itself. Keys of regions that are given up do not arrive. */
export function quickMove(before: Sized, after: Sized, limits: GPUSupportedLimits): RecordMove {
  const view = new TableView(before.plan);
  const header = HeaderLayout.of(after.plan.fields).forReading();
  const program = once(() => moveKernel(before.shape, view, after.shape, header, regionThreads(limits)));
  return (recorder, { from, to, counters: buffer }) =>
    recorder.run(
      program(),
      [
        [header, to.header],
        [counters, buffer],
        ...view.bind(from),
        [oldWords, from.get('buckets')],
        [wholeBuckets, to.get('buckets')],
        [sideOut, to.get('side')],
      ],
      after.shape.regions,
    );
}

function moveKernel(before: Shape, view: TableView, after: Shape, header: Binding, threads: number): Kernel {
  const { layout, exact, payloadWords } = before;
  const { slots } = layout;
  const { code, buckets, homeOf, hashOf, originOf, hashIn, findOld } = oldRegions(before, view, header);
  const { locate, Address } = geometry(after, header);
  const start = wgsl`var<private> start: u32;`;
  const bucketOf = (number: WgslPart): Wgsl => wgsl`(${start} + ${number} / ${BUCKET_WORDS}u)`;
  const oldSlot = wgsl`
fn oldSlot(number: u32) -> u32 {
  return ${bucketOf('number')} * ${slots}u + number % ${BUCKET_WORDS}u;
}`;
  const addressOf = wgsl`
fn addressOf(number: u32) -> ${Address} {
  let tag = ${code.tagOf}(${buckets}[${bucketOf('number')}], number % ${BUCKET_WORDS}u);
  return ${locate}(${hashOf}(${oldSlot}(number), tag));
}`;
  const copied = Array.from(
    { length: payloadWords },
    (_, w) =>
      wgsl`${sideOut}[slot * ${payloadWords}u + ${w}u] = ${view.buffer('side')}[origin * ${payloadWords}u + ${w}u];`,
  );
  const { goHome, sizes, finish } = quickRegion({
    shape: after,
    header,
    numberBits: NUMBER_BITS,
    addressOf: (number) => wgsl`${addressOf}(${number})`,
    areDistinct: true,
    valueAt: (number) => wgsl`${oldWords}[${start} * ${BUCKET_WORDS}u + ${number}]`,
    storeBeside: wgsl`
      let origin = ${oldSlot}(number);
      ${join(copied, '\n      ')}`,
  });
  // The origin is the same for most keys of a bucket.
  const exactHash = wgsl`
        if (home != known) {
          known = home;
          origin = ${originOf}(home);
        }
        let hash = vec2u(${hashIn}(origin, tag >> 1u), 0u);`;
  const take = wgsl`
      ${exact ? wgsl`var known = ${NONE};\n      var origin = vec2u();` : ''}
      // Of buckets beside the range, only those who are away can be at home in it.
      let isInside = index >= homes.x && index <= homes.y;
      let wanted = select(${code.notAtHome}(bucket), 0xffu, isInside) & ~${code.matches}(bucket, ${emptyTag(layout)}u);
      for (var s = 0u; s < ${slots}u; s++) {
        if (((wanted >> s) & 1u) == 0u) { continue; }
        let tag = ${code.tagOf}(bucket, s);
        let home = ${homeOf}(index, tag);
        if (home < homes.x || home > homes.y) { continue; }
        ${exact ? exactHash : wgsl`let hash = ${hashOf}(index * ${slots}u + s, tag);`}
        if (hash.x < hashes.x || hash.x > hashes.y) { continue; }
        ${goHome}(${locate}(hash), (index - firstOld) * ${BUCKET_WORDS}u + s);
        arrived++;
      }`;
  return kernel({
    label: 'regionCuckoo/quickMove',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
  let region = group;
  if (region >= ${header}.regions) { return; }
  ${findOld}
  ${sizes}
  ${start} = firstOld;
  let fits = true;
  var arrived = 0u;
  for (var base = firstOld + thread; base <= lastOld; base += ${LOADED * threads}u) {
    ${unrolled(LOADED, (k) => wgsl`let bucket${k} = ${buckets}[min(base + ${k * threads}u, lastOld)];`)}
    // Loads are under way together, but what is done with a bucket is written once.
    for (var k = 0u; k < ${LOADED}u; k++) {
      let index = base + k * ${threads}u;
      if (index > lastOld) { break; }
      var bucket = bucket0;
      if (k == 1u) { bucket = bucket1; }
      ${take}
    }
  }
  ${finish(threads)}
  if (isFilled) { ${newKeys.add('arrived')} }
  ${newKeys.flush}`,
  });
}
