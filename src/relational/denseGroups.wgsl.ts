/**
 * Groups by whole numbers of a small range: every number has a word of its own, and there is no table. As with a table, groups are
 * numbered by a scan over the rows, in which the first row of every key counts as one.
 */
import type { ResultColumn, ResultColumns } from '../collections/aggregate/columns.ts';
import { isAtomic } from '../collections/aggregate/combiners.wgsl.ts';
import { type AtomicCall, recordAtomics, recordFinish } from '../collections/aggregate/kernels.wgsl.ts';
import { wordsIn } from '../collections/into.ts';
import {
  type BufferView,
  extentCount,
  mostBytes,
  perform,
  type Readback,
  type Recorder,
  record,
} from '../gpu/index.ts';
import { type KeyType, u32 } from '../keys/index.ts';
import { recordFill } from '../primitives/index.ts';
import { recordScan, scanKernels } from '../primitives/scanKernels.wgsl.ts';
import { sized } from '../table/source.ts';
import { kernel, storage, uniform, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import type { CallMemory } from './callMemory.ts';
import type { CheckedColumn, GpuColumn } from './columns.ts';
import { NO_ROW } from './join.wgsl.ts';

/** A range is small if it has at most so many numbers for every row. */
const MOST_SPREAD = 2;
/** Keys that the host looks at, before the GPU looks at all of them. */
const SAMPLES = 64;
const THREADS = 256;
const KEYS_PER_THREAD = 16;

const keys = storage('keys', 'array<u32>');
const least = uniform('least', 'u32');

/** The greatest complement of a key, and the greatest key: both begin with 0. */
const endsOut = storage('ends', 'array<atomic<u32>, 2>', 'read_write');
const groupEnds = wgsl`var<workgroup> groupEnds: array<atomic<u32>, 2>;`;

const findEnds = kernel({
  label: 'groups/ends',
  threads: THREADS,
  itemsPerGroup: THREADS * KEYS_PER_THREAD,
  body: wgsl`
  var ends = vec2u(0u);
  for (var k = 0u; k < ${KEYS_PER_THREAD}u; k++) {
    let row = group * ${THREADS * KEYS_PER_THREAD}u + k * ${THREADS}u + thread;
    if (row < ${extentCount}) { ends = max(ends, vec2u(~${keys}[row], ${keys}[row])); }
  }
  atomicMax(&${groupEnds}[0], ends.x);
  atomicMax(&${groupEnds}[1], ends.y);
  workgroupBarrier();
  if (thread < 2u) { atomicMax(&${endsOut}[thread], atomicLoad(&${groupEnds}[thread])); }`,
});

const firstsOut = storage('firsts', 'array<atomic<u32>>', 'read_write');

const findFirsts = kernel({
  label: 'groups/firsts',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  let number = ${keys}[item] - ${least};
  // Nearly all rows come too late, and see that without a turn at the atomic.
  if (item < atomicLoad(&${firstsOut}[number])) { atomicMin(&${firstsOut}[number], item); }`,
});

const firsts = storage('firsts', 'array<u32>');
const numbersOut = storage('numbers', 'array<u32>', 'read_write');
const rowsOut = storage('groupRows', 'array<u32>', 'read_write');
const keysOut = storage('groupKeys', 'array<u32>', 'read_write');

const numberGroups = scanKernels(
  'groups/number',
  wgsl`fn load(row: u32) -> u32 { return u32(${firsts}[${keys}[row] - ${least}] == row); }`,
  wgsl`
fn store(row: u32, isFirst: u32, prefix: u32) {
  if (isFirst == 0u) { return; }
  ${numbersOut}[${keys}[row] - ${least}] = prefix;
  ${rowsOut}[prefix] = row;
  ${keysOut}[prefix] = ${keys}[row];
}`,
);

const numbers = storage('numbers', 'array<u32>');
const idsOut = storage('ids', 'array<u32>', 'read_write');

const numberRows = kernel({
  label: 'groups/ids',
  threads: THREADS,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${idsOut}[item] = ${numbers}[${keys}[item] - ${least}];`,
});

/** Whether rows may be grouped so, as far as the host can tell: by some of the keys, and by what becomes of the values. */
export function mayBeDense([column, ...others]: readonly CheckedColumn[], results: ResultColumns): boolean {
  if (!column || others.length > 0 || column.valid || column.rows === 0) return false;
  if (column.key !== (u32 as KeyType) || !results.all.every(({ combiner }) => isAtomic(combiner.way))) return false;
  if (!Array.isArray(column.words)) return true;
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const key of (column.words as readonly Uint32Array[]).flatMap(samplesOf)) {
    low = Math.min(low, key);
    high = Math.max(high, key);
  }
  return isSmall(low, high, column.rows);
}

/** Some of the keys, from all over. */
function samplesOf(piece: Uint32Array): readonly number[] {
  const count = Math.min(SAMPLES, piece.length);
  return Array.from({ length: count }, (_, i) => piece[Math.floor((i * piece.length) / count)] as number);
}

const isSmall = (low: number, high: number, rows: number): boolean => high - low < MOST_SPREAD * rows;

/** Groups, as columns of their keys, rows and results. */
export interface DenseGroups {
  readonly size: number;
  readonly rows: Uint32Array<ArrayBuffer>;
  readonly keys: Uint32Array<ArrayBuffer>;
  /** The words of every result. */
  readonly results: readonly ArrayBuffer[];
}

/** Groups rows by a column and combines their values; undefined if the range of its keys is not small. */
export async function groupDense(
  memory: CallMemory,
  column: GpuColumn,
  rows: number,
  results: ResultColumns,
  values: ReadonlyMap<string, GPUBuffer>,
): Promise<DenseGroups | undefined> {
  const { gpu, workspace } = memory;
  const given = sized(gpu, column.words, rows * WORD_BYTES);
  /** Runs a part of it, and hands over what it wants to be read. */
  const run = <T>(part: (recorder: Recorder) => readonly Readback[], consume: (read: readonly Uint8Array[]) => T) => {
    // Filled while recording: buffers are made there, under its error scopes.
    const reads: Readback[] = [];
    return perform(
      gpu,
      (encoder) => {
        reads.push(...record(gpu, encoder, 'groups', part));
      },
      reads,
      consume,
    );
  };
  const [low, high] = await run(
    (recorder) => recordEnds(recorder, given, rows, workspace.scratch('groups/ends', 2 * WORD_BYTES)),
    ([ends]) => {
      const [complement = 0, greatest = 0] = wordsIn(ends as Uint8Array);
      return [~complement >>> 0, greatest] as const;
    },
  );
  // A rehearsal reads zeros, as if there were no keys.
  const span = Math.max(1, high - low + 1);
  const isTooLarge = span * WORD_BYTES * results.mostWords > mostBytes(gpu.limits);
  if (isTooLarge || !isSmall(low, high, rows)) return undefined;
  const room = Math.min(span, rows);
  return run(
    (recorder) => {
      const words = (name: string, count: number) => workspace.scratch(`groups/${name}`, count * WORD_BYTES);
      const items = recorder.extent(rows);
      const own = [
        [keys, given],
        [least, gpu.constants(low)],
        [extentCount, items.count],
      ] as const;
      const [firstOfPlace, numberOfPlace] = [words('firsts', span), words('numbers', span)];
      const [groupRows, groupKeys, size, ids] = [
        words('rows', room),
        words('keys', room),
        words('size', 1),
        words('ids', rows),
      ];
      recordFill(recorder, { output: firstOfPlace, value: NO_ROW, items: span });
      recorder.run(findFirsts, [...own, [firstsOut, firstOfPlace]], items);
      recordScan(recorder, numberGroups, {
        bound: [
          ...own,
          [firsts, firstOfPlace],
          [numbersOut, numberOfPlace],
          [rowsOut, groupRows],
          [keysOut, groupKeys],
        ],
        items,
        total: { buffer: size },
        workspace,
      });
      recorder.run(numberRows, [...own, [numbers, numberOfPlace], [idsOut, ids]], items);
      const combined = results.all.map((result, i): Readback => {
        const { combiner, value, of } = result as AtomicResult;
        const output = words(`results${i}`, room * combiner.result.words);
        const accumulators = combiner.finish ? words('accumulators', room * combiner.words) : output;
        const data = of === undefined ? undefined : values.get(of);
        recordAtomics(
          recorder,
          { ids, inOrder: false },
          { combiner, value, values: data, items, maxKeys: room, accumulators },
        );
        if (combiner.finish)
          recordFinish(recorder, combiner, { accumulators, results: output, keys: recorder.extent(room) });
        return { buffer: output, bytes: room * combiner.result.words * WORD_BYTES };
      });
      const listed = [groupRows, groupKeys].map((buffer) => ({ buffer, bytes: room * WORD_BYTES }));
      return [{ buffer: size, bytes: WORD_BYTES }, ...listed, ...combined];
    },
    ([counted, ...read]) => {
      const [size = 0] = wordsIn(counted as Uint8Array);
      // Only as many as there are: new memory takes longer than what is read.
      const exact = read.map((bytes) => bytes.slice(0, (bytes.length / room) * size).buffer as ArrayBuffer);
      const [groupRows, groupKeys, ...words] = exact as [ArrayBuffer, ArrayBuffer, ...ArrayBuffer[]];
      return { size, rows: new Uint32Array(groupRows), keys: new Uint32Array(groupKeys), results: words };
    },
  );
}

type AtomicResult = ResultColumn & Pick<AtomicCall, 'combiner'>;

/** Records how small and how great keys are. */
function recordEnds(recorder: Recorder, given: BufferView, rows: number, ends: GPUBuffer): readonly Readback[] {
  const items = recorder.extent(rows);
  recordFill(recorder, { output: ends, value: 0, items: 2 });
  recorder.run(
    findEnds,
    [
      [keys, given],
      [endsOut, ends],
      [extentCount, items.count],
    ],
    items,
  );
  return [{ buffer: ends, bytes: 2 * WORD_BYTES }];
}
