/**
 * Where a workgroup finds the items of its region. A partition has put them into a bin; or the workgroup looks through the
 * whole input for them, because the table is small or because the bin overflowed.
 */
import { type Kernel, kernel, storage, uniform, unrolled, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { STATUS } from '../contract/index.ts';
import { geometry } from './geometry.wgsl.ts';
import type { BuildParts } from './parcels.wgsl.ts';
import type { Way } from './shape.ts';

/** Regions, slots of each, the room of a bin, and all items. */
export const regionShape = uniform('regionShape', 'vec4u');
/** Where bins end. */
export const regionEnds = storage('regionEnds', 'array<u32>');
/** The same, with a cursor behind them for what regions gather. */
export const regionCursors = storage('regionEnds', 'array<atomic<u32>>', 'read_write');
/** What stands instead of the end of a bin whose region is built. */
export const DONE = '0xfffffffeu';

/** A statement for a region that was given up: where nothing is gathered, the word behind the ends says whether there is one. */
export const noteGivenUp = wgsl`atomicStore(&${regionCursors}[${regionShape}.x], ${DONE});`;

/** Statements that end a kernel which follows the quick one if there is nothing left to do. */
export const leaveIfDone = ({ gathers }: Way): Wgsl =>
  gathers === 'none' ? wgsl`if (${regionEnds}[${regionShape}.x] != ${DONE}) { return; }` : wgsl``;

/** Says so if the quick way has not built all regions. */
export const finishedKernel = ({ view }: BuildParts): Kernel =>
  kernel({
    label: 'bucketCuckoo/finished',
    threads: 256,
    body: wgsl`
  if (item < ${regionShape}.x && ${regionEnds}[item] != ${DONE}) { atomicOr(&${view.header}.status, ${STATUS.unfinished}u); }`,
  });

/** Items that a thread loads at a time. */
const LOADED = 4;

/** A number that the whole workgroup has to know. */
const known = wgsl`var<workgroup> known: u32;`;

/**
 * Statements that see `region` and `thread` and say where the parcels are: `first` and `count`, the same for all threads. They
 * go on to the next region where there is nothing to do.
 * @param isSecond whether another kernel was there first and may have built the region
 */
export function regionInput(parts: BuildParts, threads: number, way: Way | undefined, isSecond: boolean): Wgsl {
  switch (way?.gathers) {
    case undefined:
      return countedBin;
    case 'none':
      return binOrFailure(parts, isSecond);
    case 'crowded':
      return binOrGathered(parts, threads, isSecond);
    case 'all':
      return gathered(parts, threads, isSecond);
  }
}

const countedBin = wgsl`
  var first = 0u;
  if (region > 0u) { first = ${regionEnds}[region - 1u]; }
  let count = ${regionEnds}[region] - first;`;

const binOrFailure = ({ view }: BuildParts, isSecond: boolean): Wgsl => wgsl`
  let first = region * ${regionShape}.z;
  let end = ${regionEnds}[region];
  ${isSecond ? `if (end == ${DONE}) { continue; }` : ''}
  let count = end - first;
  if (count > ${regionShape}.z) {
    if (thread == 0u) {
      atomicOr(&${view.header}.status, ${STATUS.retry}u);
      atomicAdd(&${view.header}.failed, 1u);
    }
    continue;
  }`;

const endOfBin = (isSecond: boolean): Wgsl => wgsl`
  if (thread == 0u) { ${known} = atomicLoad(&${regionCursors}[region]); }
  let end = workgroupUniformLoad(&${known});
  ${isSecond ? `if (end == ${DONE}) { continue; }` : ''}`;

function binOrGathered(parts: BuildParts, threads: number, isSecond: boolean): Wgsl {
  const { tally, store, met } = gathering(parts, threads);
  return wgsl`
  var first = region * ${regionShape}.z;
  ${endOfBin(isSecond)}
  var count = end - first;
  if (count > ${regionShape}.z) {
    ${tally}(region, thread);
    count = ${met}(thread);
    if (thread == 0u) { ${known} = atomicAdd(&${regionCursors}[${regionShape}.x], count); }
    first = workgroupUniformLoad(&${known});
    ${store}(region, first, thread);
    count = ${met}(thread);
  }`;
}

function gathered(parts: BuildParts, threads: number, isSecond: boolean): Wgsl {
  const { store, met } = gathering(parts, threads);
  return wgsl`
  ${isSecond ? endOfBin(true) : ''}
  let first = region * ${regionShape}.z;
  ${store}(region, first, thread);
  let count = ${met}(thread);`;
}

/** How a workgroup gathers the parcels of its region. */
function gathering(parts: BuildParts, threads: number) {
  const { parcels } = parts;
  const counted = wgsl`var<workgroup> counted: atomic<u32>;`;
  return {
    /** WGSL: `(region: u32, thread: u32)`, counts them. */
    tally: wgsl`
fn tally(region: u32, thread: u32) {
  ${lookThrough(parts, threads, () => wgsl`atomicAdd(&${counted}, 1u);`)}
}`,
    /** WGSL: `(region: u32, first: u32, thread: u32)`, counts them and puts them one after the other. */
    store: wgsl`
fn store(region: u32, first: u32, thread: u32) {
  ${lookThrough(parts, threads, (k) => wgsl`${parcels.buffer}[first + atomicAdd(&${counted}, 1u)] = parcel${k};`)}
}`,
    /** WGSL: `(thread: u32) -> u32`, how many there were, and all threads see what was stored. */
    met: wgsl`
fn met(thread: u32) -> u32 {
  storageBarrier();
  workgroupBarrier();
  if (thread == 0u) { ${known} = atomicExchange(&${counted}, 0u); }
  return workgroupUniformLoad(&${known});
}`,
  };
}

/** Statements that go through the input; `found` is for the k-th of the items that a thread loads at a time, if it is of the `region`. */
export function lookThrough({ shape, view, parcels }: BuildParts, threads: number, found: (k: number) => Wgsl): Wgsl {
  const { locate } = geometry(shape, view.header);
  const load = (k: number): Wgsl => wgsl`
    let item${k} = base + ${k * threads}u;
    var parcel${k}: ${parcels.type};
    if (item${k} < total) { parcel${k} = ${parcels.fromInput(`item${k}`)}; }`;
  const use = (k: number): Wgsl => wgsl`
    if (item${k} < total && ${locate}(${parcels.hash(`parcel${k}`)}).region == region) { ${found(k)} }`;
  return wgsl`
  let total = min(${view.header}.count, ${regionShape}.w);
  for (var base = thread; base < total; base += ${LOADED * threads}u) {
    ${unrolled(LOADED, load)}
    ${unrolled(LOADED, use)}
  }`;
}
