/**
 * Where a key belongs: a region, a bucket in it (its home), and what remains of its hash. Everything follows from one
 * 64-bit product, hash × buckets. The high word is the bucket. The low word tells apart the hashes of that bucket; they are
 * at least 2^⌊lg buckets⌋ apart there, so its lowest ⌊lg buckets⌋ bits are not needed. What is above them is the remainder. Where
 * other words of the key are kept beside it, bits of the second word of the hash fill it up: they tell most keys apart
 * before those words are compared.
 */
import { multiplyHigh } from '../../hashing/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { Shape } from './shape.ts';

export const Address: Wgsl = wgsl`
struct Address {
  region: u32,
  home: u32,      // bucket in the region
  remainder: u32,
}`;

/** The fields of the header that say how large a table is: tables of all sizes share the kernels that read them. */
export const headerFields = ({ regions, bucketsPerRegion, buckets, overflowSlots }: Shape) => ({
  regions,
  bucketsPerRegion,
  /** The bits of hash × buckets below the remainder. */
  remainderShift: 31 - Math.clz32(buckets),
  overflowSlots,
});

/** How far from home a key's second bucket is: from 1 to buckets − 1, the same for all keys with this remainder. */
const hop = wgsl`
fn hop(remainder: u32, buckets: u32) -> u32 {
  var x = remainder * 0x9e3779b1u;
  x = (x ^ (x >> 15u)) * 0x85ebca77u;
  return 1u + ${multiplyHigh}(x ^ (x >> 13u), buckets - 1u);
}`;

/** The geometry of a table with that header. */
export function geometry(shape: Pick<Shape, 'layout' | 'exact' | 'isQuotient' | 'roundRegion'>, header: WgslPart) {
  const { layout, exact, isQuotient, roundRegion } = shape;
  // A multiplication by a power of two is a shift.
  const home: WgslPart =
    roundRegion === undefined
      ? wgsl`${multiplyHigh}(low, ${header}.bucketsPerRegion)`
      : `low >> ${32 - Math.log2(roundRegion)}u`;
  const rest = wgsl`((low * ${header}.bucketsPerRegion) >> ${header}.remainderShift)`;
  const restBits = wgsl`(32u - ${header}.remainderShift)`;
  const filledUp = wgsl`(${rest} | (hash.y << ${restBits})) & ${2 ** (layout.tagBits - 1) - 1}u`;
  const fingerprint = `hash.y >> ${33 - layout.tagBits}u`;
  const remainder: WgslPart = exact ? rest : isQuotient ? filledUp : fingerprint;
  return {
    /** WGSL: `(hash: vec2u) -> Address`. */
    locate: wgsl`
fn locate(hash: vec2u) -> ${Address} {
  let low = hash.x * ${header}.regions;
  return ${Address}(
    ${multiplyHigh}(hash.x, ${header}.regions),
    ${home},
    ${remainder});
}`,
    /** WGSL: `(address: Address) -> u32`, the other bucket of the region where the key may be. */
    awayFrom: wgsl`
fn awayFrom(address: ${Address}) -> u32 {
  let buckets = ${header}.bucketsPerRegion;
  let away = address.home + ${hop}(address.remainder, buckets);
  return select(away, away - buckets, away >= buckets);
}`,
    /** WGSL: `(away: u32, remainder: u32) -> u32`, the home of a key that is in this bucket of the region. */
    homeFrom: wgsl`
fn homeFrom(away: u32, remainder: u32) -> u32 {
  let buckets = ${header}.bucketsPerRegion;
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
  let divisor = ${header}.regions * ${header}.bucketsPerRegion;
  // What fills the remainder up is shifted out.
  let dividend = remainder << ${header}.remainderShift;
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
