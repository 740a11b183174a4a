/** Keys of an index, brought to the host. */
import { type Abortable, InvalidInputError, perform, requireWords } from '../../gpu/index.ts';
import { contextReadback } from '../../table/contents.wgsl.ts';
import { decodeKeys, type Fresh } from '../../table/source.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { KeyIndex } from './keyIndex.ts';
import { readKeysOf } from './keysOf.wgsl.ts';

/** The key of every id. An id that there is none of is an error. */
export function readKeys<K>(index: KeyIndex<K>, ids: Uint32Array, options: Abortable): Promise<Fresh<K>> {
  requireWords(ids, 'ids');
  const given = ids.slice();
  return index.readFor(options, async () => {
    const wrong = given.findIndex((id) => id >= index.size);
    if (wrong >= 0) throw new InvalidInputError(`there is no id ${given[wrong]}: ids go up to ${index.size - 1}`);
    const [words, context] = await readKeysOf(index.table, index.byId, given);
    return decoded(index, words, context);
  });
}

/** All keys with their ids, in the order of the ids. */
export function readIdEntries<K>(
  index: KeyIndex<K>,
  options: Abortable,
): Promise<{ keys: Fresh<K>; ids: Uint32Array<ArrayBuffer> }> {
  return index.readFor(options, async () => {
    const { key, size, gpu } = index;
    const read = [{ buffer: index.byId.keys, bytes: size * key.words * WORD_BYTES }, ...contextReadback(index.table)];
    const [words, context] = await perform(gpu, () => {}, read);
    return { keys: decoded(index, words, context), ids: Uint32Array.from({ length: size }, (_, id) => id) };
  });
}

/** A buffer that the index has when it is this call's turn, as far as that many words. */
export function readWords<K>(
  index: KeyIndex<K>,
  options: Abortable,
  wordsOf: () => readonly [buffer: GPUBuffer, words: number],
): Promise<Uint32Array<ArrayBuffer>> {
  return index.readFor(options, async () => {
    const [buffer, words] = wordsOf();
    const [read] = await perform(index.gpu, () => {}, [{ buffer, bytes: words * WORD_BYTES }]);
    return new Uint32Array(read as ArrayBuffer);
  });
}

const decoded = <K>(index: KeyIndex<K>, words?: ArrayBuffer, context?: ArrayBuffer): Fresh<K> =>
  decodeKeys(index.key, new Uint32Array(words as ArrayBuffer), context && new Uint8Array(context));
