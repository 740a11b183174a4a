/**
 * A segmented reduction whose result depends on nothing but the values of a key and their order: the values of every key
 * are cut into pieces of a fixed length from the key's first value on, each piece is folded from left to right by one
 * thread, and so are the results of the pieces, until every key has one. Where keys happen to lie makes no difference, as
 * it would if the cuts were made across the whole array.
 */
import { type BufferView, type Extent, extentCount, type Recorder, type Workspace } from '../../gpu/index.ts';
import { wordsType } from '../../keys/index.ts';
import { recordExclusiveScan } from '../../primitives/index.ts';
import { shaderValue, type ValueType } from '../../table/values.ts';
import { type Binding, type Kernel, kept, kernel, storage, uniform, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { Combiner, FoldWay } from './combiners.wgsl.ts';

const THREADS = 256;
/** Values that one thread folds. */
const PIECE = 256;

const bounds = storage('bounds', 'array<vec2u>');
const boundsOut = storage('bounds', 'array<vec2u>', 'read_write');
const pieceStarts = storage('pieceStarts', 'array<u32>');
const piecesOut = storage('pieceStarts', 'array<u32>', 'read_write');
const total = storage('total', 'u32');
const keyCount = uniform('keyCount', 'u32');

const countPieces = kernel({
  label: 'reduce/pieces',
  threads: THREADS,
  body: wgsl`
  if (item >= ${keyCount}) { return; }
  let range = ${bounds}[item];
  ${piecesOut}[item] = max(1u, (range.y - range.x) / ${PIECE}u + u32((range.y - range.x) % ${PIECE}u != 0u));`,
});

/** The pieces become the values of the next level. */
const nextBounds = kernel({
  label: 'reduce/bounds',
  threads: THREADS,
  body: wgsl`
  if (item >= ${keyCount}) { return; }
  var end = ${total};
  if (item + 1u < ${keyCount}) { end = ${pieceStarts}[item + 1u]; }
  ${boundsOut}[item] = vec2u(${pieceStarts}[item], end);`,
});

/** The key of a piece: the last whose pieces do not begin after it. */
const keyOfPiece = wgsl`
fn keyOfPiece(piece: u32) -> u32 {
  // As many pieces as keys: one each.
  if (${total} == ${keyCount}) { return piece; }
  var low = 0u;
  var high = ${keyCount};
  // The interval halves every time.
  for (var i = 0u; i < 32u && low < high; i++) {
    let middle = low + (high - low) / 2u;
    if (${pieceStarts}[middle] <= piece) { low = middle + 1u; } else { high = middle; }
  }
  // The first key begins at piece 0.
  return low - 1u;
}`;

interface FoldKernel {
  readonly kernel: Kernel;
  readonly input: Binding;
  readonly output: Binding;
  readonly identity: Binding;
}

/** The kernels that fold values, and that fold the results of pieces. */
export interface Folds {
  readonly values: FoldKernel;
  readonly pieces: FoldKernel;
}

export const foldsOf = kept(
  ({ way, words }: Combiner & { readonly way: FoldWay }, value: ValueType): Folds => ({
    values: foldKernel(way, words, value),
    pieces: foldKernel(way, words, undefined),
  }),
);

function foldKernel({ accumulator, combine, lift }: FoldWay, words: number, value: ValueType | undefined): FoldKernel {
  const stored = wordsType(words);
  const input = storage('input', wgsl`array<${value ? wordsType(value.words) : stored}>`);
  const output = storage('output', wgsl`array<${stored}>`, 'read_write');
  // Not a constant: WGSL has none for infinity.
  const identity = uniform('identity', stored);
  const load = (i: string) => {
    const loaded = wgsl`${input}[${i}]`;
    return value ? shaderValue(value, loaded) : wgsl`bitcast<${accumulator}>(${loaded})`;
  };
  const next = value && lift ? wgsl`${lift}(${load('i')})` : load('i');
  // Values begin from the identity; results of pieces have begun already, so a single one is left as it is.
  const [first, second] = value ? [wgsl`bitcast<${accumulator}>(${identity})`, 'start'] : [load('start'), 'start + 1u'];
  return {
    input,
    output,
    identity,
    kernel: kernel({
      label: 'reduce/fold',
      threads: THREADS,
      body: wgsl`
  if (item >= ${extentCount}) { return; }
  let key = ${keyOfPiece}(item);
  let range = ${bounds}[key];
  let start = range.x + (item - ${pieceStarts}[key]) * ${PIECE}u;
  let end = min(start + ${PIECE}u, range.y);
  var sum = ${first};
  for (var i = ${second}; i < end; i++) { sum = ${combine}(sum, ${next}); }
  ${output}[item] = bitcast<${stored}>(sum);`,
    }),
  };
}

/** What is reduced. */
export interface ReduceCall {
  readonly folds: Folds;
  readonly combiner: Pick<Combiner, 'identity' | 'words'>;
  /** Values, those of a key together. */
  readonly values: BufferView;
  /** Where the values of each key begin and end; overwritten. */
  readonly bounds: GPUBuffer;
  /** Gets an accumulator a key. */
  readonly results: GPUBuffer;
  readonly keys: Extent;
  readonly maxItems: number;
  readonly workspace: Workspace;
}

/** Records the reduction: as many levels as the longest list possible may need. */
export function recordReduce(recorder: Recorder, call: ReduceCall): void {
  const { folds, combiner, keys, workspace } = call;
  const { gpu } = recorder;
  const perKey = workspace.scratch('reduce/pieceStarts', keys.max * WORD_BYTES);
  const count = workspace.scratch('reduce/total', 4);
  const counted = [keyCount, keys.count] as const;
  const numbered = [counted, [pieceStarts, perKey], [total, count]] as const;
  const identity = gpu.constants(...combiner.identity);

  let input = call.values;
  let longest = call.maxItems;
  for (let level = 0; level === 0 || longest > 1; level++) {
    const fold = level === 0 ? folds.values : folds.pieces;
    const isLast = longest <= PIECE;
    const maxPieces = isLast ? keys.max : Math.floor(call.maxItems / PIECE ** (level + 1)) + keys.max;
    const output = isLast
      ? call.results
      : workspace.scratch(`reduce/partial${level % 2}`, maxPieces * combiner.words * WORD_BYTES);
    recorder.run(countPieces, [counted, [bounds, call.bounds], [piecesOut, perKey]], keys);
    const scan = { input: perKey, output: perKey, items: keys, total: { buffer: count }, workspace };
    recordExclusiveScan(recorder, scan);
    const gate = workspace.gate('reduce', level, maxPieces);
    gate.open(recorder, { buffer: count }, maxPieces);
    const pieces = gate.extent(maxPieces);
    const bound = [...numbered, [bounds, call.bounds], [extentCount, pieces.count]] as const;
    const io = [
      [fold.input, input],
      [fold.output, output],
      [fold.identity, identity],
    ] as const;
    recorder.behind(gate).run(fold.kernel, [...bound, ...io], pieces);
    gate.seal();
    recorder.run(nextBounds, [...numbered, [boundsOut, call.bounds]], keys);
    input = output;
    longest = isLast ? 1 : Math.ceil(longest / PIECE);
  }
}
