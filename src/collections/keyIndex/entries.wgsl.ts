/** All keys of an index in the order of their ids, with something for each of them. */
import { type BufferView, countedWord, record, type Target } from '../../gpu/index.ts';
import { wordsArray } from '../../keys/index.ts';
import { sizeIn } from '../../schemes/contract/index.ts';
import { type Column, type KeyListBuffers, recordNone, requireEntryRoom } from '../../table/entryBuffers.ts';
import type { Reading } from '../../table/reading.wgsl.ts';
import type { Searchable } from '../../table/searchable.ts';
import { sized } from '../../table/source.ts';
import { kept, kernel, storage, uniform, type Wgsl, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { KeysById } from './keysById.ts';

/** What is written beside the keys, and what the buffer for it is called. */
export interface BesideKeys {
  readonly name: string;
  readonly output: GPUBuffer;
  readonly words: number;
  /** Rows by id; without, the ids themselves are written. */
  readonly rows?: BufferView;
}

const THREADS = 256;
const NOTHING = 0;
const IDS = -1;

/** Room, and which word gets the count. */
const limits = uniform('limits', 'vec2u');
const countOut = storage('count', 'array<u32>', 'read_write');

/** WGSL: how many keys an index over such a table has. */
export const sizeNow = ({ view, isBuilt }: Reading): Wgsl => wgsl`select(0u, ${sizeIn(view.header)}, ${isBuilt})`;

const entriesKernel = kept((reading: Reading, rowWords: number) => {
  const { words } = reading.request.key;
  const keysById = wordsArray('keysById', words);
  const keys = wordsArray('keys', words, 'read_write');
  const rows = wordsArray('rows', Math.max(1, rowWords));
  const output = wordsArray('output', Math.max(1, rowWords), 'read_write');
  const beside = rowWords === IDS ? 'item' : wgsl`${rows}[item]`;
  const program = kernel({
    label: 'keyIndex/entries',
    threads: THREADS,
    body: wgsl`
  let size = min(${sizeNow(reading)}, ${limits}.x);
  if (item == 0u) { ${countOut}[${limits}.y] = size; }
  if (item >= size) { return; }
  ${keys}[item] = ${keysById}[item];
  ${rowWords === NOTHING ? '' : wgsl`${output}[item] = ${beside};`}`,
  });
  return { program, keysById, keys, rows, output };
});

/** What has keys by id, of which there may be as many as its capacity. */
interface Numbered {
  readonly table: Searchable;
  readonly byId: KeysById;
  readonly keyCapacity: number;
}

/** Checks the buffers, then records that they are written. */
export function encodeIdEntries(
  target: Target,
  { table, byId, keyCapacity: capacity }: Numbered,
  { keys, count }: KeyListBuffers,
  beside?: BesideKeys,
): void {
  const { gpu } = table;
  const { words } = byId.key;
  const columns: Column[] = [['keys', keys, words]];
  if (beside) columns.push([beside.name, beside.output, beside.words]);
  requireEntryRoom(table, capacity, columns, count, [byId.size]);
  record(gpu, target, 'keyIndex/entries', (recorder) => {
    if (capacity === 0) {
      recordNone(recorder, count);
      return;
    }
    const rowWords = beside === undefined ? NOTHING : beside.rows ? beside.words : IDS;
    const { program, ...io } = entriesKernel(table.reading, rowWords);
    recorder.run(
      program,
      [
        ...table.bound,
        [limits, gpu.constants(capacity, countedWord(count))],
        [countOut, count.buffer],
        [io.keysById, byId.keys],
        [io.keys, sized(gpu, keys, capacity * words * WORD_BYTES)],
        ...(beside?.rows ? ([[io.rows, beside.rows]] as const) : []),
        ...(beside ? ([[io.output, sized(gpu, beside.output, capacity * beside.words * WORD_BYTES)]] as const) : []),
      ],
      capacity,
    );
  });
}
