/** Some rows of columns, on their way to the host. */
import { extentCount, type Readback, type Recorder, USAGE, type Workspace } from '../gpu/index.ts';
import { recordCopy, recordGatherRows } from '../primitives/index.ts';
import { sized } from '../table/source.ts';
import { kernel, storage, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import type { Column, GpuColumn } from './columns.ts';
import { boundValid, isNull } from './rows.wgsl.ts';

const numbers = storage('numbers', 'array<u32>');
const present = storage('present', 'array<u32>', 'read_write');

const gatherValid = kernel({
  label: 'relational/valid',
  threads: 256,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${present}[item] = u32(!${isNull}(${numbers}[item]));`,
});

/** Which rows are wanted, and of how many. */
export interface WantedRows {
  /** How many rows the columns have. */
  readonly rows: number;
  /** The numbers of those that are wanted. */
  readonly wanted: GPUBuffer;
  readonly count: number;
  readonly workspace: Workspace;
}

/** What has to be read for some rows, and what comes of it. */
export interface RowReads {
  readonly reads: readonly Readback[];
  /** `wanted` has the numbers of the rows. */
  decode(read: readonly ArrayBuffer[], wanted: Uint32Array): Column;
}

/**
 * Records what brings rows of a column together: an array, or one with `valid` where the column has that.
 * @param strings the rows, where the host has them
 * @param number tells the column from others of the same call
 */
export function recordRows(
  recorder: Recorder,
  column: GpuColumn,
  strings: readonly string[] | undefined,
  number: number,
  call: WantedRows,
): RowReads {
  const values = strings ? hostStrings(strings) : recordValues(recorder, column, number, call);
  const { valid } = column;
  if (!valid) return values;
  const { wanted, count, workspace } = call;
  const flags = workspace.scratch(`relational/readValid${number}`, count * WORD_BYTES);
  const items = recorder.extent(count);
  recorder.run(
    gatherValid,
    [...boundValid(valid), [numbers, wanted], [present, flags], [extentCount, items.count]],
    items,
  );
  return {
    reads: [{ buffer: flags, bytes: count * WORD_BYTES }, ...values.reads],
    decode: ([bits, ...read], rows) => ({
      values: values.decode(read, rows),
      valid: bitsOf(new Uint32Array(bits as ArrayBuffer)),
    }),
  };
}

/** Strings that the caller passed need not come back from the GPU. */
const hostStrings = (strings: readonly string[]): RowReads => ({
  reads: [],
  decode: (_, wanted) => Array.from(wanted, (row) => strings[row] as string),
});

function recordValues(
  recorder: Recorder,
  { key, words, context }: GpuColumn,
  number: number,
  { rows, wanted, count, workspace }: WantedRows,
): RowReads {
  const bytes = count * key.words * WORD_BYTES;
  const output = workspace.scratch(`relational/read${number}`, bytes);
  recordGatherRows(recorder, {
    rows: sized(recorder.gpu, words, rows * key.words * WORD_BYTES),
    rowWords: key.words,
    rowCount: rows,
    indices: wanted,
    output,
    items: count,
  });
  return {
    reads: [{ buffer: output, bytes }, ...(context ? [readable(recorder, context, number, workspace)] : [])],
    decode: ([read, readContext]) =>
      key.decode(new Uint32Array(read as ArrayBuffer), readContext && new Uint8Array(readContext)) as Column,
  };
}

/** All of a caller's buffer, or of a copy where that cannot be read itself. */
function readable(recorder: Recorder, context: GPUBuffer, number: number, workspace: Workspace): Readback {
  const bytes = context.size;
  if (context.usage & USAGE.COPY_SRC) return { buffer: context, bytes };
  const buffer = workspace.scratch(`relational/readContext${number}`, bytes);
  recordCopy(recorder, { from: context, to: sized(recorder.gpu, buffer, bytes), items: bytes / WORD_BYTES });
  return { buffer, bytes };
}

/** A bit for each word that is not 0. */
function bitsOf(words: Uint32Array): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array(Math.ceil(words.length / 8));
  words.forEach((word, i) => {
    bits[i >> 3] = (bits[i >> 3] as number) | (word << (i & 7));
  });
  return bits;
}
