import {
  countedWord,
  type GpuCount,
  InvalidInputError,
  mostBytes,
  type Recorder,
  TooLargeError,
} from '../gpu/index.ts';
import { requireApart, requireGpuCount, requireStorage } from '../primitives/checks.ts';
import { recordFill } from '../primitives/index.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import type { Searchable } from './searchable.ts';
import { roomFor } from './source.ts';

/** Where the keys of a collection go. All are written anew, and nothing behind the last of them. */
export interface KeyListBuffers {
  /** Gets the keys, one behind the other, in the collection's key type. */
  readonly keys: GPUBuffer;
  /** The word that gets how many there are: what `encodeBuild` takes as its `count`. */
  readonly count: GpuCount;
}

/** Where the keys and values of a collection go. */
export interface EntryBuffers extends KeyListBuffers {
  /** Gets the value of every key, in the collection's value type. */
  readonly values: GPUBuffer;
}

/** Where the keys of an index and their ids go. */
export interface IdEntryBuffers extends KeyListBuffers {
  /** Gets the id of every key, a word each. */
  readonly ids: GPUBuffer;
}

/** A buffer that gets something for every entry: what it is called, and words of each. */
export type Column = readonly [name: string, buffer: GPUBuffer, words: number];

/** Throws unless entries can be read now, and the buffers have room for as many as there can be. */
export function requireEntryRoom(
  table: Searchable,
  capacity: number,
  columns: readonly Column[],
  count: GpuCount,
  /** Buffers of the collection of which callers know words. */
  known: readonly GPUBuffer[],
): void {
  table.assertBuilt();
  if (table.turns.isWriting) throw new InvalidInputError('the table is being changed: wait for that call first');
  for (const [name, buffer] of columns) requireStorage(buffer, name);
  requireGpuCount(count, 'count');
  const given: Record<string, GPUBuffer> = { count: count.buffer };
  for (const [name, buffer] of columns) given[name] = buffer;
  requireApart(given);
  requireNotOwn(table, given, known);
  for (const [name, buffer, words] of columns) {
    const room = roomFor(buffer, words * WORD_BYTES);
    if (room < capacity) throw new InvalidInputError(`${name} has room for ${room}, but there may be ${capacity}`);
    const largest = Math.floor(mostBytes(table.gpu.limits) / (words * WORD_BYTES));
    if (capacity > largest) throw new TooLargeError(`a binding has at most ${largest} ${name}`, largest);
  }
}

/** Refuses to write into the buffers of a table, and into those of its collection of which callers know words. */
export function requireNotOwn(
  table: Searchable,
  outputs: Readonly<Record<string, GPUBuffer | undefined>>,
  known: readonly GPUBuffer[],
): void {
  const own = new Set([...known, ...table.bound.map(([, view]) => ('buffer' in view ? view.buffer : view))]);
  for (const [name, buffer] of Object.entries(outputs)) {
    if (buffer && own.has(buffer)) throw new InvalidInputError(`${name} must not be a buffer of the table itself`);
  }
}

/** Records that there are none so far. */
export const recordNone = (recorder: Recorder, count: GpuCount): void =>
  recordFill(recorder, { output: count.buffer, value: 0, items: 1, offsetItems: countedWord(count) });
