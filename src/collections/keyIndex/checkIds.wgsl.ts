/** What the kernel that checks saved tables looks at in the table of an index: its values are ids, and a list has the keys by them. */
import { ELEMENT_BYTES } from '../../gpu/index.ts';
import { type KeyType, wordAt, wordsArray, wordsOf } from '../../keys/index.ts';
import type { EntryCheck } from '../../table/saved/check.wgsl.ts';
import { join, storage, type Wgsl, WORD_BYTES, wgsl } from '../../wgsl/index.ts';

/** The name of the list of keys that the ids in a table stand for. */
export const KEYS_BY_ID = 'keysById';

/** A bit for every id. */
const seen = storage('seen', 'array<atomic<u32>>', 'read_write');

/** No two keys have the same id, and every key is listed by its own. */
export const checkIds: EntryCheck = {
  kernelPart({ words }: KeyType, size: Wgsl, fault: Wgsl) {
    const keysById = wordsArray(KEYS_BY_ID, words);
    const isOther = wordsOf(words, 'found.key').map((word, i) => wgsl`${wordAt(words, 'listed', i)} != ${word}`);
    const statements = wgsl`
    let id = found.value;
    if (id >= ${size}) {
      ${fault}();
    } else {
      let bit = 1u << (id % 32u);
      let listed = ${keysById}[id];
      if ((atomicOr(&${seen}[id / 32u], bit) & bit) != 0u || ${join(isOther, ' || ')}) { ${fault}(); }
    }`;
    return { statements, arrays: [seen, keysById] };
  },
  contents(size, extras) {
    const listed = extras.get(KEYS_BY_ID);
    // A list of nothing must still hold a key to be bound.
    return { seen: Math.ceil(size / 32), [KEYS_BY_ID]: listed?.length ? listed : ELEMENT_BYTES / WORD_BYTES };
  },
};
