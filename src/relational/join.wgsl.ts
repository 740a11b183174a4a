/** Pairs of rows: how many every row on the left has, where they go, and the rows on the right that have none. */

import { recordExpand } from '../collections/multiMap/retrieve.wgsl.ts';
import {
  type BufferView,
  countedWord,
  type Extent,
  extentCount,
  type GpuCount,
  type Recorder,
  type Workspace,
} from '../gpu/index.ts';
import { recordFill } from '../primitives/index.ts';
import { recordScan, scanKernels } from '../primitives/scanKernels.wgsl.ts';
import { valueTypes } from '../table/values.ts';
import { kept, kernel, storage, uniform, WORD_BYTES, wgsl } from '../wgsl/index.ts';

/** Which rows a join gives. */
export type How = 'inner' | 'left' | 'right' | 'full' | 'semi' | 'anti';

/** Stands for the partner of a row that has none. */
export const NO_ROW = 0xffff_ffff;

const THREADS = 256;

const ids = storage('ids', 'array<u32>');
const nulls = storage('nulls', 'array<u32>');
const bounds = storage('bounds', 'array<vec2u>');
const countsOut = storage('counts', 'array<u32>', 'read_write');
const startsOut = storage('starts', 'array<u32>', 'read_write');
const matchedOut = storage('matched', 'array<atomic<u32>>', 'read_write');
const matched = storage('matched', 'array<u32>');
const leftRows = storage('leftRows', 'array<u32>', 'read_write');
const rightRows = storage('rightRows', 'array<u32>', 'read_write');
const capacity = uniform('capacity', 'u32');

/** WGSL: `(row: u32) -> u32`, the id of a row's key on the right; nothing is equal to a row without a value. */
const idOf = kept(
  (hasNulls: boolean) => wgsl`
fn idOf(row: u32) -> u32 {
  ${hasNulls ? wgsl`if (${nulls}[row] != 0u) { return ${NO_ROW}u; }` : ''}
  return ${ids}[row];
}`,
);

/** Whether rows on the left are listed that have no partner; and those on the right. */
export const keepsLeft = (how: How): boolean => how === 'left' || how === 'full';
export const keepsRight = (how: How): boolean => how === 'right' || how === 'full';

const countKernel = kept((how: How, hasNulls: boolean) =>
  kernel({
    label: 'join/count',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  let id = ${idOf(hasNulls)}(item);
  var count = ${keepsLeft(how) ? '1u' : '0u'};
  var start = ${NO_ROW}u;
  if (id != ${NO_ROW}u) {
    let range = ${bounds}[id];
    count = range.y - range.x;
    start = range.x;
    ${keepsRight(how) ? wgsl`atomicStore(&${matchedOut}[id], 1u);` : ''}
  }
  ${countsOut}[item] = count;
  ${startsOut}[item] = start;`,
  }),
);

/** Lists the rows on the left that have a partner, or those that have none. */
const listKernels = kept((how: 'semi' | 'anti', hasNulls: boolean) =>
  scanKernels(
    'join/list',
    wgsl`
fn load(row: u32) -> u32 {
  return u32(${idOf(hasNulls)}(row) ${how === 'semi' ? '!=' : '=='} ${NO_ROW}u);
}`,
    wgsl`
fn store(row: u32, isListed: u32, prefix: u32) {
  if (isListed == 1u && prefix < ${capacity}) { ${leftRows}[prefix] = row; }
}`,
  ),
);

const pairs = storage('pairs', 'u32');
const rest = storage('rest', 'u32');
const total = storage('total', 'array<u32>', 'read_write');
const totalAt = uniform('totalAt', 'u32');

const storeRest = wgsl`
fn store(row: u32, isListed: u32, prefix: u32) {
  let at = ${pairs} + prefix;
  if (isListed == 1u && at >= prefix && at < ${capacity}) {
    ${leftRows}[at] = ${NO_ROW}u;
    ${rightRows}[at] = row;
  }
}`;

/** Rows on the right whose key nobody asked for, behind all pairs. */
const listRest = scanKernels(
  'join/rest',
  wgsl`
fn load(row: u32) -> u32 {
  let id = ${ids}[row];
  // There may be fewer rows than there is room for.
  if (id == ${NO_ROW}u) { return 0u; }
  return 1u - ${matched}[id];
}`,
  storeRest,
);

/** The same where every row on the right has a key of its own. */
const listUniqueRest = scanKernels(
  'join/uniqueRest',
  wgsl`fn load(row: u32) -> u32 { return 1u - ${matched}[row]; }`,
  storeRest,
);

const addTotals = kernel({
  label: 'join/total',
  threads: 1,
  body: wgsl`
  let sum = ${pairs} + ${rest};
  ${total}[${totalAt}] = select(sum, ${NO_ROW}u, sum < ${pairs});`,
});

/** What a join reads and writes. */
export interface JoinCall {
  readonly how: How;
  /** The id of every row's key on the right, or 2³² − 1; and 1 for rows without a value. */
  readonly ids: BufferView;
  readonly nulls: BufferView | undefined;
  readonly items: Extent;
  readonly right: {
    /** The rows of every id together, in their order, and where they begin and end. */
    readonly rows: BufferView;
    readonly bounds: BufferView;
    /** The id of every row, and the most rows and ids that there can be. */
    readonly ids: BufferView;
    readonly maxRows: number;
    readonly maxKeys: number;
  };
  readonly leftRows: BufferView;
  readonly rightRows: BufferView | undefined;
  readonly capacity: number;
  readonly total: GpuCount;
  readonly workspace: Workspace;
}

/** Records a join. */
export function recordJoin(recorder: Recorder, call: JoinCall): void {
  const { gpu } = recorder;
  const { how, items, workspace, right } = call;
  const hasNulls = call.nulls !== undefined;
  const known = [[ids, call.ids] as const, ...(call.nulls ? [[nulls, call.nulls] as const] : [])];
  const room = [capacity, gpu.constants(call.capacity)] as const;
  if (how === 'semi' || how === 'anti') {
    const bound = [...known, [leftRows, call.leftRows] as const, room];
    recordScan(recorder, listKernels(how, hasNulls), { bound, items, total: call.total, workspace });
    return;
  }
  const offsets = workspace.scratch('join/offsets', items.max * WORD_BYTES);
  const starts = workspace.scratch('join/starts', items.max * WORD_BYTES);
  const marks = workspace.scratch('join/matched', right.maxKeys * WORD_BYTES);
  if (keepsRight(how)) recordFill(recorder, { output: marks, value: 0, items: right.maxKeys });
  recorder.run(
    countKernel(how, hasNulls),
    [
      ...known,
      [bounds, right.bounds],
      [countsOut, offsets],
      [startsOut, starts],
      [matchedOut, marks],
      [extentCount, items.count],
    ],
    items,
  );
  const pairCount = keepsRight(how) ? { buffer: workspace.scratch('join/pairs', 4) } : call.total;
  recordExpand(recorder, {
    items,
    offsets,
    starts,
    values: right.rows,
    type: valueTypes.u32,
    output: call.rightRows as BufferView,
    numbers: call.leftRows,
    capacity: call.capacity,
    total: pairCount,
    workspace,
  });
  if (keepsRight(how)) recordRest(recorder, call, { marks, pairCount, idsOfRows: right.ids, rows: right.maxRows });
}

/** Records the list of rows on the right that have no partner. Where they have no ids, every row has a key of its own. */
export function recordRest(
  recorder: Recorder,
  call: Pick<JoinCall, 'leftRows' | 'rightRows' | 'capacity' | 'total' | 'workspace'>,
  right: {
    /** 1 for every id, or row, that has a partner. */
    readonly marks: BufferView;
    readonly pairCount: GpuCount;
    readonly idsOfRows: BufferView | undefined;
    readonly rows: number;
  },
): void {
  const { gpu } = recorder;
  const { workspace } = call;
  const { marks, pairCount, idsOfRows, rows } = right;
  const restCount = { buffer: workspace.scratch('join/rest', 4) };
  recordScan(recorder, idsOfRows ? listRest : listUniqueRest, {
    bound: [
      ...(idsOfRows ? [[ids, idsOfRows] as const] : []),
      [matched, marks],
      [pairs, pairCount.buffer],
      [leftRows, call.leftRows],
      [rightRows, call.rightRows as BufferView],
      [capacity, gpu.constants(call.capacity)],
    ],
    items: rows,
    total: restCount,
    workspace,
  });
  recorder.runOnce(addTotals, [
    [pairs, pairCount.buffer],
    [rest, restCount.buffer],
    [total, call.total.buffer],
    [totalAt, gpu.constants(countedWord(call.total))],
  ]);
}
