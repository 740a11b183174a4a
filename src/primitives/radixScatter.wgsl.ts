/**
 * The scatter of a radix sort. A tile is put in order in workgroup memory first, a word of every item at a time, so that items with the
 * same digit leave as runs of neighbouring words.
 */
import { type Kernel, kernel, storage, unrolled, type Wgsl, wgsl } from '../wgsl/index.ts';
import { DIGITS, digitBits, digitOf, findStretch, keysIn, STRETCH } from './radixKernels.wgsl.ts';
import type { Ranking } from './radixRanks.wgsl.ts';
import { workgroupScan } from './workgroupScan.wgsl.ts';

export const keysOut = storage('keysOut', 'array<u32>', 'read_write');
export const valuesIn = storage('valuesIn', 'array<u32>');
export const valuesOut = storage('valuesOut', 'array<u32>', 'read_write');
/** The counts, after they were scanned. */
export const digitStarts = storage('digitStarts', 'array<u32>');

/** Not a multiple of 32, so that rows with the same digit hit different banks. */
const ROW_STRIDE = DIGITS + 1;

/** Moves the keys, with or without their values. */
export function scatter(ranking: Ranking, withValues: boolean): Kernel {
  const { threads, rounds, lanes, subgroups } = ranking;
  const tile = threads * rounds;
  const rows = threads / lanes;
  const counterWords = rows * ROW_STRIDE;
  /** First the counters, then the tile's keys in order, then its values. */
  const memory = wgsl`var<workgroup> memory: array<atomic<u32>, ${Math.max(tile, counterWords)}>;`;
  /** What turns a position in the tile into one in the output, for every digit. */
  const digitBase = wgsl`var<workgroup> digitBase: array<u32, ${Math.max(threads, DIGITS)}>;`;
  const scan = workgroupScan(threads, digitBase);
  const each = (lines: (round: number) => Wgsl): Wgsl => unrolled(rounds, lines);

  // The digits that a thread looks after; with more threads than digits, the last ones have none.
  const owned = Math.ceil(DIGITS / threads);
  const eachOwned = (lines: (i: number) => Wgsl): Wgsl => unrolled(owned, lines);
  const sumOf = (name: string): string => Array.from({ length: owned }, (_, i) => `${name}${i}`).join(' + ');
  const rowCounter = (row: number, i: number) => wgsl`${memory}[${row * ROW_STRIDE}u + own${i}]`;

  const findStarts = wgsl`
  ${eachOwned(
    (i) => wgsl`
  let owns${i} = thread * ${owned}u + ${i}u <= ${digitBits}.y;
  let own${i} = min(thread * ${owned}u + ${i}u, ${digitBits}.y);
  let all${i} = select(0u, ${digitStarts}[(${digitBits}.y + 1u) * columns + own${i}], owns${i});
  let earlier${i} = ${digitStarts}[own${i} * columns + group];`,
  )}
  let lesser = ${scan}(${sumOf('all')}, thread).before;
  ${eachOwned((i) => wgsl`var next${i} = ${['lesser', ...Array.from({ length: i }, (_, k) => `all${k}`)].join(' + ')} + earlier${i};`)}
  workgroupBarrier();`;

  // Turns the rows' counters into positions in the tile.
  const placeRows = wgsl`
    ${eachOwned(
      (i) => wgsl`
    var found${i} = 0u;
    if (owns${i}) { ${unrolled(rows, (row) => wgsl`found${i} += atomicLoad(&${rowCounter(row, i)}) >> 16u;`)} }`,
    )}
    var place = ${scan}(${sumOf('found')}, thread).before;
    workgroupBarrier();
    ${eachOwned(
      (i) => wgsl`
    if (owns${i}) {
      ${digitBase}[own${i}] = next${i} - place;
      next${i} += found${i};
      ${unrolled(
        rows,
        (row) => wgsl`{
        let here = atomicLoad(&${rowCounter(row, i)}) >> 16u;
        atomicStore(&${rowCounter(row, i)}, place);
        place += here;
      }`,
      )}
    }`,
    )}
    workgroupBarrier();`;

  const at = (r: number) => wgsl`first + ${r * lanes}u`;
  const loadValues = withValues ? each((r) => wgsl`let value${r} = ${valuesIn}[min(${at(r)}, end - 1u)];`) : wgsl``;
  const moveValues = wgsl`
    workgroupBarrier();
    ${each((r) => wgsl`atomicStore(&${memory}[position${r}], value${r});`)}
    workgroupBarrier();
    ${each(
      (r) => wgsl`if (${r * threads}u + thread < size) {
      ${valuesOut}[goal${r}] = atomicLoad(&${memory}[${r * threads}u + thread]);
    }`,
    )}`;

  return kernel({
    label: withValues ? 'sort/scatterPairs' : 'sort/scatterKeys',
    threads,
    itemsPerGroup: STRETCH,
    subgroups,
    body: wgsl`
  ${findStretch}
  ${ranking.findRow(wgsl`${memory}[0]`)}
  let lowerLanes = (1u << lane) - 1u;
  ${findStarts}
  // Once, unless subgroups are small.
  for (var base = start; base < end; base += ${tile}u) {
    let size = min(${tile}u, end - base);
    let first = base + row * ${lanes * rounds}u + lane;
    // All loads first, so that they are under way together. Behind the end stand keys of ones only: they end up behind all others, and are
    // never written.
    ${each((r) => wgsl`let loaded${r} = ${keysIn}[min(${at(r)}, end - 1u)];`)}
    for (var i = thread; i < ${counterWords}u; i += ${threads}u) { atomicStore(&${memory}[i], 0u); }
    workgroupBarrier();
    ${each((r) => wgsl`let key${r} = select(0xffffffffu, loaded${r}, ${at(r)} < end);`)}
    ${ranking.rank(
      (r) => wgsl`${digitOf}(key${r})`,
      (digit) => wgsl`${memory}[row * ${ROW_STRIDE}u + ${digit}]`,
    )}
    ${loadValues}
    workgroupBarrier();
    ${placeRows}
    ${each((r) => wgsl`let position${r} = rank${r} + atomicLoad(&${memory}[row * ${ROW_STRIDE}u + digit${r}]);`)}
    workgroupBarrier();
    ${each((r) => wgsl`atomicStore(&${memory}[position${r}], key${r});`)}
    workgroupBarrier();
    // From here on a thread deals with other items than before.
    ${each(
      (r) => wgsl`
    let sorted${r} = atomicLoad(&${memory}[${r * threads}u + thread]);
    let goal${r} = ${digitBase}[${digitOf}(sorted${r})] + ${r * threads}u + thread;
    if (${r * threads}u + thread < size) { ${keysOut}[goal${r}] = sorted${r}; }`,
    )}
    ${withValues ? moveValues : ''}
    workgroupBarrier();
  }`,
  });
}
