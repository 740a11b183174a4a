import { describe, expect, it } from 'vitest';
import { KeyIndex } from '../../src/collections/index.ts';
import { f32, i32, i64, type KeyType, u32, u64, utf8 } from '../../src/keys/index.ts';
import { linearProbing } from '../../src/schemes/index.ts';
import { wordsBelow } from '../conformance/primitiveWords.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const COUNT = 2500;
const words = wordsBelow(COUNT, 1000, 3).map((word) => Math.imul(word, 0x9e3779b1) >>> 0);
const wide = BigInt64Array.from(words, (word) => BigInt(word - 2 ** 31) << 3n);

const samples: readonly { readonly key: KeyType; readonly keys: ArrayLike<unknown> }[] = [
  { key: u32 as KeyType, keys: words },
  { key: i32 as KeyType, keys: new Int32Array(words.buffer) },
  { key: f32 as KeyType, keys: Float32Array.from(words, (word) => (word - 2 ** 31) / 2 ** 20) },
  { key: i64 as KeyType, keys: wide },
  { key: u64 as KeyType, keys: new BigUint64Array(wide.buffer) },
  { key: utf8 as KeyType, keys: Array.from(words, (word) => `name ${word % 777}`) },
];

describe("a key index by the construction 'sort'", () => {
  it.each(samples)('numbers $key.name keys in their order', async ({ key, keys }) => {
    using index = await KeyIndex.from(gpu, { keys }, { key, construction: 'sort', scheme: linearProbing() });
    const inOrder = [...new Set(Array.from(keys as ArrayLike<number>))].sort((a, b) => (a < b ? -1 : 1));
    expect(index.size).toBe(inOrder.length);
    const ids = Uint32Array.from({ length: index.size }, (_, i) => i);
    expect(Array.from((await index.keysOf(ids)) as ArrayLike<unknown>)).toEqual(inOrder);
    const found = await index.ids(keys);
    expect(Array.from(found, (id) => inOrder[id])).toEqual(Array.from(keys));
  });
});
