import { HashMap } from '../collections/index.ts';
import { wordsIn } from '../collections/into.ts';
import { tableSettings } from '../collections/settings.ts';
import {
  BuildError,
  DuplicateKeyError,
  type Gpu,
  mostBytes,
  perform,
  type Readback,
  type Recorder,
  submit,
} from '../gpu/index.ts';
import { sourceOf } from '../table/source.ts';
import { Table } from '../table/table.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { CallMemory } from './callMemory.ts';
import type { GpuColumn } from './columns.ts';
import { type How, keepsRight } from './join.wgsl.ts';
import { isList, type JoinedRows } from './joinBuffers.ts';
import { encodeRowNumbers, layoutOf, type RowBuffers, RowKeys, type RowOptions } from './rowKeys.ts';
import { recordNulls } from './rows.wgsl.ts';
import { recordUniqueJoin } from './uniqueJoin.wgsl.ts';

/** Up to so many pairs are read before anybody knows how many there are, which saves a round trip. */
const MOST_READ_AHEAD = 2 ** 21;

/** The rows of one side. */
export interface Side {
  readonly columns: readonly GpuColumn[];
  readonly rows: number;
}

/**
 * Joins two sides where no key is on the right twice, as in most joins: a table of the rows on the right is built and searched, and the pairs
 * are listed, in one submission. Undefined if a key is there twice, or if that does not show so soon.
 */
export async function joinUnique(
  memory: CallMemory,
  left: Side,
  right: Side,
  how: How,
  options: RowOptions,
): Promise<JoinedRows | undefined> {
  const { gpu, workspace } = memory;
  const layout = layoutOf(right.columns);
  const capacity = left.rows + (keepsRight(how) ? right.rows : 0);
  // Rows without a value are like each other, and strings beside other columns take tables of their own.
  if (layout.hasNulls || layout.indexed.length > 0 || capacity * WORD_BYTES > mostBytes(gpu.limits)) return undefined;
  const rowKeys = memory.hold(new RowKeys(gpu, layout, options));
  const input = await rowKeys.build(right.columns, right.rows, workspace);
  let values: GPUBuffer | undefined;
  let needles: RowBuffers | undefined;
  await submit(gpu, (encoder) => {
    values = encodeRowNumbers(gpu, encoder, { rows: right.rows, count: right.rows, workspace });
    needles = rowKeys.encodeNeedles(encoder, left.columns, { rows: left.rows, count: left.rows, workspace });
  });

  const words = (name: string, count: number) => workspace.scratch(`join/${name}`, count * WORD_BYTES);
  const outputs = () => (isList(how) ? ['left'] : ['left', 'right']).map((side) => words(side, capacity));
  const total = () => words('total', 1);
  const finish = (recorder: Recorder, table: Table) => {
    const items = recorder.extent(left.rows);
    const masks = left.columns.flatMap(({ valid }) => valid ?? []);
    const nulls = masks.length > 0 ? words('nulls', left.rows) : undefined;
    if (nulls) recordNulls(recorder, masks, nulls, items);
    const [leftRows, rightRows] = outputs() as [GPUBuffer, GPUBuffer | undefined];
    recordUniqueJoin(recorder, table, {
      how,
      needles: needles as RowBuffers,
      nulls,
      items,
      rightCount: right.rows,
      leftRows,
      rightRows,
      capacity,
      total: { buffer: total() },
      workspace,
    });
  };

  const { key } = layout;
  const settings = tableSettings(input.keys, { ...options, key, duplicates: 'error' }, 1, HashMap.defaultScheme);
  const source = sourceOf(gpu, key, { ...input, values: values as unknown as GPUBuffer, count: right.rows });
  try {
    memory.hold(await Table.build(gpu, { ...settings, effort: 'quick' }, { ...source, finish }));
  } catch (error) {
    if (error instanceof DuplicateKeyError || error instanceof BuildError) return undefined;
    throw error;
  } finally {
    source.release();
  }
  return readPairs(gpu, outputs(), total(), capacity);
}

/** Reads the rows that are listed. */
async function readPairs(
  gpu: Gpu,
  sides: readonly GPUBuffer[],
  total: GPUBuffer,
  capacity: number,
): Promise<JoinedRows> {
  const counted: Readback = { buffer: total, bytes: WORD_BYTES };
  const read = (room: number): Promise<JoinedRows> =>
    perform(
      gpu,
      () => {},
      [counted, ...sides.map((buffer) => ({ buffer, bytes: room * WORD_BYTES }))],
      ([size, ...rows]) => {
        const [pairs = 0] = wordsIn(size as Uint8Array);
        // Only as many as there are: new memory takes longer than what is read.
        const [left, right] = rows.map((words) => new Uint32Array(wordsIn(words).subarray(0, pairs)));
        return { left: left as Uint32Array<ArrayBuffer>, right: right ?? new Uint32Array() };
      },
    );
  if (capacity <= MOST_READ_AHEAD) return read(capacity);
  const [size] = await perform(gpu, () => {}, [counted]);
  return read(new Uint32Array(size as ArrayBuffer)[0] as number);
}
