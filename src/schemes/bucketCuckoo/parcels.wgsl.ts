/**
 * Items on their way to their regions: the key, the value, and the item's number where the policy compares it. Where the
 * hash tells the key, it stands instead of it; before keys of variable length it stands by itself. So nobody has to
 * hash those again.
 */
import { mix } from '../../hashing/index.ts';
import { fromWords, wordAt, wordsOf, wordsType } from '../../keys/index.ts';
import { type Binding, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { BuildView } from '../contract/index.ts';
import { copiesCompete } from '../kit/copies.wgsl.ts';
import type { Partitioned } from '../kit/partition/pass.wgsl.ts';
import { geometry, keyFromHash } from './geometry.wgsl.ts';
import type { Shape } from './shape.ts';

/** Parcels as kernels see them: expressions of an expression that is a parcel. */
export interface Parcels {
  readonly type: WgslPart;
  /** Those that are partitioned, from one buffer to the other. */
  readonly buffer: Binding;
  readonly bufferOut: Binding;
  /** Those that found no slot in their region. */
  readonly spilled: Binding;
  readonly spilledOut: Binding;
  /** The parcel of an item of the input. */
  fromInput(item: WgslPart): Wgsl;
  /** Whether that takes so long that no parcel must be made in vain. */
  readonly isCostly: boolean;
  /** The key as stored. */
  storedKey(parcel: WgslPart): WgslPart;
  value(parcel: WgslPart): WgslPart;
  /** The hash, of which only the first word is known where it stands for the key. */
  hash(parcel: WgslPart): WgslPart;
  /** Both words of the hash. */
  fullHash(parcel: WgslPart): WgslPart;
  isSameKey(one: WgslPart, other: WgslPart): Wgsl;
  /** Whether the policy keeps one of two items with the same key rather than the other that came first here. */
  isPreferred(one: WgslPart, other: WgslPart): WgslPart;
}

/** What the kernels share that go on once every parcel is in its region. */
export interface BuildParts {
  readonly shape: Shape;
  readonly view: BuildView;
  readonly parcels: Parcels;
}

/** The parcels of a table. `header` is the table's, as those kernels see it. */
export function parcelsOf(shape: Shape, { keys, valueAt }: BuildView, header: Binding): Parcels {
  const { exact, hashWords, parcelWords, request } = shape;
  const { key, valueWords, duplicates } = request;
  const type = wordsType(parcelWords);
  const many = wgsl`array<${type}>`;
  const hashKey = key.hash(keys.access, mix);
  const equalKeys = key.equals(keys.access, keys.access);
  const part = (parcel: WgslPart, first: number, words: number): WgslPart =>
    fromWords(Array.from({ length: words }, (_, i) => wordAt(parcelWords, parcel, first + i)));
  const keyPart = (parcel: WgslPart): WgslPart => part(parcel, hashWords, key.words);
  const itemNumber = (parcel: WgslPart): WgslPart => wordAt(parcelWords, parcel, parcelWords - 1);
  const storedKey = (parcel: WgslPart): WgslPart => (exact ? keyFromHash(keyPart(parcel), header) : keyPart(parcel));
  const hashOf = (stored: WgslPart): Wgsl => wgsl`${hashKey}(${keys.access.of(stored)}, ${header}.hash)`;
  const fullHash = (parcel: WgslPart): WgslPart => (hashWords > 0 ? part(parcel, 0, 2) : hashOf(storedKey(parcel)));
  const areEqual = exact
    ? wgsl`${keyPart('a')} == ${keyPart('b')}`
    : wgsl`${equalKeys}(${keys.access.of(keyPart('a'))}, ${keys.access.of(keyPart('b'))})`;
  const isSameKey = wgsl`
fn isSameKey(a: ${type}, b: ${type}) -> bool {
  ${hashWords > 0 ? wgsl`if (any(${fullHash('a')} != ${fullHash('b')})) { return false; }` : ''}
  return ${areEqual};
}`;
  const parcelOf = wgsl`
fn parcelOf(item: u32) -> ${type} {
  let stored = ${keys.stored('item')};
  ${exact || hashWords > 0 ? wgsl`let hash = ${hashOf('stored')};` : ''}
  ${valueWords > 0 ? wgsl`let value = ${valueAt('item')};` : ''}
  return ${fromWords([
    ...(hashWords > 0 ? ['hash.x', 'hash.y'] : []),
    ...(exact ? ['hash.x'] : wordsOf(key.words, 'stored')),
    ...wordsOf(valueWords, 'value'),
    ...(copiesCompete(duplicates) ? ['item'] : []),
  ])};
}`;
  return {
    type,
    buffer: storage('parcels', many),
    bufferOut: storage('parcelsOut', many, 'read_write'),
    spilled: storage('spilled', many),
    spilledOut: storage('spilled', many, 'read_write'),
    fromInput: (item) => wgsl`${parcelOf}(${item})`,
    isCostly: hashWords > 0,
    storedKey,
    value: (parcel) => part(parcel, hashWords + key.words, valueWords),
    hash: (parcel) => (exact ? wgsl`vec2u(${keyPart(parcel)}, 0u)` : fullHash(parcel)),
    fullHash,
    isSameKey: (one, other) => wgsl`${isSameKey}(${one}, ${other})`,
    isPreferred: (one, other) =>
      copiesCompete(duplicates)
        ? wgsl`(${itemNumber(one)} ${duplicates === 'first' ? '<' : '>'} ${itemNumber(other)})`
        : 'false',
  };
}

/** Parcels as they are partitioned. */
export function partitionedParcels(shape: Shape, view: BuildView, header: Binding): Partitioned {
  const parcels = parcelsOf(shape, view, header);
  const { locate } = geometry(shape, header);
  return {
    ...parcels,
    owner: 'bucketCuckoo',
    words: shape.parcelWords,
    count: wgsl`${header}.count`,
    regionOf: (parcel) => wgsl`${locate}(${parcels.hash(parcel)}).region`,
  };
}
