/**
 * Builds a region in workgroup memory. Every slot there holds the number of an item of the region. Items go home or walk
 * (`walk.wgsl.ts`), then every bucket is written to memory. If copies are met and the policy does not forbid them, all of
 * it is done a second time with one item of each key (`oneOfEachKey.wgsl.ts`).
 */
import { type Kernel, kernel, wgsl } from '../../wgsl/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { beginAgainIfCrowded, chooseOneOfEachKey, meetings } from './oneOfEachKey.wgsl.ts';
import { clearOverflow } from './overflow.wgsl.ts';
import type { BuildParts } from './parcels.wgsl.ts';
import { leaveIfDone, regionInput, regionShape } from './regionInput.wgsl.ts';
import { regionState } from './regionState.wgsl.ts';
import type { Way } from './shape.ts';
import { homesAndWalks, spills } from './walk.wgsl.ts';
import { writeBucket } from './writeBucket.wgsl.ts';

/** Workgroups at most: where another kernel was there first, most of them have nothing to do. */
export const REGION_GROUPS = 4096;

/**
 * The kernel for parcels that came that way, with that many threads.
 * @param isSecond whether `quickRegion.wgsl.ts` was there first
 */
export function regionKernel(parts: BuildParts, way: Way | undefined, threads: number, isSecond: boolean): Kernel {
  const state = regionState(parts, threads);
  const { clear, forget, start, held, copiesMet, verdict } = state;
  const { header } = parts.view;
  const dropsCopies = !forbidsCopies(parts.shape.request.duplicates);
  const { goHome, walkHomeless } = homesAndWalks(state);
  const toOverflow = spills(state);
  const { leaveBehind, spill } = toOverflow;
  const met = meetings(state);

  const enterRegion = wgsl`
  let room = ${regionShape}.y;
  ${isSecond ? '' : clearOverflow(parts.shape, header, threads)}
  ${regionInput(parts, threads, way, isSecond)}
  ${start} = first;
  if (thread == 0u) { ${forget} }`;

  const leaveSurplusBehind = wgsl`
    if (!chosen) {
      for (var i = room + thread; i < count; i += ${threads}u) { ${leaveBehind}(i); }
    }`;

  const writeBuckets = wgsl`
    for (var b = thread; b < ${header}.bucketsPerRegion; b += ${threads}u) { ${writeBucket(state, met)}(region, b); }`;

  const reportCopiesOfOthers = wgsl`
    if (!chosen) {
      for (var left = leftOver; left != 0u; left &= left - 1u) { ${met.reportCopies}(${held}[firstTrailingBit(left)]); }
      for (var i = room + thread; i < count; i += ${threads}u) { ${met.reportCopies}(i); }
    }`;

  const spillOthers = wgsl`
  for (; leftOver != 0u; leftOver &= leftOver - 1u) { ${spill}(${held}[firstTrailingBit(leftOver)]); }
  if (!chosen) {
    for (var i = room + thread; i < count; i += ${threads}u) { ${spill}(i); }
  }`;

  return kernel({
    label: 'bucketCuckoo/region',
    threads,
    itemsPerGroup: 1,
    body: wgsl`
${isSecond && way ? leaveIfDone(way) : ''}
for (var region = group; region < ${regionShape}.x; region += ${REGION_GROUPS}u) {
  ${enterRegion}
  // Whether there is one item of each key. With more items than slots there are copies, or all is lost anyway.
  var chosen = ${dropsCopies ? 'count > room' : 'false'};
  var leftOver = 0u;
  for (var attempt = 0u; attempt < 2u; attempt++) {
    ${clear}(thread, 0u);
    if (chosen) { ${dropsCopies ? chooseOneOfEachKey(state, toOverflow) : ''} }

    var homeless = 0u;
    leftOver = 0u;
    ${goHome}
    ${dropsCopies ? beginAgainIfCrowded(state) : ''}
    workgroupBarrier();
    ${walkHomeless}
    ${leaveSurplusBehind}
    workgroupBarrier();

    ${writeBuckets}
    ${reportCopiesOfOthers}
    workgroupBarrier();
    if (thread == 0u) { ${verdict} = atomicLoad(&${copiesMet}); }
    if (chosen || workgroupUniformLoad(&${verdict}) == 0u) { break; }
    chosen = true;
  }
  ${spillOthers}
}`,
  });
}
