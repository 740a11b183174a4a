/** Pairs of rows where no key is on the right twice: every row on the left has at most one partner, so one search finds the pairs. */
import { type BufferView, type Extent, extentCount, type Recorder, type Workspace } from '../gpu/index.ts';
import { type KeyBuffers, keysView } from '../keys/index.ts';
import { recordFill } from '../primitives/index.ts';
import { recordScan, scanKernels } from '../primitives/scanKernels.wgsl.ts';
import type { Reading } from '../table/reading.wgsl.ts';
import type { Table } from '../table/table.ts';
import { kept, kernel, storage, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { type How, type JoinCall, keepsLeft, keepsRight, NO_ROW, recordRest } from './join.wgsl.ts';
import { isList } from './joinBuffers.ts';

const THREADS = 256;

const nulls = storage('nulls', 'array<u32>');
const partnersOut = storage('partners', 'array<u32>', 'read_write');
const partners = storage('partners', 'array<u32>');
const matchedOut = storage('matched', 'array<atomic<u32>>', 'read_write');
const leftRows = storage('leftRows', 'array<u32>', 'read_write');
const rightRows = storage('rightRows', 'array<u32>', 'read_write');

/** What a search for partners does besides. */
type Besides = 'nothing' | 'nulls' | 'marks' | 'nulls and marks';

/** Finds the row on the right of every row on the left; nothing is equal to a row without a value. */
const findKernel = kept((reading: Reading, besides: Besides) => {
  const needles = keysView(reading.request.key, 'needle', 'queries');
  const program = kernel({
    label: 'join/partners',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  let hit = ${reading.find(needles.access)}(${needles.at('item')});
  let isPair = hit.found${besides.includes('nulls') ? wgsl` && ${nulls}[item] == 0u` : ''};
  ${partnersOut}[item] = select(${NO_ROW}u, hit.value, isPair);
  ${besides.includes('marks') ? wgsl`if (isPair) { atomicStore(&${matchedOut}[hit.value], 1u); }` : ''}`,
  });
  return { program, needles };
});

/** Lists the rows on the left that a join gives, and their partners. What is on the right alone is listed behind. */
const listKernels = kept((how: How) =>
  scanKernels(
    'join/unique',
    wgsl`
fn load(row: u32) -> u32 {
  return ${keepsLeft(how) ? '1u' : wgsl`u32(${partners}[row] ${how === 'anti' ? '==' : '!='} ${NO_ROW}u)`};
}`,
    wgsl`
fn store(row: u32, isListed: u32, prefix: u32) {
  if (isListed == 0u) { return; }
  ${leftRows}[prefix] = row;
  ${isList(how) ? '' : wgsl`${rightRows}[prefix] = ${partners}[row];`}
}`,
  ),
);

/** What such a join reads and writes. There has to be room for all rows on the left, and on the right where they are kept. */
export interface UniqueJoinCall
  extends Pick<JoinCall, 'how' | 'nulls' | 'leftRows' | 'rightRows' | 'capacity' | 'total'> {
  /** The keys of the rows on the left. */
  readonly needles: KeyBuffers;
  readonly items: Extent;
  readonly rightCount: number;
  readonly workspace: Workspace;
}

/** Records a join with the rows in a table, whose values are their numbers. */
export function recordUniqueJoin(recorder: Recorder, table: Table, call: UniqueJoinCall): void {
  const { how, items, total, workspace } = call;
  const found = workspace.scratch('join/partners', items.max * WORD_BYTES);
  const marks = keepsRight(how) ? workspace.scratch('join/matched', call.rightCount * WORD_BYTES) : undefined;
  if (marks) recordFill(recorder, { output: marks, value: 0, items: call.rightCount });
  const besides = call.nulls ? (marks ? 'nulls and marks' : 'nulls') : marks ? 'marks' : 'nothing';
  const { program, needles } = findKernel(table.reading, besides);
  recorder.run(
    program,
    [
      ...table.bound,
      ...needles.bind(call.needles),
      ...(call.nulls ? [[nulls, call.nulls] as const] : []),
      ...(marks ? [[matchedOut, marks] as const] : []),
      [partnersOut, found],
      [extentCount, items.count],
    ],
    items,
  );
  const pairCount = marks ? { buffer: workspace.scratch('join/pairs', 4) } : total;
  recordScan(recorder, listKernels(how), {
    bound: [
      [partners, found],
      [leftRows, call.leftRows],
      ...(isList(how) ? [] : [[rightRows, call.rightRows as BufferView] as const]),
    ],
    items,
    total: pairCount,
    workspace,
  });
  if (marks) recordRest(recorder, call, { marks, pairCount, idsOfRows: undefined, rows: call.rightCount });
}
