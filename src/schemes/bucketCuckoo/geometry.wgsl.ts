/**
 * Where a key belongs: a region, a bucket in it (its home), and what remains of its hash. Everything follows from one
 * 64-bit product, hash × buckets: the high word is the bucket, and the top of the low word is the remainder, because
 * hashes of one bucket are at least 2^⌊lg buckets⌋ apart there.
 */
import { multiplyHigh } from '../../hashing/index.ts';
import type { Binding, Wgsl, WgslPart } from '../../wgsl/index.ts';
import { wgsl } from '../../wgsl/index.ts';
import type { Shape } from './plan.ts';

export const Place: Wgsl = wgsl`
struct Place {
  region: u32,
  home: u32,      // bucket in the region
  remainder: u32,
}`;

/** The scheme's own numbers in the header. */
export const OWN = {
  regions: 'own.x',
  bucketsPerRegion: 'own.y',
  remainderShift: 'own.z',
  overflowSlots: 'own.w',
} as const;

/** How far from home a key's second bucket is: from 1 to buckets − 1, the same for all keys with this remainder. */
const hop = wgsl`
fn hop(remainder: u32, buckets: u32) -> u32 {
  var x = remainder * 0x9e3779b1u;
  x = (x ^ (x >> 15u)) * 0x85ebca77u;
  return 1u + ${multiplyHigh}(x ^ (x >> 13u), buckets - 1u);
}`;

/**
 * The geometry of a table, read from its header, so that tables of all sizes share their pipelines.
 */
export function geometry({ layout, exact, bucketsPerRegion, payloadWords }: Shape, header: Binding) {
  const bits = Math.log2(bucketsPerRegion);
  // A multiplication by a power of two is a shift; large tables always have the same one.
  const home: WgslPart = Number.isInteger(bits)
    ? `low >> ${32 - bits}u`
    : wgsl`${multiplyHigh}(low, ${header}.${OWN.bucketsPerRegion})`;
  const remainder: WgslPart = exact
    ? wgsl`(low * ${header}.${OWN.bucketsPerRegion}) >> ${header}.${OWN.remainderShift}`
    : `hash.y >> ${33 - layout.tagBits}u`;
  return {
    /** WGSL: `() -> u32`, the first word of the overflow in the side buffer: it lies behind the payload. */
    overflowStart: wgsl`
fn overflowStart() -> u32 {
  return ${header}.${OWN.regions} * ${header}.${OWN.bucketsPerRegion} * ${layout.slots * payloadWords}u;
}`,
    /** WGSL: `() -> u32`, how many of the overflow's slots may be used: the rest keeps its searches short. */
    spillLimit: wgsl`
fn spillLimit() -> u32 {
  return ${header}.${OWN.overflowSlots} - ${header}.${OWN.overflowSlots} / 4u;
}`,
    /** WGSL: `(hash: vec2u) -> Place`. */
    locate: wgsl`
fn locate(hash: vec2u) -> ${Place} {
  let low = hash.x * ${header}.${OWN.regions};
  return ${Place}(
    ${multiplyHigh}(hash.x, ${header}.${OWN.regions}),
    ${home},
    ${remainder});
}`,
    /** WGSL: `(place: Place) -> u32`, the other bucket of the region where the key may be. */
    awayFrom: wgsl`
fn awayFrom(place: ${Place}) -> u32 {
  let buckets = ${header}.${OWN.bucketsPerRegion};
  let away = place.home + ${hop}(place.remainder, buckets);
  return select(away, away - buckets, away >= buckets);
}`,
    /** WGSL: `(away: u32, remainder: u32) -> u32`, the home of a key that is in this bucket of the region. */
    homeFrom: wgsl`
fn homeFrom(away: u32, remainder: u32) -> u32 {
  let buckets = ${header}.${OWN.bucketsPerRegion};
  let home = away + buckets - ${hop}(remainder, buckets);
  return select(home, home - buckets, home >= buckets);
}`,
    /** WGSL: `(remainder: u32) -> u32`. */
    classOf: wgsl`
fn classOf(remainder: u32) -> u32 {
  return remainder % ${layout.classes}u;
}`,
    /** WGSL: `(bucket: u32, remainder: u32) -> u32`, the hash whose home is this bucket of the whole table. */
    hashFrom: wgsl`
fn hashFrom(bucket: u32, remainder: u32) -> u32 {
  // The quotient of bucket·2³² + remainder·2^shift by the number of buckets, rounded up: long division, bit by bit.
  let divisor = ${header}.${OWN.regions} * ${header}.${OWN.bucketsPerRegion};
  let dividend = remainder << ${header}.${OWN.remainderShift};
  var rest = bucket;
  var quotient = 0u;
  for (var i = 0u; i < 32u; i++) {
    let carry = rest >> 31u;
    rest = (rest << 1u) | ((dividend >> (31u - i)) & 1u);
    quotient = quotient << 1u;
    if (carry == 1u || rest >= divisor) {
      rest -= divisor;
      quotient |= 1u;
    }
  }
  return quotient + u32(rest > 0u);
}`,
  };
}
