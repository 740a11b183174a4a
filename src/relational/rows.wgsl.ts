/** Rows of several columns as keys of one. */
import { type BufferView, type Extent, extentCount, type Recorder } from '../gpu/index.ts';
import { recordFill } from '../primitives/index.ts';
import { kept, kernel, storage, uniform, unrolled, type Wgsl, wgsl } from '../wgsl/index.ts';

const THREADS = 256;

const valid = storage('valid', 'array<u32>');

/** WGSL: `(row: u32) -> bool`, whether the row has no value, by a bit for each row. */
export const isNull = wgsl`
fn isNull(row: u32) -> bool {
  return ((${valid}[row / 32u] >> (row % 32u)) & 1u) == 0u;
}`;

/** What `isNull` looks at. */
export const boundValid = (bits: BufferView | undefined) => (bits ? ([[valid, bits]] as const) : []);

/** Words of a row, where those of the column go, where the marks of missing values go, and the mark. */
const packing = uniform('packing', wgsl`struct Packing { width: u32, at: u32, marksAt: u32, mark: u32 }`);
const source = storage('source', 'array<u32>');
const rows = storage('rows', 'array<u32>', 'read_write');

/** A row without a value gets zeros, whatever stands in its place, and a mark. */
const packKernel = kept((words: number, hasNulls: boolean) => {
  const write = (k: number): Wgsl => wgsl`
  let word${k} = ${source}[item * ${words}u + ${k}u];
  ${rows}[first + ${k}u] = ${hasNulls ? wgsl`select(word${k}, 0u, missing)` : `word${k}`};`;
  return kernel({
    label: 'relational/pack',
    threads: THREADS,
    body: wgsl`
  if (item >= ${extentCount}) { return; }
  let first = item * ${packing}.width + ${packing}.at;
  ${hasNulls ? wgsl`let missing = ${isNull}(item);` : ''}
  ${unrolled(words, write)}
  ${hasNulls ? wgsl`if (missing) { ${rows}[item * ${packing}.width + ${packing}.marksAt] |= ${packing}.mark; }` : ''}`,
  });
});

/** A column that becomes a part of every row. */
export interface Part {
  readonly source: BufferView;
  readonly words: number;
  readonly at: number;
  /** Bits, where missing values are to be marked. */
  readonly valid: BufferView | undefined;
}

/** Records that the columns are packed into rows of so many words; with `marksAt`, one of them marks missing values. */
export function recordPack(
  recorder: Recorder,
  call: {
    readonly parts: readonly Part[];
    readonly width: number;
    readonly marksAt: number | undefined;
    readonly output: GPUBuffer;
    readonly items: Extent;
  },
): void {
  const { parts, width, marksAt, output, items } = call;
  if (marksAt !== undefined) recordFill(recorder, { output, value: 0, items: items.max * width });
  parts.forEach(({ source: from, words, at, valid: bits }, i) => {
    const masked = marksAt === undefined ? undefined : bits;
    recorder.run(
      packKernel(words, masked !== undefined),
      [
        [source, from],
        [rows, output],
        [packing, recorder.gpu.constants(width, at, marksAt ?? 0, 2 ** i)],
        [extentCount, items.count],
        ...boundValid(masked),
      ],
      items,
    );
  });
}

const nulls = storage('nulls', 'array<u32>', 'read_write');

const markNulls = kernel({
  label: 'relational/nulls',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  if (${isNull}(item)) { ${nulls}[item] = 1u; }`,
});

/** Records that `output` gets a word a row: 1 where any of the columns has no value, else 0. */
export function recordNulls(recorder: Recorder, masks: readonly BufferView[], output: GPUBuffer, items: Extent): void {
  recordFill(recorder, { output, value: 0, items: items.max });
  for (const bits of masks) {
    recorder.run(markNulls, [...boundValid(bits), [nulls, output], [extentCount, items.count]], items);
  }
}
