/**
 * The format of a bucket, in one place. A bucket is 32 bytes, one memory sector: eight tags, or four tags and their four values.
 *
 * The tag of a key in a subtable is its hash by the function of that subtable, all 32 bits. Its low bits are the number of the bucket,
 * so a word with other low bits is never a tag there: an empty slot holds the complement of that number. Every key and every value
 * is legal, and whoever doubles or halves a subtable need not hash again.
 */
import { join, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { Bucket, bucketWord } from '../kit/bucket.wgsl.ts';
import type { Shape } from './shape.ts';

/** Functions that read a bucket. */
export function bucketCode({ perBucket, inline }: Pick<Shape, 'perBucket' | 'inline'>) {
  const each = Array.from({ length: perBucket }, (_, slot) => slot);
  const pick = (first: number): Wgsl =>
    join(
      each.map((slot) => `picked = select(picked, bucket.${bucketWord(first + slot)}, slot == ${slot}u);`),
      '\n  ',
    );
  return {
    /** WGSL: `(bucket: Bucket, tag: u32) -> u32`, a bit for every slot with that word. */
    matches: wgsl`
fn matches(bucket: ${Bucket}, tag: u32) -> u32 {
  var mask = 0u;
  ${join(
    each.map((slot) => `mask |= select(0u, ${2 ** slot}u, bucket.${bucketWord(slot)} == tag);`),
    '\n  ',
  )}
  return mask;
}`,
    /** WGSL: `(bucket: Bucket, mask: u32) -> u32`, the value of the slot whose bit is set, for values that are inside. */
    valueOfMatch: wgsl`
fn valueOfMatch(bucket: ${Bucket}, mask: u32) -> u32 {
  // Without a branch, because a compiler would put the load of the values behind it.
  var value = 0u;
  ${join(
    inline
      ? each.map((slot) => `value |= select(0u, bucket.${bucketWord(perBucket + slot)}, (mask & ${2 ** slot}u) != 0u);`)
      : [],
    '\n  ',
  )}
  return value;
}`,
    /** WGSL: `(bucket: Bucket, slot: u32) -> u32`. */
    tagOf: wgsl`
fn tagOf(bucket: ${Bucket}, slot: u32) -> u32 {
  var picked = 0u;
  ${pick(0)}
  return picked;
}`,
    /** WGSL: `(bucket: Bucket, slot: u32) -> u32`, for values that are inside. */
    inlineValue: wgsl`
fn inlineValue(bucket: ${Bucket}, slot: u32) -> u32 {
  var picked = 0u;
  ${inline ? pick(perBucket) : ''}
  return picked;
}`,
  };
}
