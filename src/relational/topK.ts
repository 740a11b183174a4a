import {
  type Abortable,
  type Gpu,
  perform,
  type Readback,
  type Recorder,
  record,
  requireGpu,
  requireOneOf,
  requireOptions,
  requireSignal,
  requireWhole,
  UnsupportedError,
  type Workspace,
  within,
} from '../gpu/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { askingAheadOf, withMemory } from './callMemory.ts';
import { type CheckedColumn, type Column, checkColumn, type GpuColumn, loadColumns } from './columns.ts';
import { recordListing, recordTop } from './topK.wgsl.ts';

/** Options of `topK`. */
export interface TopOptions extends Abortable {
  /** Which end of the order is wanted. Default `'greatest'`. */
  readonly order?: 'greatest' | 'least';
}

/**
 * The rows with the k greatest values of a column, the greatest first, or with the least. Of equal values the row that comes first is
 * taken first. Rows without a value are never among them. f32 values are in the order −NaN, −∞ … −0, 0 … ∞, NaN.
 * @example
 * await topK(gpu, new Float32Array([3, 9, 4, 9]), 3); // [1, 3, 2]
 */
export function topK(gpu: Gpu, column: Column, k: number, options: TopOptions = {}): Promise<Uint32Array<ArrayBuffer>> {
  return within('topK', async () => {
    requireGpu(gpu);
    requireWhole(k, 'k');
    requireOptions(options, ['order', 'signal']);
    const { order = 'greatest', signal } = options;
    requireSignal(signal);
    requireOneOf(order, 'order', ['greatest', 'least']);
    const checked = checkColumn(column, 'column');
    if (!checked.key.order) throw new UnsupportedError(`${checked.key.name} values have no order`);
    return withMemory(
      gpu,
      (memory) => loadColumns(memory, [checked])[0] as GpuColumn,
      askingAheadOf(checked.rows, (loaded: GpuColumn, { workspace }) =>
        top(workspace, checked, loaded, k, order === 'greatest'),
      ),
      signal,
    );
  });
}

async function top(
  workspace: Workspace,
  { rows }: CheckedColumn,
  column: GpuColumn,
  k: number,
  isBackwards: boolean,
): Promise<Uint32Array<ArrayBuffer>> {
  const { gpu } = workspace;
  const listed = () => workspace.scratch('topK/listed', rows * WORD_BYTES);
  /** Runs a part of it, and reads so many words of the scratch buffer that it made for them. */
  const run = async (words: number, part: (recorder: Recorder, output: GPUBuffer) => void) => {
    // Filled while recording: buffers are made there, under its error scopes.
    const reads: Readback[] = [];
    const [read] = await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'topK', (recorder) => {
          const output = workspace.scratch('topK/output', words * WORD_BYTES);
          reads.push({ buffer: output, bytes: words * WORD_BYTES });
          part(recorder, output);
        }),
      reads,
    );
    return new Uint32Array(read as ArrayBuffer);
  };
  const [listedRows = 0] = await run(1, (recorder, total) =>
    recordListing(recorder, { rows, valid: column.valid, isBackwards, output: listed(), total, workspace }),
  );
  // Known without being read, which a rehearsal needs.
  const count = column.valid ? listedRows : rows;
  const wanted = Math.min(k, count);
  return run(wanted, (recorder, output) =>
    recordTop(recorder, column, { rows, listed: listed(), count, wanted, isBackwards, output, workspace }),
  );
}
