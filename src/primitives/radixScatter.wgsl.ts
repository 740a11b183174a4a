/**
 * The scatter of a radix sort. A tile is put in order in workgroup memory first, a word of every item at a time, so that items with the
 * same digit leave as runs of neighbouring words.
 */
import { extentCount } from '../gpu/index.ts';
import { type Kernel, kernel, storage, unrolled, type Wgsl, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import {
  countOfChunk,
  countsOfTile,
  DIGITS,
  digitOf,
  findCounted,
  keysIn,
  sumOfDigit,
  tiling,
} from './radixKernels.wgsl.ts';
import { pairAt, putPair } from './radixPairs.wgsl.ts';
import type { Ranking } from './radixRanks.wgsl.ts';
import { workgroupScan } from './workgroupScan.wgsl.ts';

export const keysOut = storage('keysOut', 'array<u32>', 'read_write');
export const valuesIn = storage('valuesIn', 'array<u32>');
export const valuesOut = storage('valuesOut', 'array<u32>', 'read_write');
/** The counts, after they were scanned. */
export const digitStarts = storage('digitStarts', 'array<u32>');

/** Not a multiple of 32, so that rows with the same digit hit different banks. */
const ROW_STRIDE = DIGITS + 1;

/** What is moved: keys alone, keys and values to pairs, or pairs to keys and values. */
export type Moved = 'keys' | 'toPairs' | 'fromPairs';

const counterWordsOf = ({ threads, lanes }: Ranking): number => (threads / lanes) * ROW_STRIDE;
const memoryWords = (ranking: Ranking): number => Math.max(ranking.threads * ranking.rounds, counterWordsOf(ranking));
const baseWords = ({ threads }: Ranking): number => Math.max(threads, DIGITS);

/** Bytes of workgroup memory that a scatter takes. */
export const scatterBytes = (ranking: Ranking): number => WORD_BYTES * (memoryWords(ranking) + baseWords(ranking));

/** What a workgroup keeps in memory. */
function memoryOf(ranking: Ranking) {
  /** What turns a position in the tile into one in the output, for every digit. */
  const digitBase = wgsl`var<workgroup> digitBase: array<u32, ${baseWords(ranking)}>;`;
  return {
    /** First the counters, then the tile's keys in order, then its values. */
    memory: wgsl`var<workgroup> memory: array<atomic<u32>, ${memoryWords(ranking)}>;`,
    digitBase,
    scan: workgroupScan(ranking.threads, digitBase),
  };
}

type Memory = ReturnType<typeof memoryOf>;

/** The digits that a thread looks after; with more threads than digits, the last ones have none. */
function ownedDigits({ threads }: Ranking) {
  const owned = Math.ceil(DIGITS / threads);
  return {
    owned,
    eachOwned: (lines: (i: number) => Wgsl): Wgsl => unrolled(owned, lines),
    sumOf: (name: string): string => Array.from({ length: owned }, (_, i) => `${name}${i}`).join(' + '),
  };
}

/** Statements that find where the workgroup's keys of every digit begin in the output. */
function findStarts(ranking: Ranking, { scan }: Memory): Wgsl {
  const { owned, eachOwned, sumOf } = ownedDigits(ranking);
  return wgsl`
  let chunk = group / ${tiling}.y;
  ${eachOwned(
    (i) => wgsl`
  let owns${i} = thread * ${owned}u + ${i}u < counted.digits;
  let own${i} = min(thread * ${owned}u + ${i}u, counted.digits - 1u);
  let all${i} = select(0u, ${digitStarts}[${sumOfDigit(`own${i}`)}], owns${i});
  let inChunks${i} = ${digitStarts}[${countOfChunk(`own${i}`, 'chunk')}];
  let earlier${i} = inChunks${i} + ${digitStarts}[${countsOfTile('group')} + own${i}];`,
  )}
  let lesser = ${scan}(${sumOf('all')}, thread).before;
  ${eachOwned((i) => wgsl`var next${i} = ${['lesser', ...Array.from({ length: i }, (_, k) => `all${k}`)].join(' + ')} + earlier${i};`)}
  workgroupBarrier();`;
}

/** Statements that turn the rows' counters into positions in the tile. */
function placeRows(ranking: Ranking, { memory, digitBase, scan }: Memory): Wgsl {
  const { eachOwned, sumOf } = ownedDigits(ranking);
  const rows = ranking.threads / ranking.lanes;
  const rowCounter = (row: number, i: number) => wgsl`${memory}[${row * ROW_STRIDE}u + own${i}]`;
  return wgsl`
    ${eachOwned(
      (i) => wgsl`
    var found${i} = 0u;
    if (owns${i}) { ${unrolled(rows, (row) => wgsl`found${i} += atomicLoad(&${rowCounter(row, i)}) >> 16u;`)} }`,
    )}
    var position = ${scan}(${sumOf('found')}, thread).before;
    workgroupBarrier();
    ${eachOwned(
      (i) => wgsl`
    if (owns${i}) {
      ${digitBase}[own${i}] = next${i} - position;
      next${i} += found${i};
      ${unrolled(
        rows,
        (row) => wgsl`{
        let here = atomicLoad(&${rowCounter(row, i)}) >> 16u;
        atomicStore(&${rowCounter(row, i)}, position);
        position += here;
      }`,
      )}
    }`,
    )}
    workgroupBarrier();`;
}

/** Statements that send the tile's keys, in order, and their values to the output. A thread deals with other items than before. */
function send({ threads, rounds }: Ranking, moved: Moved, { memory, digitBase }: Memory): Wgsl {
  const each = (lines: (round: number) => Wgsl): Wgsl => unrolled(rounds, lines);
  const inTile = (r: number) => `${r * threads}u + thread`;
  const sortKeys = each((r) => wgsl`let sorted${r} = atomicLoad(&${memory}[${inTile(r)}]);`);
  const goal = (r: number) => wgsl`${digitBase}[${digitOf}(sorted${r})] + ${inTile(r)}`;
  const sendKeys = each((r) => wgsl`if (${inTile(r)} < size) { ${keysOut}[${goal(r)}] = sorted${r}; }`);
  const sendValues = (put: (goal: Wgsl, value: Wgsl, r: number) => Wgsl) => wgsl`
    workgroupBarrier();
    ${each((r) => wgsl`atomicStore(&${memory}[position${r}], value${r});`)}
    workgroupBarrier();
    ${each((r) => wgsl`if (${inTile(r)} < size) { ${put(goal(r), wgsl`atomicLoad(&${memory}[${inTile(r)}])`, r)} }`)}`;
  return {
    keys: wgsl`${sortKeys} ${sendKeys}`,
    toPairs: wgsl`${sortKeys} ${sendValues((at, value, r) => wgsl`${putPair}(${at}, vec2u(sorted${r}, ${value}));`)}`,
    fromPairs: wgsl`${sortKeys} ${sendKeys} ${sendValues((at, value) => wgsl`${valuesOut}[${at}] = ${value};`)}`,
  }[moved];
}

/** The statements that load an item of the thread, and its value. */
function loading({ lanes }: Ranking, moved: Moved) {
  const at = (r: number) => wgsl`first + ${r * lanes}u`;
  const nearest = (r: number) => wgsl`min(${at(r)}, end - 1u)`;
  const load = (r: number): Wgsl =>
    moved === 'fromPairs'
      ? wgsl`let loaded${r} = ${pairAt}(${nearest(r)});`
      : wgsl`let loaded${r} = vec2u(${keysIn}[${nearest(r)}], 0u);`;
  const loadValue = (r: number): Wgsl =>
    moved === 'fromPairs' ? wgsl`let value${r} = loaded${r}.y;` : wgsl`let value${r} = ${valuesIn}[${nearest(r)}];`;
  return { at, load, loadValue };
}

/** @param items of a workgroup: a tile that is ranked at once, or several where subgroups are small */
export function scatter(ranking: Ranking, items: number, moved: Moved): Kernel {
  const { threads, rounds, lanes, subgroups } = ranking;
  const tile = threads * rounds;
  const counterWords = counterWordsOf(ranking);
  const held = memoryOf(ranking);
  const { memory } = held;
  const { at, load, loadValue } = loading(ranking, moved);
  const each = (lines: (round: number) => Wgsl): Wgsl => unrolled(rounds, lines);
  return kernel({
    label: `sort/scatter/${moved}`,
    threads,
    itemsPerGroup: items,
    subgroups,
    body: wgsl`
  let start = group * ${items}u;
  if (start >= ${extentCount}) { return; }
  let end = min(start + ${items}u, ${extentCount});
  ${findCounted}
  ${ranking.findRow(wgsl`${memory}[0]`)}
  let lowerLanes = (1u << lane) - 1u;
  ${findStarts(ranking, held)}
  // Once, unless subgroups are small.
  for (var base = start; base < end; base += ${tile}u) {
    let size = min(${tile}u, end - base);
    let first = base + row * ${lanes * rounds}u + lane;
    // All loads first, so that they are under way together. Behind the end stand keys of ones only: they end up behind all others, and are
    // never written.
    ${each(load)}
    for (var i = thread; i < ${counterWords}u; i += ${threads}u) { atomicStore(&${memory}[i], 0u); }
    workgroupBarrier();
    ${each((r) => wgsl`let key${r} = select(0xffffffffu, loaded${r}.x, ${at(r)} < end);`)}
    ${ranking.rank(
      (r) => wgsl`${digitOf}(key${r})`,
      (digit) => wgsl`${memory}[row * ${ROW_STRIDE}u + ${digit}]`,
    )}
    ${moved === 'keys' ? '' : each(loadValue)}
    workgroupBarrier();
    ${placeRows(ranking, held)}
    ${each((r) => wgsl`let position${r} = rank${r} + atomicLoad(&${memory}[row * ${ROW_STRIDE}u + digit${r}]);`)}
    workgroupBarrier();
    ${each((r) => wgsl`atomicStore(&${memory}[position${r}], key${r});`)}
    workgroupBarrier();
    ${send(ranking, moved, held)}
    workgroupBarrier();
  }`,
  });
}
