/**
 * What phase 1 puts into a bucket for every item. A key that is itself one word travels with the item's number, so that
 * phase 2 reads both in order; of wider keys only the number travels, and the key is read from the input.
 */
import { type KeysView, type KeyType, wordsArray } from '../../keys/index.ts';
import { type Binding, type WgslPart, wgsl } from '../../wgsl/index.ts';

/** Words of a parcel. */
export const parcelWords = ({ isWord }: KeyType): number => (isWord ? 2 : 1);

/** The parcels as phase 1 writes and as phase 2 reads them. */
export const parcelsBinding = (key: KeyType, access: 'read' | 'read_write'): Binding =>
  wordsArray('parcels', parcelWords(key), access);

/** The parcel of an item. */
export const parcelOf = ({ isWord }: KeyType, storedKey: WgslPart, item: WgslPart): WgslPart =>
  isWord ? wgsl`vec2u(${storedKey}, ${item})` : item;

/** The item's number in a parcel. */
export const itemIn = ({ isWord }: KeyType, parcel: WgslPart): WgslPart => (isWord ? wgsl`${parcel}.y` : parcel);

/** The stored key that a parcel stands for. */
export const keyInParcel = ({ isWord }: KeyType, keys: KeysView, parcel: WgslPart): WgslPart =>
  isWord ? wgsl`${parcel}.x` : keys.stored(parcel);
