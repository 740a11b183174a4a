/**
 * Items on their way to their regions: the key, the value, and the item's number where it is wanted. Where the hash tells
 * the key, it stands instead of it; before keys of variable length it stands by itself. So nobody has to hash those again.
 */
import { mix, unmix } from '../../../hashing/index.ts';
import {
  fromWords,
  type KeyAccess,
  type KeysView,
  type KeyType,
  wordAt,
  wordsOf,
  wordsType,
} from '../../../keys/index.ts';
import { type Binding, storage, type Wgsl, type WgslPart, wgsl } from '../../../wgsl/index.ts';
import type { ValueWords } from '../../contract/index.ts';

/** What a parcel holds. */
export interface ParcelContent {
  readonly key: KeyType;
  readonly valueWords: ValueWords;
  /** Whether parcels carry the number of their item. */
  readonly numbered: boolean;
  /** Whether those that are partitioned may be changed. */
  readonly writable?: boolean;
}

/** Whether the hash of a key tells the key, and stands for it. */
export const isExact = ({ isWord }: KeyType): boolean => isWord;

/** Words of the hash in a parcel: keys of variable length are read once, when the hash is made, and seldom again. */
const hashWordsOf = ({ hasContext }: KeyType): 0 | 2 => (hasContext ? 2 : 0);

/** Words of a parcel. */
export const parcelWordsOf = ({ key, valueWords, numbered }: ParcelContent): number =>
  hashWordsOf(key) + key.words + valueWords + (numbered ? 1 : 0);

/** Parcels as kernels see them: expressions of an expression that is a parcel. */
export interface Parcels {
  readonly type: WgslPart;
  readonly words: number;
  /** Those that are partitioned, from one buffer to the other. */
  readonly buffer: Binding;
  readonly bufferOut: Binding;
  /** The parcel of an item of the input. */
  fromInput(item: WgslPart): Wgsl;
  /** Whether that takes so long that no parcel must be made in vain. */
  readonly isCostly: boolean;
  /** The parcel of a hash and a value, and of a key where the hash does not stand for it; for parcels without numbers. */
  made(hash: WgslPart, stored: WgslPart, value: WgslPart): WgslPart;
  /** The key as stored. */
  storedKey(parcel: WgslPart): WgslPart;
  value(parcel: WgslPart): WgslPart;
  /** The hash, of which only the first word is known where it stands for the key. */
  hash(parcel: WgslPart): WgslPart;
  /** Both words of the hash. */
  fullHash(parcel: WgslPart): WgslPart;
  /** The number of the item, where parcels carry it. */
  number(parcel: WgslPart): WgslPart;
  /** A statement that changes it, in a buffer that may be written to. */
  setNumber(i: WgslPart, number: WgslPart): WgslPart;
  isSameKey(one: WgslPart, other: WgslPart): Wgsl;
  /** The same, as far as can be told without a look at bytes: where the hash is in the parcels, it will do. */
  looksSame(one: WgslPart, other: WgslPart): Wgsl;
}

/** What parcels are made from. */
export interface ParcelInput {
  readonly keys: KeysView;
  /** The words of the value of item `i`. */
  valueAt(i: WgslPart): WgslPart;
  /** The table's header: it has the constants of the hash. */
  readonly header: Binding;
  /** Where keys point into a context that the table keeps: how it reads them, and how far they move to get there. */
  readonly moved?: { readonly access: KeyAccess; readonly by: WgslPart } | undefined;
}

/** The one-word key whose hash has this first word. */
export const keyFromHash = (hash: WgslPart, header: WgslPart): Wgsl => wgsl`${unmix(1)}(${hash}, ${header}.hash)`;

export function parcelsOf(content: ParcelContent, { keys, valueAt, header, moved }: ParcelInput): Parcels {
  const { key, valueWords, numbered, writable = false } = content;
  const exact = isExact(key);
  const hashWords = hashWordsOf(key);
  const words = parcelWordsOf(content);
  const type = wordsType(words);
  const many = wgsl`array<${type}>`;
  const inside = moved?.access ?? keys.access;
  const hashOf = (access: KeyAccess, stored: WgslPart): Wgsl =>
    wgsl`${key.hash(access, mix)}(${access.of(stored)}, ${header}.hash)`;
  const equalKeys = key.equals(inside, inside);
  const part = (parcel: WgslPart, first: number, count: number): WgslPart =>
    fromWords(Array.from({ length: count }, (_, i) => wordAt(words, parcel, first + i)));
  const keyPart = (parcel: WgslPart): WgslPart => part(parcel, hashWords, key.words);
  const storedKey = (parcel: WgslPart): WgslPart => (exact ? keyFromHash(keyPart(parcel), header) : keyPart(parcel));
  const fullHash = (parcel: WgslPart): WgslPart =>
    hashWords > 0 ? part(parcel, 0, 2) : hashOf(inside, storedKey(parcel));
  const areEqual = exact
    ? wgsl`${keyPart('a')} == ${keyPart('b')}`
    : wgsl`${equalKeys}(${inside.of(keyPart('a'))}, ${inside.of(keyPart('b'))})`;
  const isSameKey = wgsl`
fn isSameKey(a: ${type}, b: ${type}) -> bool {
  ${hashWords > 0 ? wgsl`if (any(${fullHash('a')} != ${fullHash('b')})) { return false; }` : ''}
  return ${areEqual};
}`;
  const [firstWord, ...otherWords] = wordsOf(key.words, 'stored');
  const movedWords: WgslPart[] = moved
    ? [wgsl`${firstWord as WgslPart} + ${moved.by}`, ...otherWords]
    : wordsOf(key.words, 'stored');
  const inOrder = (hash: WgslPart, keyWords: readonly WgslPart[], value: WgslPart, number: readonly WgslPart[]) =>
    fromWords([
      ...(hashWords > 0 ? wordsOf(2, hash) : []),
      ...(exact ? [wordAt(2, hash, 0)] : keyWords),
      ...wordsOf(valueWords, value),
      ...number,
    ]);
  const buffer = storage('parcels', many, writable ? 'read_write' : 'read');
  const parcelOf = wgsl`
fn parcelOf(item: u32) -> ${type} {
  let stored = ${keys.stored('item')};
  ${exact || hashWords > 0 ? wgsl`let hash = ${hashOf(keys.access, 'stored')};` : ''}
  ${valueWords > 0 ? wgsl`let value = ${valueAt('item')};` : ''}
  return ${inOrder('hash', movedWords, 'value', numbered ? ['item'] : [])};
}`;
  return {
    type,
    words,
    buffer,
    bufferOut: storage('parcelsOut', many, 'read_write'),
    fromInput: (item) => wgsl`${parcelOf}(${item})`,
    isCostly: hashWords > 0,
    made: (hash, stored, value) => inOrder(hash, wordsOf(key.words, stored), value, []),
    storedKey,
    value: (parcel) => part(parcel, hashWords + key.words, valueWords),
    hash: (parcel) => (exact ? wgsl`vec2u(${keyPart(parcel)}, 0u)` : fullHash(parcel)),
    fullHash,
    number: (parcel) => wordAt(words, parcel, words - 1),
    setNumber: (i, number) => wgsl`${wordAt(words, wgsl`${buffer}[${i}]`, words - 1)} = ${number};`,
    isSameKey: (one, other) => wgsl`${isSameKey}(${one}, ${other})`,
    looksSame: (one, other) =>
      hashWords > 0 ? wgsl`all(${fullHash(one)} == ${fullHash(other)})` : wgsl`${isSameKey}(${one}, ${other})`,
  };
}
