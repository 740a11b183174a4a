export type { EncodedKeys, KeyAccess, KeySide, KeyType } from './keyType.ts';
export { u32, u64 } from './unsigned.ts';
export { allOnes, fromWords, wordAt, wordsOf, wordsType } from './words.ts';
