import { withinCall } from '../collections/keyIndex/settings.ts';
import { type Abortable, type Gpu, requireGpu, requireSignal, within } from '../gpu/index.ts';
import { askingAheadOf, type CallMemory, withMemory } from './callMemory.ts';
import {
  type Columns,
  checkColumns,
  type GpuColumn,
  loadColumns,
  requireSameTypes,
  rowsOf,
  typedLike,
} from './columns.ts';
import type { How } from './join.wgsl.ts';
import { type JoinedRows, requireHow } from './joinBuffers.ts';
import { JoinTable } from './joinTable.ts';
import { type RowOptions, requireKeys, requireRowOptions } from './rowKeys.ts';
import { joinUnique, type Side } from './uniqueJoin.ts';

/** Options of a join. */
export interface JoinOptions extends RowOptions, Abortable {
  /**
   * Which rows are wanted. Default `'inner'`.
   * - `'inner'`: pairs of rows whose keys are equal
   * - `'left'`, `'right'`, `'full'`: those, and the rows of that side, or of both, that have no partner
   * - `'semi'`, `'anti'`: rows on the left that have a partner, or that have none; each once, alone
   */
  readonly how?: How;
}

/**
 * Joins two tables by one or several key columns, many-to-many: which row on the left goes with which on the right. A row without a
 * value in one of its columns is equal to nothing, as in SQL.
 * @example
 * const { left, right } = await join(gpu, ['Rome', 'Oslo', 'Bonn'], ['Oslo', 'Rome', 'Oslo'], { how: 'left' });
 * // left [0, 1, 1, 2], right [1, 0, 2, NO_ROW]
 */
export function join(gpu: Gpu, left: Columns, right: Columns, options: JoinOptions = {}): Promise<JoinedRows> {
  return within('join', async () => {
    requireGpu(gpu);
    requireRowOptions(options, ['how', 'signal']);
    const { how, signal, ...rest } = options;
    requireSignal(signal);
    const [given, others] = [checkColumns(left, 'left'), checkColumns(right, 'right')];
    const sides = [typedLike(given, others), others] as const;
    requireSameTypes(...sides);
    requireKeys(others, rest);
    requireHow(how);
    const load = (memory: CallMemory) => sides.map((columns) => loadColumns(memory, columns));
    const work = async (loaded: readonly (readonly GpuColumn[])[], memory: CallMemory) => {
      const [ofLeft, ofRight] = sides.map((side, i) => ({
        columns: loaded[i] as readonly GpuColumn[],
        rows: rowsOf(side),
      })) as [Side, Side];
      const unique = await joinUnique(memory, ofLeft, ofRight, how ?? 'inner', rest);
      if (unique) return unique;
      const { workspace } = memory;
      const where = withinCall({ arrays: workspace });
      const table = memory.hold(await JoinTable.built(ofRight.columns, ofRight.rows, rest, workspace, where));
      return table.joinColumns(ofLeft.columns, ofLeft.rows, how, workspace);
    };
    const rows = Math.max(...sides.map(rowsOf));
    return withMemory(gpu, load, askingAheadOf(rows, work), signal);
  });
}
