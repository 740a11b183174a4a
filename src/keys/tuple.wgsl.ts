import { refuse } from '../gpu/arguments.ts';
import { within } from '../gpu/calls.ts';
import { InvalidInputError, UnsupportedError } from '../gpu/errors.ts';
import { join, kept, type WgslPart, wgsl } from '../wgsl/index.ts';
import type { EncodedKeys, FixedKeyType, KeyType, ShaderKey } from './keyType.ts';
import { fromWords, MOST_WORDS, wordAt, wordsOf } from './words.wgsl.ts';
import { keyOfWords } from './wordsKey.wgsl.ts';

/**
 * Keys of several parts, each of a fixed size. The caller passes one array for each part, all of the same length. Ordered by
 * the first part, then the second, and so on. In shaders a struct with the members `a`, `b`, `c`, … Every call with the same parts gives
 * the same type.
 * @example
 * const edges = await HashSet.from(gpu, { keys: [from, to] }, { key: tuple(u32, u32) });
 */
export function tuple<Hosts extends readonly unknown[]>(
  ...parts: { readonly [I in keyof Hosts]: FixedKeyType<Hosts[I]> }
): FixedKeyType<Readonly<Hosts>> {
  return within('tuple', () => {
    for (const part of parts as readonly (KeyType | undefined)[])
      if (typeof part?.accepts !== 'function') refuse('a part of a tuple', 'a key type', part);
    return tupleOf(...(parts as unknown as readonly KeyType[])) as FixedKeyType<never>;
  });
}

const tupleOf = kept((...types: readonly KeyType[]): FixedKeyType<readonly unknown[]> => {
  const words = types.reduce((sum, part) => sum + part.words, 0);
  const name = `tuple(${types.map((part) => part.name).join(', ')})`;
  const withContext = types.find((part) => part.hasContext);
  if (withContext) {
    throw new UnsupportedError(
      `${name}: ${withContext.name} keys have no fixed size, so they cannot be part of a tuple`,
    );
  }
  if (words === 0) throw new UnsupportedError('a tuple needs at least one part');
  if (words > MOST_WORDS)
    throw new UnsupportedError(`${name}: ${words} words are more than the ${MOST_WORDS} of a key`);
  const starts = types.map((_, i) => types.slice(0, i).reduce((sum, part) => sum + part.words, 0));
  /** The words of part `i`, as a value of its own `wordsType`. */
  const partOf = (key: WgslPart, i: number): WgslPart => {
    const { words: size } = types[i] as KeyType;
    const first = starts[i] as number;
    return fromWords(Array.from({ length: size }, (_, word) => wordAt(words, key, first + word)));
  };
  const isOrdered = types.every((part) => part.order?.words);
  const isFolded = types.some((part) => part.access('input').safe('words') !== 'words');

  return keyOfWords<readonly unknown[]>({
    name,
    words,
    takes: `an array of ${types.length} arrays, one for each part`,
    accepts: (keys): keys is readonly unknown[] =>
      Array.isArray(keys) && keys.length === types.length && types.every((part, i) => part.accepts(keys[i])),
    encode: (keys) =>
      interleave(
        name,
        types.map((part, i) => part.encode(keys[i])),
        words,
      ),
    decode: (stored) => types.map((part, i) => part.decode(columnOf(stored, words, starts[i] as number, part.words))),
    ...(isFolded && {
      fold: (key) => types.flatMap((part, i) => wordsOf(part.words, part.access('input').safe(partOf(key, i)))),
    }),
    ...(isOrdered && {
      order: (key) =>
        types.flatMap((part, i) =>
          (part.order?.words?.(part.access('table')) ?? []).map((word) => wgsl`${word}(${partOf(key, i)})`),
        ),
    }),
    shader: structOf(types, partOf),
  });
});

/** A struct with a member for each part. */
function structOf(types: readonly KeyType[], partOf: (key: WgslPart, i: number) => WgslPart): ShaderKey {
  const members = types.map((_, i) => String.fromCharCode('a'.charCodeAt(0) + i));
  const type = wgsl`
struct Tuple {
  ${join(
    types.map((part, i) => wgsl`${members[i] as string}: ${part.shader.type},`),
    '\n  ',
  )}
}`;
  return {
    type,
    toWords: (key) =>
      fromWords(
        types.flatMap((part, i) => wordsOf(part.words, part.shader.toWords(wgsl`${key}.${members[i] as string}`))),
      ),
    fromWords: (stored) =>
      wgsl`${type}(${join(
        types.map((part, i) => part.shader.fromWords(partOf(stored, i))),
        ', ',
      )})`,
  };
}

/** From one array for each part to keys one behind the other. */
function interleave(name: string, parts: readonly EncodedKeys[], words: number): Uint32Array {
  const counts = parts.map(({ count }) => count);
  const [count = 0] = counts;
  if (counts.some((other) => other !== count)) {
    throw new InvalidInputError(`${name}: the parts must have equally many items, not ${counts.join(', ')}`);
  }
  const all = new Uint32Array(count * words);
  let first = 0;
  for (const part of parts) {
    const size = count === 0 ? 0 : part.words.length / count;
    for (let i = 0; i < count; i++) {
      for (let word = 0; word < size; word++) all[i * words + first + word] = part.words[i * size + word] as number;
    }
    first += size;
  }
  return all;
}

/** Some words of every key, as an array of their own. */
function columnOf(stored: Uint32Array, words: number, first: number, size: number): Uint32Array {
  const count = stored.length / words;
  const column = new Uint32Array(count * size);
  for (let i = 0; i < count; i++) column.set(stored.subarray(i * words + first, i * words + first + size), i * size);
  return column;
}
