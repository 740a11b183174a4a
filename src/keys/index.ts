export { byCell } from './byCell.wgsl.ts';
export { type ArrowColumn, arrowKeys, type ByteSlices, ContextPieces, sliceKeys, writeSlices } from './byteSlices.ts';
export { type BytesKeyOptions, bytes, type StringKeyOptions, utf8 } from './bytes.wgsl.ts';
export { collectNumbers, firstNotKept } from './collect.ts';
export { bindContext, type KeyBuffers, type KeysView, keysView } from './keysView.ts';
export type {
  EncodedKeys,
  FixedKeyType,
  KeyAccess,
  KeyOrder,
  KeySide,
  KeyType,
  PreparedKeys,
  ShaderKey,
} from './keyType.ts';
export { isFixed } from './keyType.ts';
export { f32, i32, i64, signedOrder, u32, u64 } from './numbers.wgsl.ts';
export { bytesKey, stringKey, wordsKey } from './ownKeys.ts';
export {
  bitReversed,
  type Coordinates,
  morton,
  type PlaceOrder,
  type Places,
  type Point,
  remainderOf,
  remainderTwin,
  rowMajor,
  type WidePlaces,
} from './places/index.ts';
export { tuple } from './tuple.wgsl.ts';
export { oneSpelling, spelledAlike, vec2f, vec2i, vec3f, vec3i, vec4f, vec4i } from './vectors.wgsl.ts';
export { allOnes, fromWords, wordAt, wordsArray, wordsOf, wordsType } from './words.wgsl.ts';
export { isWordByWord, type WordsKeyOptions } from './wordsKey.wgsl.ts';
