import { UnsupportedError } from '../gpu/errors.ts';
import { type HashFamily, unmix } from '../hashing/index.ts';
import { join, wgsl } from '../wgsl/index.ts';
import type { KeyAccess, KeySide, KeyType } from './keyType.ts';
import { wordAt, wordsOf, wordsType } from './words.ts';

/** Whole words without context, hashed word by word; the first word is the least significant. */
function unsignedKey<Host extends Uint32Array | BigUint64Array>(options: {
  readonly name: string;
  readonly words: number;
  readonly array: { new (buffer: ArrayBufferLike, byteOffset: number, length: number): Host };
}): KeyType<Host> {
  const { name, words, array } = options;
  const type = wordsType(words);
  const access = (side: KeySide): KeyAccess => ({ side, type, of: (stored) => stored });
  const mostSignificantFirst = Array.from({ length: words }, (_, i) => words - 1 - i);
  return {
    name,
    words,
    accepts: (keys): keys is Host => keys instanceof array,
    encode: (keys) => ({
      count: keys.length,
      words: new Uint32Array(keys.buffer, keys.byteOffset, keys.length * words),
    }),
    decode: (stored) => new array(stored.buffer, stored.byteOffset, stored.length / words),
    access,
    hash: (_, family: HashFamily) => {
      if (words > family.maxWords) {
        throw new UnsupportedError(
          `the hash family '${family.name}' takes keys of ${family.maxWords} word; a ${name} key has ${words}. Use the default family`,
        );
      }
      return wgsl`
fn hashKey(key: ${type}, constants: vec4u) -> vec2u {
  return ${family.hash(words)}(${join(wordsOf(words, 'key'), ', ')}, constants);
}`;
    },
    equals: () => wgsl`
fn equalKeys(a: ${type}, b: ${type}) -> bool {
  return ${words === 1 ? 'a == b' : 'all(a == b)'};
}`,
    less: () => wgsl`
fn lessKey(a: ${type}, b: ${type}) -> bool {
  ${join(
    mostSignificantFirst.map((i) => {
      const [a, b] = [wordAt(words, 'a', i), wordAt(words, 'b', i)];
      return wgsl`if (${a} != ${b}) { return ${a} < ${b}; }`;
    }),
    '\n  ',
  )}
  return false;
}`,
    ...(words === 1 && { unhash: unmix }),
    radixWords: mostSignificantFirst.toReversed(),
  };
}

/** 32-bit unsigned keys, from a `Uint32Array`; in shaders `u32`. */
export const u32: KeyType<Uint32Array> = unsignedKey({ name: 'u32', words: 1, array: Uint32Array });

/** 64-bit unsigned keys, from a `BigUint64Array`; in shaders `vec2u(low, high)`. */
export const u64: KeyType<BigUint64Array> = unsignedKey({ name: 'u64', words: 2, array: BigUint64Array });
