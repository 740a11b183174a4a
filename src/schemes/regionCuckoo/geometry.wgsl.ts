/**
 * Where a key belongs: a region, a bucket in it (its home), and what remains of its hash. Everything follows from one
 * 64-bit product, hash × buckets. The high word is the bucket. The low word tells apart the hashes of that bucket: they are `buckets`
 * apart there, so ⌈2³² / buckets⌉ remainders are enough.
 */
import { multiplyHigh } from '../../hashing/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { classesOf, remaindersOf } from './layout.wgsl.ts';
import type { Shape } from './shape.ts';

const Address: Wgsl = wgsl`
struct Address {
  region: u32,
  home: u32,      // bucket in the region
  remainder: u32,
}`;

/**
 * WGSL: `(part: u32, parts: u32) -> u32`, ⌈part·2³² / parts⌉ for part < parts: the first hash of a part, where hashes are shared
 * out evenly and in order. A quotient of floats is wrong by 2304 at most; what is left is small enough for another one.
 */
export const firstHash = wgsl`
fn firstHash(part: u32, parts: u32) -> u32 {
  let divisor = f32(parts);
  let below = u32(max(f32(part) / divisor * 4294967296.0 - 4096.0, 0.0));
  let product = below * parts;
  let high = part - ${multiplyHigh}(below, parts) - u32(product > 0u);
  let rest = f32(high) * 4294967296.0 + f32(0u - product);
  // The quotient to the nearest, which may be one less.
  let hash = below + u32(rest / divisor + 0.5);
  return hash + u32(${multiplyHigh}(hash, parts) < part);
}`;

/** The high word of a product with less than 2¹⁶. */
const multiplyHighByHalf = wgsl`
fn multiplyHighByHalf(a: u32, b: u32) -> u32 {
  return ((a >> 16u) * b + (((a & 0xffffu) * b) >> 16u)) >> 16u;
}`;

/** The geometry of a table with that header. */
export function geometry({ layout, exact }: Pick<Shape, 'layout' | 'exact'>, header: WgslPart) {
  const classes = classesOf(layout);
  // Odd, and all of them different in any region.
  const distance = wgsl`
fn distance(kind: u32) -> u32 {
  return (2u * kind + 1u) * 29u;
}`;
  const awayFrom = wgsl`
fn awayFrom(home: u32, kind: u32) -> u32 {
  let mask = (1u << ${header}.bucketBits) - 1u;
  return (home & ~mask) | ((home + ${distance}(kind)) & mask);
}`;
  const homeFrom = wgsl`
fn homeFrom(away: u32, kind: u32) -> u32 {
  let mask = (1u << ${header}.bucketBits) - 1u;
  return (away & ~mask) | ((away - ${distance}(kind)) & mask);
}`;
  const classOf = wgsl`
fn classOf(remainder: u32) -> u32 {
  return remainder % ${classes}u;
}`;
  // Of B buckets and R remainders: the hash is the least one for which hash·B·R is at least (bucket·R + remainder)·2³². With L, the
  // low word of the first hash times B, and e = B·R − 2³², that is first + remainder − ⌊(remainder·e + R·L) / (R·B)⌋, and both
  // parts of that sum are less than R·B. So one is taken off, or nothing.
  const originOf = wgsl`
fn originOf(bucket: u32) -> vec2u {
  let buckets = ${header}.regions << ${header}.bucketBits;
  let first = ${firstHash}(bucket, buckets);
  let above = buckets - first * buckets;
  let limit = above * ${header}.remainders;
  return vec2u(first, select(limit, 0xffffffffu, ${multiplyHigh}(above, ${header}.remainders) > 0u));
}`;
  const hashIn = wgsl`
fn hashIn(origin: vec2u, remainder: u32) -> u32 {
  let excess = (${header}.regions << ${header}.bucketBits) * ${header}.remainders;
  return origin.x + remainder - u32(remainder * excess >= origin.y);
}`;
  return {
    Address,
    /** WGSL: `(hash: vec2u) -> Address`. */
    locate: wgsl`
fn locate(hash: vec2u) -> ${Address} {
  let low = hash.x * ${header}.regions;
  let bits = ${header}.bucketBits;
  return ${Address}(
    ${multiplyHigh}(hash.x, ${header}.regions),
    low >> (32u - bits),
    ${remaindersOf(layout) < 2 ** 16 ? multiplyHighByHalf : multiplyHigh}(${exact ? 'low << bits' : 'hash.y'}, ${header}.remainders));
}`,
    /** The region of a hash. */
    regionOf: (hash: WgslPart): Wgsl => wgsl`${multiplyHigh}(${hash}.x, ${header}.regions)`,
    /** WGSL: `(home: u32, kind: u32) -> u32`, the other bucket of the keys of that home and class: in the same region. */
    awayFrom,
    /** WGSL: `(away: u32, kind: u32) -> u32`, the home of the keys of that class that are away in that bucket. */
    homeFrom,
    /** WGSL: `(remainder: u32) -> u32`. */
    classOf,
    /** WGSL: `(bucket: u32, tag: u32) -> u32`, the other bucket of the key that has this tag in a bucket. */
    otherBucket: wgsl`
fn otherBucket(bucket: u32, tag: u32) -> u32 {
  let kind = ${classOf}(tag >> 1u);
  if ((tag & 1u) == 1u) { return ${homeFrom}(bucket, kind); }
  return ${awayFrom}(bucket, kind);
}`,
    /** WGSL: `(bucket: u32, tag: u32) -> u32`, the home of the key that has this tag in a bucket. */
    homeOf: wgsl`
fn homeOf(bucket: u32, tag: u32) -> u32 {
  return select(bucket, ${homeFrom}(bucket, ${classOf}(tag >> 1u)), (tag & 1u) == 1u);
}`,
    /** WGSL: `(bucket: u32) -> vec2u`, what is the same for all hashes whose home is this bucket of the whole table. */
    originOf,
    /** WGSL: `(origin: vec2u, remainder: u32) -> u32`, the hash with that remainder. */
    hashIn,
    /** WGSL: `(bucket: u32, remainder: u32) -> u32`, the hash whose home is this bucket of the whole table. */
    hashFrom: wgsl`
fn hashFrom(bucket: u32, remainder: u32) -> u32 {
  return ${hashIn}(${originOf}(bucket), remainder);
}`,
  };
}
