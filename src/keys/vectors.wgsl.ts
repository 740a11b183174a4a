import { arrayKind } from '../gpu/arguments.ts';
import { join, type Wgsl, wgsl } from '../wgsl/index.ts';
import { collectNumbers } from './collect.ts';
import type { FixedKeyType, ShaderKey } from './keyType.ts';
import { asWords, floatOrder, signedOrder } from './numbers.wgsl.ts';
import { fromWords, wordAt, wordsOf } from './words.wgsl.ts';
import { keyOfWords } from './wordsKey.wgsl.ts';

/** How shaders write a vector of so many coordinates: each is one word. */
function vectorInShader(size: 2 | 3 | 4, coordinate: 'i32' | 'f32'): ShaderKey {
  const type = `vec${size}${coordinate[0]}`;
  const axes = ['x', 'y', 'z', 'w'].slice(0, size);
  return {
    type,
    toWords: (key) => fromWords(axes.map((name) => wgsl`bitcast<u32>(${key}.${name})`)),
    fromWords: (stored) =>
      wgsl`${type}(${join(
        axes.map((_, i) => wgsl`bitcast<${coordinate}>(${wordAt(size, stored, i)})`),
        ', ',
      )})`,
  };
}

/** Integer points of so many coordinates, ordered by the first coordinate, then the second, and so on. */
const integerVector = (size: 2 | 3 | 4): FixedKeyType<Int32Array> =>
  keyOfWords({
    name: `vec${size}i`,
    words: size,
    coordinates: size,
    takes: `an Int32Array of ${size} numbers a key`,
    accepts: (keys): keys is Int32Array => arrayKind(keys) === 'Int32Array' && (keys as Int32Array).length % size === 0,
    collect: (keys, name) => collectNumbers(Int32Array, keys, size, name),
    encode: asWords,
    decode: (stored) => new Int32Array(stored.buffer, stored.byteOffset, stored.length),
    order: (key) => wordsOf(size, key).map(signedOrder),
    shader: vectorInShader(size, 'i32'),
  });

/** The one NaN that stands for all of them. */
const NAN_BITS = 0x7fc0_0000;
const INFINITY_BITS = 0x7f80_0000;

/** From the bits of a number to those that all equal numbers share: −0 becomes 0, and every NaN the same one. */
export const oneSpelling = wgsl`
fn oneSpelling(bits: u32) -> u32 {
  let magnitude = bits & 0x7fffffffu;
  return select(select(bits, 0u, magnitude == 0u), ${NAN_BITS}u, magnitude > ${INFINITY_BITS}u);
}`;

/** The same on the host; the words themselves where nothing is to be changed. */
export function spelledAlike(keys: Float32Array): Uint32Array {
  const given = asWords(keys);
  const isOther = (bits: number) => bits === 0x8000_0000 || (bits & 0x7fff_ffff) > INFINITY_BITS;
  if (!given.some(isOther)) return given;
  return given.map((bits) => (isOther(bits) ? (bits === 0x8000_0000 ? 0 : NAN_BITS) : bits));
}

/** Coordinates that are kept as others: what they become, on the GPU by their bits and on the host. */
export interface Rounding {
  readonly name: string;
  /** WGSL: `(bits: u32) -> u32`. */
  readonly onGpu: Wgsl;
  onHost(coordinates: Float32Array): Float32Array;
}

/** Points of so many floating-point coordinates, in the same order, each as it is or rounded. */
export const floatVector = (size: 2 | 3 | 4, rounding?: Rounding): FixedKeyType<Float32Array> =>
  keyOfWords({
    name: `vec${size}f${rounding?.name ?? ''}`,
    words: size,
    takes: `a Float32Array of ${size} numbers a key`,
    accepts: (keys): keys is Float32Array =>
      arrayKind(keys) === 'Float32Array' && (keys as Float32Array).length % size === 0,
    collect: (keys, name) => collectNumbers(Float32Array, keys, size, name),
    encode: (keys) => spelledAlike(rounding ? rounding.onHost(keys) : keys),
    decode: (stored) => new Float32Array(stored.buffer, stored.byteOffset, stored.length),
    fold: (key) =>
      wordsOf(size, key).map((word) => wgsl`${oneSpelling}(${rounding ? wgsl`${rounding.onGpu}(${word})` : word})`),
    order: (key) => wordsOf(size, key).map((word) => wgsl`${floatOrder}(${word})`),
    shader: vectorInShader(size, 'f32'),
  });

/** Points of a plane: pairs of 32-bit signed integers, one behind the other in an `Int32Array`; in shaders `vec2i`. */
export const vec2i: FixedKeyType<Int32Array> = integerVector(2);

/** Points of space, voxels: triples of 32-bit signed integers in an `Int32Array`; in shaders `vec3i`. */
export const vec3i: FixedKeyType<Int32Array> = integerVector(3);

/** Four 32-bit signed integers a key, in an `Int32Array`; in shaders `vec4i`. */
export const vec4i: FixedKeyType<Int32Array> = integerVector(4);

/**
 * Points of a plane: pairs of 32-bit floating-point numbers, one behind the other in a `Float32Array`; in shaders `vec2f`. Numbers
 * are the same as in a `Map`: −0 is 0, and every NaN is every other. They come back as 0 and as one NaN.
 */
export const vec2f: FixedKeyType<Float32Array> = floatVector(2);

/** Points of space: triples of 32-bit floating-point numbers in a `Float32Array`, compared like those of `vec2f`; in shaders `vec3f`. */
export const vec3f: FixedKeyType<Float32Array> = floatVector(3);

/** Four 32-bit floating-point numbers a key, in a `Float32Array`, compared like those of `vec2f`; in shaders `vec4f`. */
export const vec4f: FixedKeyType<Float32Array> = floatVector(4);
