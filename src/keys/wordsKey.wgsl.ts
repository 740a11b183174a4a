import { refuse } from '../gpu/arguments.ts';
import { within } from '../gpu/calls.ts';
import { UnsupportedError } from '../gpu/errors.ts';
import type { HashFamily } from '../hashing/index.ts';
import { join, kept, type Wgsl, type WgslPart, wgsl } from '../wgsl/index.ts';
import { requireKeyOptions } from './keyOptions.ts';
import type { FixedKeyType, KeyOrder, KeySide, KeyType, ShaderKey } from './keyType.ts';
import { fromWords, wordAt, wordsOf, wordsType } from './words.wgsl.ts';

/** What makes a type of keys that are a fixed number of words, equal if and only if all their words are, once they are folded. */
export interface WordsKeyOptions<Host> {
  readonly name: string;
  readonly words: number;
  /** What callers pass, for messages. Default `'NAME keys'`. */
  readonly takes?: string;
  readonly accepts: (keys: unknown) => keys is Host;
  /** Keys of plain JavaScript as what `encode` takes; throws `InvalidInputError` for those that cannot be. Default: none are taken. */
  readonly collect?: (keys: readonly unknown[], name: string) => Host;
  /** The words of all keys, one key behind the other. */
  readonly encode: (keys: Host) => Uint32Array;
  readonly decode: (words: Uint32Array) => Host;
  /**
   * For keys that can be written in several ways: words as expressions, made from a key of `wordsType(words)`, that are hashed,
   * compared and kept instead of its words. What is folded already stays as it is, and so does all that `encode` gives.
   */
  readonly fold?: (key: WgslPart) => readonly WgslPart[];
  /**
   * The order, if there is one: words as expressions, the most significant first, that are compared as unsigned numbers. They
   * are made from a key of `wordsType(words)`.
   */
  readonly order?: (key: WgslPart) => readonly WgslPart[];
  /** For one-word keys whose order is one word: from that word back to the key. */
  readonly unorder?: (lead: WgslPart) => WgslPart;
  /** How shaders write a key. Default the words themselves. */
  readonly shader?: ShaderKey;
  /** How many signed integer coordinates a key is, one a word. Default none. */
  readonly coordinates?: 2 | 3 | 4;
  /** Whether its words are one whole number, the least significant word first. */
  readonly isNumber?: true;
}

/** The functions that `wordsKey` gives its types. */
const ownFunctions = new WeakSet<object>();

/**
 * Whether keys are hashed word by word (`HashFamily.hash`), equal only to keys of the same words, and passed around as these: types of
 * `wordsKey`, unless somebody gave them a hash, an equality or an access of another kind. A table may then keep a part of
 * the hash instead of the last word (`HashFamily.unhash`).
 */
export const isWordByWord = ({ hash, equals, access }: KeyType): boolean =>
  [hash, equals, access].every((own) => ownFunctions.has(own));

/** A key type of so many words, hashed word by word. */
export function wordsKey<Host>(options: WordsKeyOptions<Host>): FixedKeyType<Host> {
  return within('wordsKey', () => {
    const { words, coordinates, accepts, encode, decode } = Object(options) as WordsKeyOptions<Host>;
    requireKeyOptions(options, { accepts, encode, decode });
    if (!(Number.isInteger(words) && words > 0)) refuse('words', 'a whole number above 0', words);
    if (coordinates !== undefined && (coordinates !== words || words < 2 || words > 4)) {
      refuse('coordinates', '2, 3 or 4, and as many as words', coordinates);
    }
    return wordsKeyOf(options);
  });
}

function wordsKeyOf<Host>(options: WordsKeyOptions<Host>): FixedKeyType<Host> {
  const { name, words, takes, accepts, collect, encode, decode, order, unorder, fold, coordinates, isNumber } = options;
  const type = wordsType(words);
  if (fold && coordinates) {
    throw new UnsupportedError(`${name} keys have coordinates, which are their words as they stand: they have no fold`);
  }
  const shader = options.shader ?? { type, toWords: (key) => key, fromWords: (stored) => stored };
  const hash = kept((family: HashFamily) => {
    if (words > family.maxWords) {
      throw new UnsupportedError(
        `the hash family '${family.name}' takes keys of ${family.maxWords} word; a ${name} key has ${words}. Use the default family`,
      );
    }
    return wgsl`
fn hashKey(key: ${type}, constants: vec4u) -> vec2u {
  return ${family.hash(words)}(${join(wordsOf(words, 'key'), ', ')}, constants);
}`;
  });
  const folded =
    fold &&
    wgsl`
fn folded(key: ${type}) -> ${type} {
  return ${fromWords(fold('key'))};
}`;
  const equals = wgsl`
fn equalKeys(a: ${type}, b: ${type}) -> bool {
  return ${join(
    wordsOf(words, 'a').map((word, i) => wgsl`${word} == ${wordAt(words, 'b', i)}`),
    ' && ',
  )};
}`;
  const keyType: FixedKeyType<Host> = {
    name,
    words,
    isFixed: true,
    isWord: words === 1,
    hasContext: false,
    ...(coordinates && { coordinates }),
    ...(isNumber && { isNumber }),
    ...(takes && { takes }),
    accepts,
    ...(collect && { collect }),
    encode: (keys) => {
      const encoded = encode(keys);
      return { count: encoded.length / words, words: encoded };
    },
    decode,
    access: (side: KeySide) => ({
      side,
      type,
      of: (stored) => stored,
      safe: (words) => (folded ? wgsl`${folded}(${words})` : words),
    }),
    hash: (_, family) => hash(family),
    hashTwin: ({ words: all }, item, family, constants) =>
      family.hashTwin(Array.from(all.subarray(item * words, (item + 1) * words)), constants),
    equals: () => equals,
    ...(order && { order: { ...wordOrder(type, order), ...(unorder && { unlead: unleadOf(unorder) }) } }),
    shader,
  };
  for (const own of [keyType.hash, keyType.equals, keyType.access]) ownFunctions.add(own);
  return keyType;
}

/** The order that compares unsigned words one after the other. */
function wordOrder(type: WgslPart, order: (key: WgslPart) => readonly WgslPart[]): KeyOrder {
  const words = order('key').map(
    (word): Wgsl => wgsl`
fn orderWord(key: ${type}) -> u32 {
  return ${word};
}`,
  );
  const [a, b] = [order('a'), order('b')];
  const less = wgsl`
fn lessKey(a: ${type}, b: ${type}) -> bool {
  ${join(
    a
      .slice(0, -1)
      .map((word, i) => wgsl`if (${word} != ${b[i] as WgslPart}) { return ${word} < ${b[i] as WgslPart}; }`),
    '\n  ',
  )}
  return ${a.at(-1) as WgslPart} < ${b.at(-1) as WgslPart};
}`;
  const isLead = words.length === 1 && order('key')[0] === 'key';
  return { less: () => less, lead: () => words[0] as Wgsl, words: () => words, ...(isLead && { isLead }) };
}

const unleadOf = (unorder: (lead: WgslPart) => WgslPart): Wgsl => wgsl`
fn unlead(lead: u32) -> u32 {
  return ${unorder('lead')};
}`;
