import { arrayKind, requireAttached } from '../gpu/arguments.ts';
import { type WgslPart, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { collectNumbers } from './collect.ts';
import type { FixedKeyType, ShaderKey } from './keyType.ts';
import { keyOfWords } from './wordsKey.wgsl.ts';

type NumberArray = Uint32Array | Int32Array | Float32Array | BigUint64Array | BigInt64Array;

/** One number for each key, in a typed array of whole words; the first word is the least significant. */
function numberKey<Host extends NumberArray>(options: {
  readonly name: string;
  readonly array: {
    readonly name: string;
    readonly BYTES_PER_ELEMENT: number;
    new (buffer: ArrayBufferLike, byteOffset: number, length: number): Host;
    new (length: number): Host;
  };
  readonly order: (key: WgslPart) => readonly WgslPart[];
  readonly unorder?: (lead: WgslPart) => WgslPart;
  readonly shader?: ShaderKey;
  readonly isNumber?: true;
}): FixedKeyType<Host> {
  const { array } = options;
  const words = array.BYTES_PER_ELEMENT / WORD_BYTES;
  return keyOfWords({
    ...options,
    words,
    takes: `a ${array.name}`,
    accepts: (keys): keys is Host => arrayKind(keys) === array.name,
    collect: (keys, name) => collectNumbers(array, keys, 1, name),
    encode: asWords,
    decode: (stored) => new array(stored.buffer, stored.byteOffset, stored.length / words),
  });
}

/** The same memory as words. */
export function asWords(keys: NumberArray): Uint32Array {
  requireAttached(keys, 'keys');
  return new Uint32Array(keys.buffer, keys.byteOffset, keys.byteLength / WORD_BYTES);
}

/** An unsigned word that orders signed ones: the sign bit turned round. */
export const signedOrder = (word: WgslPart): WgslPart => wgsl`(${word} ^ 0x80000000u)`;

/** Negative numbers have all bits turned round, others only the sign: the total order of IEEE 754. */
export const floatOrder = wgsl`
fn floatOrder(bits: u32) -> u32 {
  return bits ^ select(0x80000000u, 0xffffffffu, (bits >> 31u) == 1u);
}`;

const floatUnorder = wgsl`
fn floatUnorder(lead: u32) -> u32 {
  return lead ^ select(0xffffffffu, 0x80000000u, (lead >> 31u) == 1u);
}`;

/** A shader writes one word as another type of the same bits. */
const bitsAs = (type: 'i32' | 'f32'): ShaderKey => ({
  type,
  toWords: (key) => wgsl`bitcast<u32>(${key})`,
  fromWords: (stored) => wgsl`bitcast<${type}>(${stored})`,
});

/** 32-bit unsigned keys, from a `Uint32Array`; in shaders `u32`. */
export const u32: FixedKeyType<Uint32Array> = numberKey({
  name: 'u32',
  isNumber: true,
  array: Uint32Array,
  order: (key) => [key],
  unorder: (lead) => lead,
});

/** 32-bit signed keys, from an `Int32Array`; in shaders `i32`. */
export const i32: FixedKeyType<Int32Array> = numberKey({
  name: 'i32',
  isNumber: true,
  array: Int32Array,
  order: (key) => [signedOrder(key)],
  unorder: signedOrder,
  shader: bitsAs('i32'),
});

/**
 * 32-bit floating-point keys, from a `Float32Array`; in shaders `f32`. Keys are the same if their bits are: 0 and −0 are
 * two keys, and a NaN is found by a NaN of the same bits. In order −NaN comes first, then −∞ … −0, 0 … ∞, and NaN last.
 */
export const f32: FixedKeyType<Float32Array> = numberKey({
  name: 'f32',
  array: Float32Array,
  order: (key) => [wgsl`${floatOrder}(${key})`],
  unorder: (lead) => wgsl`${floatUnorder}(${lead})`,
  shader: bitsAs('f32'),
});

/** 64-bit unsigned keys, from a `BigUint64Array`; in shaders `vec2u(low, high)`. */
export const u64: FixedKeyType<BigUint64Array> = numberKey({
  name: 'u64',
  isNumber: true,
  array: BigUint64Array,
  order: (key) => [wgsl`${key}.y`, wgsl`${key}.x`],
});

/** 64-bit signed keys, from a `BigInt64Array`; in shaders the two's complement as `vec2u(low, high)`. */
export const i64: FixedKeyType<BigInt64Array> = numberKey({
  name: 'i64',
  isNumber: true,
  array: BigInt64Array,
  order: (key) => [signedOrder(wgsl`${key}.y`), wgsl`${key}.x`],
});
