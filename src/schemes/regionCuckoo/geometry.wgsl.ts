/**
 * Where a key belongs: a region, a bucket in it (its home), and what remains of its hash. Everything follows from one
 * 64-bit product, hash × buckets. The high word is the bucket. The low word tells apart the hashes of that bucket: they are `buckets`
 * apart there, so ⌈2³² / buckets⌉ remainders are enough.
 */
import { multiplyHigh } from '../../hashing/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { classesOf } from './layout.wgsl.ts';
import type { Shape } from './shape.ts';

const Place: Wgsl = wgsl`
struct Place {
  region: u32,
  home: u32,      // bucket in the region
  remainder: u32,
}`;

/** ⌈(high·2³² + low) / divisor⌉ where high < divisor: long division, bit by bit. */
const divideUp = wgsl`
fn divideUp(high: u32, low: u32, divisor: u32) -> u32 {
  var rest = high;
  var quotient = 0u;
  for (var i = 0u; i < 32u; i++) {
    let carry = rest >> 31u;
    rest = (rest << 1u) | ((low >> (31u - i)) & 1u);
    quotient = quotient << 1u;
    if (carry == 1u || rest >= divisor) {
      rest -= divisor;
      quotient |= 1u;
    }
  }
  return quotient + u32(rest > 0u);
}`;

/** The geometry of a table with that header. */
export function geometry({ layout, exact }: Pick<Shape, 'layout' | 'exact'>, header: WgslPart) {
  const classes = classesOf(layout);
  // Odd, and all of them different in any region.
  const distance = wgsl`
fn distance(kind: u32) -> u32 {
  return (2u * kind + 1u) * 29u;
}`;
  return {
    Place,
    /** WGSL: `(hash: vec2u) -> Place`. */
    locate: wgsl`
fn locate(hash: vec2u) -> ${Place} {
  let low = hash.x * ${header}.regions;
  let bits = ${header}.bucketBits;
  return ${Place}(
    ${multiplyHigh}(hash.x, ${header}.regions),
    low >> (32u - bits),
    ${multiplyHigh}(${exact ? 'low << bits' : 'hash.y'}, ${header}.remainders));
}`,
    /** The region of a hash. */
    regionOf: (hash: WgslPart): Wgsl => wgsl`${multiplyHigh}(${hash}.x, ${header}.regions)`,
    /** WGSL: `(home: u32, kind: u32) -> u32`, the other bucket of the keys of that home and class: in the same region. */
    awayFrom: wgsl`
fn awayFrom(home: u32, kind: u32) -> u32 {
  let mask = (1u << ${header}.bucketBits) - 1u;
  return (home & ~mask) | ((home + ${distance}(kind)) & mask);
}`,
    /** WGSL: `(away: u32, kind: u32) -> u32`, the home of the keys of that class that are away in that bucket. */
    homeFrom: wgsl`
fn homeFrom(away: u32, kind: u32) -> u32 {
  let mask = (1u << ${header}.bucketBits) - 1u;
  return (away & ~mask) | ((away - ${distance}(kind)) & mask);
}`,
    /** WGSL: `(remainder: u32) -> u32`. */
    classOf: wgsl`
fn classOf(remainder: u32) -> u32 {
  return remainder % ${classes}u;
}`,
    /** WGSL: `(bucket: u32, remainder: u32) -> u32`, the hash whose home is this bucket of the whole table. */
    hashFrom: wgsl`
fn hashFrom(bucket: u32, remainder: u32) -> u32 {
  let low = ${divideUp}(remainder, 0u, ${header}.remainders);
  return ${divideUp}(bucket, low, ${header}.regions << ${header}.bucketBits);
}`,
  };
}
