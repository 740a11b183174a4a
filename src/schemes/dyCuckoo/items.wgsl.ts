/** The items of a batch and the table that they change, as kernels see them. */
import type { Bound, Gpu } from '../../gpu/index.ts';
import { wordAt, wordsOf } from '../../keys/index.ts';
import { join, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { Batch, DynamicPlan, InsertBatch, TableBuffers } from '../contract/index.ts';
import { batchInput } from '../kit/batch/input.wgsl.ts';
import { BUCKET_WORDS, Bucket } from '../kit/bucket.wgsl.ts';
import { readParts } from './find.wgsl.ts';
import type { Shape } from './shape.ts';

export type Items = ReturnType<typeof itemsOf>;

/** What the kernels of a batch have in common. A kernel reads the buckets or writes them, never both ways at once. */
export function itemsOf(shape: Shape, fields: DynamicPlan['fields']) {
  const { request, perBucket, inline, exact, sideWords } = shape;
  const { key, valueWords } = request;
  const input = batchInput(request, fields);
  const { header, keys, valueAt, inTable, contextStart } = input;
  const parts = readParts(shape, {
    header,
    buckets: storage('buckets', wgsl`array<${Bucket}>`),
    side: storage('side', 'array<u32>'),
    key: inTable,
  });
  const bucketsOut = storage('bucketsOut', 'array<atomic<u32>>', 'read_write');
  const sideOut = storage('sideOut', 'array<u32>', 'read_write');
  const tagWord = (slot: WgslPart): Wgsl =>
    wgsl`${bucketsOut}[(${slot} / ${perBucket}u) * ${BUCKET_WORDS}u + ${slot} % ${perBucket}u]`;
  const inlineWord = (slot: WgslPart): Wgsl =>
    wgsl`${bucketsOut}[(${slot} / ${perBucket}u) * ${BUCKET_WORDS}u + ${perBucket}u + ${slot} % ${perBucket}u]`;
  const sideWord = (slot: WgslPart, word: number): Wgsl => wgsl`${sideOut}[${slot} * ${sideWords}u + ${word}u]`;
  const storeSide = (slot: WgslPart, first: number, words: readonly WgslPart[]): Wgsl =>
    join(
      words.map((word, w) => wgsl`${sideWord(slot, first + w)} = ${word};`),
      '\n  ',
    );
  const keyWords = exact ? 0 : key.words;
  // The bytes of the batch have become a part of the table's.
  const movedKey = wordsOf(key.words, 'stored').map((word, w) =>
    key.hasContext && w === 0 ? wgsl`${word} + ${contextStart}` : word,
  );
  return {
    shape,
    header,
    keys,
    parts,
    tagWord,
    valueAt,
    /** WGSL: `(slot: u32, item: u32)`, the words of its key beside the bucket; where a tag tells the key there are none. */
    storeKey: wgsl`
fn storeKey(slot: u32, item: u32) {
  ${exact ? '' : wgsl`let stored = ${keys.stored('item')};`}
  ${exact ? '' : storeSide('slot', 0, movedKey)}
}`,
    /** Statements that store a value, of `wordsType`. */
    storeValue: (slot: WgslPart, value: WgslPart): Wgsl =>
      inline
        ? wgsl`atomicStore(&${inlineWord(slot)}, ${value});`
        : storeSide(
            slot,
            keyWords,
            Array.from({ length: valueWords }, (_, w) => wordAt(valueWords, value, w)),
          ),
    /** The value of a slot, for values of one word. */
    storedWord: (slot: WgslPart): Wgsl =>
      inline ? wgsl`atomicLoad(&${inlineWord(slot)})` : wgsl`${sideWord(slot, keyWords)}`,
    /** WGSL: `(origin: u32, goal: u32)`, key and value of one slot go to another, but for the tag. */
    moveStored: wgsl`
fn moveStored(origin: u32, goal: u32) {
  ${inline ? wgsl`atomicStore(&${inlineWord('goal')}, atomicLoad(&${inlineWord('origin')}));` : ''}
  ${storeSide(
    'goal',
    0,
    Array.from({ length: sideWords }, (_, w) => sideWord('origin', w)),
  )}
}`,
    bind: (gpu: Gpu, table: TableBuffers, batch: Batch & Partial<InsertBatch>): Bound => [
      ...input.bind(gpu, table, batch),
      [parts.buckets, table.get('buckets')],
      [parts.side, table.get('side')],
      [bucketsOut, table.get('buckets')],
      [sideOut, table.get('side')],
    ],
  };
}
