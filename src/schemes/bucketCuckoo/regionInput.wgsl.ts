/**
 * Where a workgroup finds the items of its region. A partition has put them into a bin; or the workgroup looks through the
 * whole input for them, because the table is small or because the bin overflowed.
 */
import { type Binding, type Kernel, kernel, storage, uniform, unrolled, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { STATUS } from '../contract/index.ts';
import { cursors, type Opening } from '../kit/partition/pass.wgsl.ts';
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

/** What the word behind the ends is where nothing is gathered: a region was given up, or even the bin of one was too small. */
const GIVEN_UP = DONE;
const CROWDED = '0xffffffffu';

/** A statement for a region of `count` parcels that was given up. */
export const noteGivenUp = wgsl`
      atomicMax(&${regionCursors}[${regionShape}.x], select(${GIVEN_UP}, ${CROWDED}, count > ${regionShape}.z));`;

/** Statements that end a kernel which follows the quick one if there is nothing left to do. */
export const leaveIfDone = ({ gathers }: Way): Wgsl =>
  gathers === 'none' ? wgsl`if (${regionEnds}[${regionShape}.x] < ${GIVEN_UP}) { return; }` : wgsl``;

/** Where the bin of a region was too small: whether parcels are counted after all, as the header says. */
export const isCounted = (header: Binding): Wgsl => wgsl`(${header}.restarts != 0u)`;

/** Says in the header whether parcels are counted after all. */
export const countInstead = ({ view }: Pick<BuildParts, 'view'>): Opening => {
  const isNeeded = wgsl`(atomicLoad(&${cursors}[${regionShape}.x]) == ${CROWDED})`;
  return { isNeeded, code: wgsl`if (item == 0u && ${isNeeded}) { atomicStore(&${view.header}.restarts, 1u); }` };
};

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
      return roomyOrCountedBin;
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

// Another kernel was there first, and built what it could unless all parcels are counted now.
const roomyOrCountedBin = wgsl`
  let isCounted = ${regionEnds}[${regionShape}.x] == ${CROWDED};
  let end = ${regionEnds}[region];
  if (!isCounted && end == ${DONE}) { continue; }
  var first = region * ${regionShape}.z;
  if (isCounted) { first = select(0u, ${regionEnds}[max(region, 1u) - 1u], region > 0u); }
  let count = end - first;`;

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
