/**
 * From keys to the points that the remainders are taken of. The paper's points are the coordinates themselves: then
 * neighbours in space are neighbours in the table. That cannot part all sets of keys, for example a long line; hashed
 * coordinates can, and lose the neighbourhood.
 */
import { type HashConstants, mix } from '../../hashing/index.ts';
import { type KeyAccess, type KeyType, wordsOf } from '../../keys/index.ts';
import { join, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { Dimensions } from './geometry.ts';

/** The constants that stand for the coordinates themselves. */
export const COORDINATES: HashConstants = [0, 0, 0, 0];

/** Adding this to a signed coordinate, modulo 2³², counts from the least one on: all remainders are those of unsigned numbers. */
const LEAST = 0x80000000;

/** What turns the two words of a hash into a third that shares no remainder with them. */
const THIRD = 0x9e3779b1;

/** WGSL: `(key: access.type, constants: vec4u) -> vec2u` or `vec3u`. */
export function pointOf(key: KeyType, access: KeyAccess): Wgsl {
  const vector = `vec${key.words}u`;
  const third = key.words === 3 ? `, (hash.x ^ (hash.y >> 16u)) * ${THIRD}u + hash.y` : '';
  return wgsl`
fn pointOf(key: ${access.type}, constants: vec4u) -> ${vector} {
  if (all(constants == vec4u())) { return ${vector}(${join(wordsOf(key.words, 'key'), ', ')}) + ${LEAST}u; }
  let hash = ${key.hash(access, mix)}(key, constants);
  return ${vector}(hash${third});
}`;
}

/** Bit-identical to `pointOf`, for all keys. */
export function pointsOf(keys: Uint32Array, dimensions: Dimensions, constants: HashConstants): Uint32Array {
  const points = new Uint32Array(keys.length);
  if (constants.every((word) => word === 0)) {
    for (let i = 0; i < keys.length; i++) points[i] = (keys[i] as number) + LEAST;
    return points;
  }
  const key: number[] = Array(dimensions).fill(0);
  for (let i = 0; i < keys.length; i += dimensions) {
    for (let axis = 0; axis < dimensions; axis++) key[axis] = keys[i + axis] as number;
    const [x, y] = mix.hashTwin(key, constants);
    points[i] = x;
    points[i + 1] = y;
    if (dimensions === 3) points[i + 2] = Math.imul(x ^ (y >>> 16), THIRD) + y;
  }
  return points;
}
