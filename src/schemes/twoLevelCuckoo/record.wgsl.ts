/**
 * What phase 1 puts into a bucket for every item. A key that is itself one word travels with the item's number, so that
 * phase 2 reads both in order; of wider keys only the number travels, and the key is read from the input.
 */
import { isOneWord, type KeyType, wordsType } from '../../keys/index.ts';
import { storage, type WgslPart, wgsl } from '../../wgsl/index.ts';

/** Words of a record. */
export const recordWords = (key: KeyType): number => (isOneWord(key) ? 2 : 1);

/** The records as phase 1 writes and as phase 2 reads them. */
export const recordsBinding = (key: KeyType, access: 'read' | 'read_write') =>
  storage('records', wgsl`array<${wordsType(recordWords(key))}>`, access);

/** The record of an item. */
export const recordOf = (key: KeyType, storedKey: WgslPart, item: WgslPart): WgslPart =>
  isOneWord(key) ? wgsl`vec2u(${storedKey}, ${item})` : item;

/** The item's number in a record. */
export const itemIn = (key: KeyType, record: WgslPart): WgslPart => (isOneWord(key) ? wgsl`${record}.y` : record);

/** The stored key that a record stands for. */
export const keyInRecord = (key: KeyType, keys: WgslPart, record: WgslPart): WgslPart =>
  isOneWord(key) ? wgsl`${record}.x` : wgsl`${keys}[${record}]`;
