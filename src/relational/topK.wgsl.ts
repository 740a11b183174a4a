/** The rows with the greatest or least values: sorted by value, and the ends of that order. */
import { type BufferView, extentCount, type Recorder, type Workspace } from '../gpu/index.ts';
import { recordGatherRows } from '../primitives/index.ts';
import { recordScan, scanKernels } from '../primitives/scanKernels.wgsl.ts';
import { type OrderedKey, recordSortKeys, sortedOrder } from '../primitives/sortKeys.wgsl.ts';
import { sized } from '../table/source.ts';
import { kept, kernel, storage, uniform, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import type { GpuColumn } from './columns.ts';
import { boundValid, isNull } from './rows.wgsl.ts';

const listed = storage('listed', 'array<u32>');
const listedOut = storage('listed', 'array<u32>', 'read_write');
const order = storage('order', 'array<u32>');
const output = storage('output', 'array<u32>', 'read_write');
const rowCount = uniform('rowCount', 'u32');

/** Lists the rows that have a value, from the first on or from the last on. */
const listKernels = kept((isBackwards: boolean, hasNulls: boolean) => {
  const row = isBackwards ? wgsl`${rowCount} - 1u - entry` : 'entry';
  return scanKernels(
    'topK/list',
    wgsl`
fn load(entry: u32) -> u32 {
  return ${hasNulls ? wgsl`u32(!${isNull}(${row}))` : '1u'};
}`,
    wgsl`
fn store(entry: u32, isListed: u32, prefix: u32) {
  if (isListed == 1u) { ${listedOut}[prefix] = ${row}; }
}`,
  );
});

/** Records that rows with a value are listed; `total` gets how many they are. */
export function recordListing(
  recorder: Recorder,
  call: {
    readonly rows: number;
    readonly valid: BufferView | undefined;
    readonly isBackwards: boolean;
    readonly output: GPUBuffer;
    readonly total: GPUBuffer;
    readonly workspace: Workspace;
  },
): void {
  const { rows, valid, isBackwards, workspace } = call;
  recordScan(recorder, listKernels(isBackwards, valid !== undefined), {
    bound: [[listedOut, call.output], [rowCount, recorder.gpu.constants(rows)], ...boundValid(valid)],
    items: rows,
    total: { buffer: call.total },
    workspace,
  });
}

/** Backwards: the last of the order first. */
const pickKernel = kept((isBackwards: boolean) =>
  kernel({
    label: 'topK/pick',
    threads: 256,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${output}[item] = ${listed}[${order}[${isBackwards ? wgsl`${rowCount} - 1u - item` : 'item'}]];`,
  }),
);

/** Records that the listed rows are sorted by value, and the first or, backwards, the last of them written. */
export function recordTop(
  recorder: Recorder,
  { key, words, context }: GpuColumn,
  call: {
    /** Rows of the column, of which so many are listed. */
    readonly rows: number;
    readonly listed: GPUBuffer;
    readonly count: number;
    readonly wanted: number;
    readonly isBackwards: boolean;
    readonly output: GPUBuffer;
    readonly workspace: Workspace;
  },
): void {
  const { gpu } = recorder;
  const { rows, count, workspace } = call;
  const bytes = key.words * WORD_BYTES;
  const gathered = workspace.scratch('topK/values', count * bytes);
  recordGatherRows(recorder, {
    rows: sized(gpu, words, rows * bytes),
    rowWords: key.words,
    rowCount: rows,
    indices: call.listed,
    output: gathered,
    items: count,
  });
  const input = { keys: sized(gpu, gathered, count * bytes), context };
  const sorted = recordSortKeys(recorder, { key: key as OrderedKey, input, items: count, workspace });
  const items = recorder.extent(call.wanted);
  recorder.run(
    pickKernel(call.isBackwards),
    [
      [order, sorted.find(([binding]) => binding === sortedOrder)?.[1] as BufferView],
      [listed, call.listed],
      [output, call.output],
      [rowCount, gpu.constants(count)],
      [extentCount, items.count],
    ],
    items,
  );
}
