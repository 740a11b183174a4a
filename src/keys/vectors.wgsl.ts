import { arrayKind } from '../gpu/arguments.ts';
import { join, wgsl } from '../wgsl/index.ts';
import type { FixedKeyType } from './keyType.ts';
import { asWords, signedOrder } from './numbers.wgsl.ts';
import { fromWords, wordAt, wordsOf } from './words.wgsl.ts';
import { wordsKey } from './wordsKey.wgsl.ts';

/** Integer points of so many coordinates, ordered by the first coordinate, then the second, and so on. */
function vectorKey(size: 2 | 3 | 4): FixedKeyType<Int32Array> {
  const name = `vec${size}i`;
  const axes = ['x', 'y', 'z', 'w'].slice(0, size);
  return wordsKey({
    name,
    words: size,
    coordinates: size,
    takes: `an Int32Array of ${size} numbers a key`,
    accepts: (keys): keys is Int32Array => arrayKind(keys) === 'Int32Array' && (keys as Int32Array).length % size === 0,
    encode: asWords,
    decode: (stored) => new Int32Array(stored.buffer, stored.byteOffset, stored.length),
    order: (key) => wordsOf(size, key).map(signedOrder),
    shader: {
      type: name,
      toWords: (key) => fromWords(axes.map((name) => wgsl`bitcast<u32>(${key}.${name})`)),
      fromWords: (stored) =>
        wgsl`${name}(${join(
          axes.map((_, i) => wgsl`bitcast<i32>(${wordAt(size, stored, i)})`),
          ', ',
        )})`,
    },
  });
}

/** Points of a plane: pairs of 32-bit signed integers, one behind the other in an `Int32Array`; in shaders `vec2i`. */
export const vec2i: FixedKeyType<Int32Array> = vectorKey(2);

/** Points of space, voxels: triples of 32-bit signed integers in an `Int32Array`; in shaders `vec3i`. */
export const vec3i: FixedKeyType<Int32Array> = vectorKey(3);

/** Four 32-bit signed integers a key, in an `Int32Array`; in shaders `vec4i`. */
export const vec4i: FixedKeyType<Int32Array> = vectorKey(4);
