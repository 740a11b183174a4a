/** Which hash function to take for keys in grids of given sizes. */
import { type HashConstants, mix } from '../../hashing/index.ts';
import { type Arrangement, construct, type Misfit } from './construct.ts';
import type { Geometry } from './geometry.ts';
import { COORDINATES, pointsOf } from './points.wgsl.ts';

/** Hash functions drawn for one size of the table. That all keys can be parted is luck, and likelier with more offsets. */
const FUNCTIONS_PER_SIZE = 8;

/**
 * Offsets for distinct keys, with the constants of the function that they belong to.
 * @param patient whether keys that are too crowded by their coordinates should rather wait for a larger table
 */
export function arrange(
  keys: Uint32Array,
  geometry: Geometry,
  random: () => number,
  patient: boolean,
): (Arrangement & { readonly hash: HashConstants }) | Misfit {
  const attempt = (hash: HashConstants) => {
    const outcome = construct(pointsOf(keys, geometry.dimensions, hash), geometry, random);
    return 'reason' in outcome ? outcome : { ...outcome, hash };
  };
  let outcome = attempt(COORDINATES);
  if ('reason' in outcome && outcome.reason === 'crowded' && patient) return outcome;
  for (let drawn = 0; drawn < FUNCTIONS_PER_SIZE && 'reason' in outcome; drawn++) {
    outcome = attempt(mix.draw(random));
    if ('reason' in outcome && outcome.reason === 'crowded') break;
  }
  return outcome;
}
