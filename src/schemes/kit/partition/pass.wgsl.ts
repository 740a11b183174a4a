/**
 * The kernels of one partition pass. A tile of parcels is ordered by bin in workgroup memory first, so that it leaves in
 * runs, and takes its positions in all bins by one global add each. Bins lie close together where they were counted
 * first, and otherwise have some room each; a cursor that has passed the end of its bin tells that the room was too small.
 */
import { threadsOn, workgroupBytes } from '../../../gpu/index.ts';
import { fromWords, wordAt } from '../../../keys/index.ts';
import { workgroupScan } from '../../../primitives/workgroupScan.wgsl.ts';
import {
  type Binding,
  type Kernel,
  kernel,
  storage,
  uniform,
  unrolled,
  type Wgsl,
  type WgslPart,
  WORD_BYTES,
  wgsl,
} from '../../../wgsl/index.ts';

/** Threads that scatter: those of parcels of many words, and of others. */
const FEW_THREADS = 256;
const MANY_THREADS = 384;
/** Words of workgroup memory for single variables. */
const SINGLE_WORDS = 32;

const threadsFor = (words: number, limits: GPUSupportedLimits): number =>
  threadsOn(limits, words <= 2 ? MANY_THREADS : FEW_THREADS);

/** Parcels of a tile that a thread looks after at most: it holds all of their words. */
const mostPerThread = (words: number): number => (words === 1 ? 12 : Math.max(2, Math.min(8, Math.floor(32 / words))));

const COUNT_THREADS = 256;
const COUNT_TILE = COUNT_THREADS * 16;

/** Ends of the bins that the input of a pass is in, and cursors of those it is going to. */
export const sourceEnds = storage('sourceEnds', 'array<u32>');
export const cursors = storage('cursors', 'array<atomic<u32>>', 'read_write');
/** Source bins, workgroups that share one, bins that each is split into, and the bits of a region's number inside one. */
export const passShape = uniform('passShape', 'vec4u');
/** Where bins were not counted: the room of a source bin, and of those it is split into. */
export const binRooms = uniform('binRooms', 'vec2u');
/** What a cursor is set to if its bin will not get all of its parcels. */
const TOO_MANY = '0xffffffffu';
/** A run that finds no room stays where it is. */
const NO_MOVE = '0x80000000u';

/** What is partitioned, as kernels see it. */
export interface Partitioned {
  /** The scheme, for labels. */
  readonly owner: string;
  /** The WGSL type of a parcel, and its words. */
  readonly type: WgslPart;
  readonly words: number;
  /** Parcels go from one buffer to the other. */
  readonly buffer: Binding;
  readonly bufferOut: Binding;
  /** How many items there are. */
  readonly count: WgslPart;
  /** The parcel of an item of the input. */
  fromInput(item: WgslPart): WgslPart;
  /** Whether that takes so long that no parcel must be made in vain. */
  readonly isCostly: boolean;
  /** The number of its region. */
  regionOf(parcel: WgslPart): WgslPart;
  /** WGSL that says of an item's parcel whether it is taken, where not all are. */
  isWanted?(parcel: WgslPart): WgslPart;
  /** Whether a thread looks after one at a time: kernels that are not written out for several are compiled sooner. */
  readonly oneByOne?: boolean;
  /** Whether this is needed, where it is recorded in case that something else did not work out. It is counted then. If it is not, nothing is touched. */
  readonly isNeeded?: WgslPart;
  /** What the first kernel does too. */
  readonly opening?: Opening;
  /** A statement for a bin that turns out too small. */
  readonly noteOverflow?: Wgsl;
}

/** What belongs to a partition's first kernel, which has at least as many threads as there are regions. */
export interface Opening {
  /** Statements that see `item`. */
  readonly code: Wgsl;
  /** How it shows there that the partition is needed, if otherwise than later. */
  readonly isNeeded?: WgslPart;
}

export interface Pass {
  /** The items of the input, or the parcels of the pass before. */
  readonly from: 'input' | 'coarse';
  /** The bin inside the source bin, from a region's number. */
  readonly digit: WgslPart;
  readonly sourceBins: number;
  readonly bins: number;
  /** Whether the parcels of each bin are counted first. */
  readonly counted: boolean;
}

export interface PassKernel {
  readonly program: Kernel;
  /** Parcels that a workgroup handles at a time. */
  readonly tile: number;
}

export interface PassKernels {
  /** Present if the pass counts. */
  readonly count: PassKernel | undefined;
  /** Turns counts into starts where that may not be needed. */
  readonly scan: Kernel | undefined;
  readonly scatter: PassKernel;
}

export function passKernels(parcels: Partitioned, pass: Pass, limits: GPUSupportedLimits): PassKernels {
  const threads = threadsFor(parcels.words, limits);
  const steps = passSteps(parcels, pass, threads);
  // A tile is kept a word of every parcel at a time, beside two words for every bin.
  const memory = workgroupBytes(limits) / WORD_BYTES - 2 * steps.binWords - SINGLE_WORDS;
  const most = parcels.oneByOne ? 1 : mostPerThread(parcels.words);
  const tilePerThread = Math.max(1, Math.min(most, Math.floor(memory / threads)));
  return {
    count: pass.counted ? { program: countKernel(steps), tile: COUNT_TILE } : undefined,
    scan: parcels.isNeeded ? scanKernel(parcels.owner, parcels.isNeeded) : undefined,
    scatter: { program: scatterKernel(steps, tilePerThread), tile: threads * tilePerThread },
  };
}

/** What counting and scattering have in common. */
interface PassSteps {
  readonly parcels: Partitioned;
  /** Statements that find the part of the input that this workgroup works on; `group` may run past the end. */
  readonly findRange: Wgsl;
  readonly load: (item: string) => Wgsl;
  readonly binOf: (parcel: WgslPart) => Wgsl;
  /** Whether a parcel takes part. */
  readonly takes: (parcel: WgslPart) => WgslPart;
  /** A counter for every bin, and how many there are: a multiple of the threads. */
  readonly counts: Wgsl;
  readonly binWords: number;
  readonly counted: boolean;
  /** Threads that scatter. */
  readonly threads: number;
}

function passSteps(parcels: Partitioned, { from, digit, bins, counted }: Pass, threads: number): PassSteps {
  const digitOf = wgsl`
fn digitOf(region: u32) -> u32 {
  return ${digit};
}`;
  const { isWanted } = parcels;
  const leave = parcels.isNeeded ? wgsl`if (!${parcels.isNeeded}) { return; }` : '';
  const wholeInput = wgsl`
  ${leave}
  let first = 0u;
  let end = ${parcels.count};
  let source = 0u;
  let share = group;`;
  const countedStart = wgsl`
  var first = 0u;
  if (source > 0u) { first = ${sourceEnds}[source - 1u]; }`;
  const roomyStart = wgsl`
  let first = source * ${binRooms}.x;
  if (end > first + ${binRooms}.x) {
    if (thread == 0u) { atomicStore(&${cursors}[source * ${passShape}.z], ${TOO_MANY}); }
    return;
  }`;
  const sourceBin = wgsl`
  ${leave}
  let source = group / ${passShape}.y;
  if (source >= ${passShape}.x) { return; }
  let share = group % ${passShape}.y;
  let end = ${sourceEnds}[source];
  ${counted ? countedStart : roomyStart}`;
  const binWords = Math.ceil(bins / threads) * threads;
  return {
    parcels,
    findRange: from === 'input' ? wholeInput : sourceBin,
    load: (item) => wgsl`${from === 'input' ? parcels.fromInput(item) : wgsl`${parcels.buffer}[${item}]`}`,
    binOf: (parcel) => wgsl`${digitOf}(${parcels.regionOf(parcel)})`,
    takes: (parcel) => (from === 'input' && isWanted ? isWanted(parcel) : 'true'),
    counts: wgsl`var<workgroup> counts: array<atomic<u32>, ${binWords}>;`,
    binWords,
    counted,
    threads,
  };
}

const countKernel = ({ parcels, findRange, load, binOf, takes, counts }: PassSteps): Kernel =>
  kernel({
    label: `${parcels.owner}/count`,
    threads: COUNT_THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  ${findRange}
  for (var base = first + share * ${COUNT_TILE}u; base < end; base += ${passShape}.y * ${COUNT_TILE}u) {
    for (var i = base + thread; i < min(end, base + ${COUNT_TILE}u); i += ${COUNT_THREADS}u) {
      let parcel = ${load('i')};
      if (${takes('parcel')}) { atomicAdd(&${counts}[${binOf('parcel')}], 1u); }
    }
  }
  workgroupBarrier();
  for (var bin = thread; bin < ${passShape}.z; bin += ${COUNT_THREADS}u) {
    let counted = atomicLoad(&${counts}[bin]);
    if (counted > 0u) { atomicAdd(&${cursors}[source * ${passShape}.z + bin], counted); }
  }`,
  });

/** Bins that a thread scans at a time. */
const SCANNED = 16;

/** One workgroup turns the counts of bins into where they start, if that is needed: several kernels would take longer to find out. */
const scanKernel = (owner: string, isNeeded: WgslPart): Kernel => {
  const sums = wgsl`var<workgroup> sums: array<u32, ${COUNT_THREADS}>;`;
  const own = Array.from({ length: SCANNED }, (_, k) => `count${k}`).join(' + ');
  return kernel({
    label: `${owner}/scan`,
    threads: COUNT_THREADS,
    itemsPerGroup: 1,
    body: wgsl`
  if (!${isNeeded}) { return; }
  let bins = ${passShape}.x;
  var before = 0u;
  for (var base = 0u; base < bins; base += ${COUNT_THREADS * SCANNED}u) {
    let first = base + thread * ${SCANNED}u;
    ${unrolled(
      SCANNED,
      (k) => wgsl`
    let count${k} = select(0u, atomicLoad(&${cursors}[min(first + ${k}u, bins - 1u)]), first + ${k}u < bins);`,
    )}
    let scanned = ${workgroupScan(COUNT_THREADS, sums)}(${own}, thread);
    var next = before + scanned.before;
    ${unrolled(
      SCANNED,
      (k) => wgsl`
    if (first + ${k}u < bins) { atomicStore(&${cursors}[first + ${k}u], next); }
    next += count${k};`,
    )}
    before += scanned.total;
    workgroupBarrier();
  }`,
  });
};

/** @param perThread parcels of a tile that a thread looks after */
function scatterKernel(
  { parcels, findRange, load, binOf, takes, counts, binWords, counted, threads }: PassSteps,
  perThread: number,
): Kernel {
  const tile = threads * perThread;
  const binsPerThread = binWords / threads;
  const staged = wgsl`var<workgroup> staged: array<u32, ${tile}>;`;
  // How far it is from a parcel's position in the tile to the one in memory.
  const moves = wgsl`var<workgroup> moves: array<u32, ${binWords}>;`;
  const scan = workgroupScan(threads, moves);
  const ownCounts = Array.from({ length: binsPerThread }, (_, b) => `counted${b}`);

  const loadIfInside = (e: number): Wgsl => wgsl`
    var parcel${e}: ${parcels.type};
    if (item${e} < end) { parcel${e} = ${load(`item${e}`)}; }`;
  const loadParcel = (e: number): Wgsl => wgsl`
    let item${e} = base + ${e * threads}u + thread;
    let from${e} = min(item${e}, end - 1u);
    ${parcels.isCostly ? loadIfInside(e) : wgsl`let parcel${e} = ${load(`from${e}`)};`}`;
  const offsetInBin = (e: number): Wgsl => wgsl`
    let bin${e} = ${binOf(`parcel${e}`)};
    var offset${e} = 0u;
    let takes${e} = item${e} < end && ${takes(`parcel${e}`)};
    if (takes${e}) { offset${e} = atomicAdd(&${counts}[bin${e}], 1u); }`;
  const readCount = (b: number): Wgsl =>
    wgsl`let counted${b} = atomicLoad(&${counts}[thread * ${binsPerThread}u + ${b}u]);`;
  const takePositions = (b: number): Wgsl => wgsl`
    {
      let bin = thread * ${binsPerThread}u + ${b}u;
      atomicStore(&${counts}[bin], begin);
      if (counted${b} > 0u) {
        let bin${b} = source * ${passShape}.z + bin;
        let start${b} = atomicAdd(&${cursors}[bin${b}], counted${b});
        ${counted ? wgsl`${moves}[bin] = start${b} - begin;` : takeRoom(b)}
      }
      begin += counted${b};
    }`;
  const takeRoom = (b: number): Wgsl => wgsl`
        let fits = start${b} + counted${b} <= (bin${b} + 1u) * ${binRooms}.y;
        ${moves}[bin] = select(${NO_MOVE}, start${b} - begin, fits);
        ${parcels.noteOverflow ? wgsl`if (!fits) { ${parcels.noteOverflow} }` : ''}`;
  const findPosition = (e: number): Wgsl => wgsl`let at${e} = atomicLoad(&${counts}[bin${e}]) + offset${e};`;
  // One word of every parcel at a time, so that a tile takes little memory and more workgroups are at work.
  const exchange = (w: number): Wgsl => wgsl`
    ${w > 0 ? 'workgroupBarrier();' : ''}
    ${unrolled(perThread, (e) => wgsl`if (takes${e}) { ${staged}[at${e}] = ${wordAt(parcels.words, `parcel${e}`, w)}; }`)}
    workgroupBarrier();
    ${unrolled(perThread, (e) => wgsl`let word${w}of${e} = ${staged}[${e * threads}u + thread];`)}`;
  const send = (e: number): Wgsl => wgsl`
    if (${e * threads}u + thread < scanned.total) {
      let position = ${e * threads}u + thread;
      let parcel = ${fromWords(Array.from({ length: parcels.words }, (_, w) => `word${w}of${e}`))};
      let way = ${moves}[${binOf('parcel')}];
      ${counted ? '' : `if (way != ${NO_MOVE})`} { ${parcels.bufferOut}[position + way] = parcel; }
    }`;

  return kernel({
    label: `${parcels.owner}/scatter`,
    threads: threads,
    itemsPerGroup: 1,
    body: wgsl`
  ${findRange}
  for (var base = first + share * ${tile}u; base < end; base += ${passShape}.y * ${tile}u) {
    for (var bin = thread; bin < ${binWords}u; bin += ${threads}u) { atomicStore(&${counts}[bin], 0u); }
    workgroupBarrier();
    // All loads first, so that they are under way together; those past the end are not used.
    ${unrolled(perThread, loadParcel)}
    ${unrolled(perThread, offsetInBin)}
    workgroupBarrier();
    // Where each bin begins in the tile, and how far from there to where it is in memory.
    ${unrolled(binsPerThread, readCount)}
    let scanned = ${scan}(${ownCounts.join(' + ')}, thread);
    var begin = scanned.before;
    workgroupBarrier();
    ${unrolled(binsPerThread, takePositions)}
    workgroupBarrier();
    ${unrolled(perThread, findPosition)}
    ${unrolled(parcels.words, exchange)}
    ${unrolled(perThread, send)}
    workgroupBarrier();
  }`,
  });
}
