import type { DataType, Vector } from 'apache-arrow';
import { Type } from 'apache-arrow';
import { InvalidInputError, within } from '../../gpu/index.ts';
import { ContextPieces, type KeyType } from '../../keys/index.ts';
import type { ColumnOf } from '../../relational/columns.ts';
import { bitAt, emptyBits, isValid, setBit, validBits } from './bits.ts';
import { arrowKey, requireMemory, requireVector } from './keys.ts';

/**
 * A vector of Apache Arrow as a column of `hashnest/relational`: chunked or sliced, with nulls, or with a dictionary. It is a view of the vector's
 * memory wherever that can be uploaded as it lies.
 * @example
 * const table = await JoinTable.from(gpu, column(customers.getChild('name')));
 */
export function column(vector: Vector | null): ColumnOf {
  return within('column', () => columnOf(vector as Vector, 'vector'));
}

/** The same, for a column of that name. @internal */
export function columnOf(vector: Vector, name: string): ColumnOf {
  requireVector(vector, name);
  const { key, read } = arrowKey(vector.type, name);
  for (const data of vector.data) requireMemory(data, name);
  const context = new ContextPieces();
  const { pieces, valid } =
    (vector.type as DataType).typeId === Type.Dictionary
      ? byDictionary(vector, key, read, context, name)
      : { pieces: vector.data.map((data) => read(data, context)), valid: validBits(vector) };
  const values = key.hasContext
    ? { type: key, count: vector.length, words: joined(pieces), context: context.pieces }
    : pieces.map((words) => ({ type: key, count: words.length / key.words, words }));
  return { values, key, ...(valid && { valid }) };
}

/** The words of the entries of a dictionary, and which of them have a value. */
interface Entries {
  readonly words: Uint32Array;
  readonly count: number;
  readonly valid: Uint8Array | undefined;
}

/** Rows get the words of their entries, so that the bytes of each dictionary are there once. */
function byDictionary(
  vector: Vector,
  key: KeyType,
  read: ReturnType<typeof arrowKey>['read'],
  context: ContextPieces,
  name: string,
) {
  const known = new Map<Vector, Entries>();
  const entriesOf = (dictionary: Vector | undefined): Entries => {
    if (!dictionary) throw new InvalidInputError(`${name} has no dictionary`);
    for (const data of dictionary.data) requireMemory(data, name);
    const found = known.get(dictionary) ?? {
      words: joined(dictionary.data.map((data) => read(data, context))),
      count: dictionary.length,
      valid: validBits(dictionary),
    };
    known.set(dictionary, found);
    return found;
  };
  const valid = emptyBits(vector.length);
  let [at, nulls] = [0, 0];
  const pieces = vector.data.map((data) => {
    const words = new Uint32Array(data.length * key.words);
    if (data.length === 0) return words;
    const entries = entriesOf(data.dictionary);
    for (let i = 0; i < data.length; i++, at++) {
      const entry = Number(data.values[i]);
      const isThere = isValid(data, i);
      if (isThere && !(entry >= 0 && entry < entries.count)) {
        throw new InvalidInputError(`${name}[${at}] is entry ${entry} of a dictionary of ${entries.count}`);
      }
      if (!isThere || (entries.valid && bitAt(entries.valid, entry) === 0)) {
        nulls++;
        continue;
      }
      setBit(valid, at);
      for (let w = 0; w < key.words; w++) words[i * key.words + w] = entries.words[entry * key.words + w] as number;
    }
    return words;
  });
  return { pieces, valid: nulls > 0 ? valid : undefined };
}

/** Arrays as one; the only one is not copied. */
function joined(pieces: readonly Uint32Array[]): Uint32Array {
  const [only] = pieces;
  if (only && pieces.length === 1) return only;
  const all = new Uint32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
