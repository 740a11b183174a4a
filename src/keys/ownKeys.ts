/** Key types of somebody's own. What they are made of is checked: it may come from plain JavaScript. */
import { arrayKind, refuse, requireOptions, requireWords } from '../gpu/arguments.ts';
import { within } from '../gpu/calls.ts';
import { Wgsl } from '../wgsl/index.ts';
import { pack } from './byteSlices.ts';
import { type BytesKeyOptions, keyOfStrings, packedKey, type StringKeyOptions } from './bytes.wgsl.ts';
import type { FixedKeyType, KeyType } from './keyType.ts';
import { MOST_WORDS } from './words.wgsl.ts';
import { keyOfWords, type WordsKeyOptions } from './wordsKey.wgsl.ts';

/** What `typeof` says of options, by their names. */
type OptionTypes = Readonly<Record<string, string>>;

const CODEC: OptionTypes = { accepts: 'function', encode: 'function', decode: 'function' };
const FOLDS: OptionTypes = { fold: 'object', foldTwin: 'function' };

/** A key type of so many words, hashed word by word. */
export function wordsKey<Host>(options: WordsKeyOptions<Host>): FixedKeyType<Host> {
  return within('wordsKey', () => {
    requireTypes(
      options,
      { name: 'string', words: 'number', ...CODEC },
      {
        takes: 'string',
        collect: 'function',
        fold: 'function',
        order: 'function',
        unorder: 'function',
        shader: 'object',
        coordinates: 'number',
        isNumber: 'boolean',
      },
    );
    const { name, words, coordinates, encode } = options;
    if (!Number.isInteger(words) || words < 1 || words > MOST_WORDS) {
      refuse('words', `a whole number from 1 to ${MOST_WORDS}`, words);
    }
    if (coordinates !== undefined && (coordinates !== words || words < 2 || words > 4)) {
      refuse('coordinates', 'as many as words, 2 to 4', coordinates);
    }
    const encodeWords = (keys: Host): Uint32Array => {
      const encoded = encode(keys);
      requireWords(encoded, `what encode gives for ${name} keys`);
      return encoded;
    };
    return keyOfWords({ ...options, encode: encodeWords });
  });
}

/** A key type of byte strings of any length. */
export function bytesKey<Host>(options: BytesKeyOptions<Host>): KeyType<Host> {
  return within('bytesKey', () => {
    requireTypes(options, { name: 'string', ...CODEC }, { takes: 'string', ...FOLDS });
    requireFold(options.fold);
    return packedKey({ ...options, encode: (keys) => pack(byteStrings(options.encode(keys))) });
  });
}

/**
 * A key type of strings, as UTF-8.
 * @example
 * const ascii = stringKey({ name: 'ascii', fold: wgsl`fn fold(bytes: u32) -> u32 { return bytes & 0x7f7f7f7fu; }` });
 */
export function stringKey(options: StringKeyOptions): KeyType<readonly string[]> {
  return within('stringKey', () => {
    requireTypes(options, { name: 'string' }, FOLDS);
    requireFold(options.fold);
    return keyOfStrings(options);
  });
}

/** Throws unless all options that are needed are there, and each is of its type; one that is misspelt would silently be ignored. */
function requireTypes(options: object, needed: OptionTypes, others: OptionTypes): void {
  const types = { ...needed, ...others };
  requireOptions(options, Object.keys(types));
  for (const [name, type] of Object.entries(types)) {
    const option: unknown = Reflect.get(options, name);
    if (typeof option !== type && (option !== undefined || name in needed)) refuse(name, `of the type ${type}`, option);
  }
}

function requireFold(fold: unknown): void {
  if (fold !== undefined && !(fold instanceof Wgsl && fold.declares)) {
    refuse('fold', 'a function in WGSL, wgsl`fn …`', fold);
  }
}

/** The same strings; throws for what is none. */
function* byteStrings(strings: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const string of strings) {
    if (arrayKind(string) !== 'Uint8Array') refuse('what encode gives', 'a Uint8Array for each key', string);
    yield string;
  }
}
