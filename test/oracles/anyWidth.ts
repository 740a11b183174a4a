/** Keys of any number of words and values of up to four: more than the collections' own types, as schemes must take them. */

import type { Gpu } from '../../src/gpu/index.ts';
import { type KeyType, wordsKey } from '../../src/keys/index.ts';
import type { Duplicates, Scheme, ValueWords } from '../../src/schemes/index.ts';
import { Lookup } from '../../src/table/lookup.wgsl.ts';
import { Table } from '../../src/table/table.ts';
import { bufferSource } from './bufferSource.ts';

/** Keys of that many words without context or order. */
export const keyOfWords = (words: number): KeyType<Uint32Array> =>
  wordsKey({
    name: `${words} words`,
    words,
    accepts: (keys): keys is Uint32Array => keys instanceof Uint32Array,
    encode: (keys) => keys,
    decode: (stored) => stored,
  });

/** What a table is built from, as words. */
export interface WideItems {
  readonly key: KeyType;
  readonly keys: Uint32Array;
  readonly valueWords: ValueWords;
  readonly values: Uint32Array;
  readonly duplicates: Duplicates;
}

/** Builds a table and looks all of its own items up. */
export async function buildAndSearch(gpu: Gpu, scheme: Scheme, items: WideItems) {
  const { key, keys, valueWords, values, duplicates } = items;
  const count = keys.length / key.words;
  const [keyBuffer, valueBuffer] = [gpu.upload('test/keys', keys), gpu.upload('test/values', values)];
  const [found, got] = [gpu.createBuffer('test/found', count * 4), gpu.createBuffer('test/got', values.byteLength)];
  const source = { keys: keyBuffer, values: valueWords > 0 ? valueBuffer : undefined, count, maxCount: count };
  try {
    const table = await Table.build(gpu, { scheme, key, valueWords, duplicates }, bufferSource(source));
    const [foundBytes, gotBytes] = await gpu.run(
      (encoder) =>
        new Lookup(table).encode(encoder, { queries: keyBuffer, count, found, ...(valueWords && { values: got }) }, []),
      [
        { buffer: found, bytes: count * 4 },
        { buffer: got, bytes: values.byteLength },
      ],
    );
    const { size } = table;
    table.destroy();
    return {
      size,
      found: new Uint32Array(foundBytes as ArrayBuffer),
      values: new Uint32Array(gotBytes as ArrayBuffer),
    };
  } finally {
    for (const buffer of [keyBuffer, valueBuffer, found, got]) buffer.destroy();
  }
}
