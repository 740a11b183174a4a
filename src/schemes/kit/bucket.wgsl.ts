/** Buckets of 32 bytes, one memory sector: how they are loaded, and how one of them is searched. */
import type { KeyAccess } from '../../keys/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { hit, hitType, miss, NO_SLOT, type ValueWords } from '../contract/index.ts';

export const BUCKET_WORDS = 8;

/** A bucket as two whole-vector loads. */
export const Bucket: Wgsl = wgsl`struct Bucket { low: vec4u, high: vec4u }`;

/** The name of a word of a bucket. */
export const bucketWord = (i: number): string => `${i < 4 ? 'low' : 'high'}.${'xyzw'[i % 4]}`;

/** What a search has to know of buckets. */
export interface SearchedBuckets {
  readonly slots: number;
  readonly valueWords: ValueWords;
  /** WGSL: `(bucket: Bucket, tag: u32) -> u32`, a bit for every slot with that tag. */
  readonly matches: Wgsl;
  /** WGSL: `(bucket: Bucket, mask: u32) -> u32`, the value of the slot whose bit is set: where values are inside and tags tell keys. */
  readonly valueOfMatch?: Wgsl | undefined;
  /** Whether the slot `whole` of the table has the key; where tags do not tell it. */
  readonly isNeedle?: WgslPart | undefined;
  /** The value in a slot of a bucket; `whole` is the number of that slot in the whole table. */
  valueAt(bucket: string, slot: string, whole: string): WgslPart;
}

/**
 * WGSL: `(bucket: Bucket, index: u32, tag: u32, key, probes: u32) -> SlotHit`. An exact tag occurs once in a bucket and settles it at once;
 * fingerprints have to be verified one by one.
 */
export function findInBucket(buckets: SearchedBuckets, needle: KeyAccess): Wgsl {
  const { slots, valueWords, matches, valueOfMatch, isNeedle, valueAt } = buckets;
  const head = wgsl`(bucket: ${Bucket}, index: u32, tag: u32, key: ${needle.type}, probes: u32) -> ${hitType(valueWords)}`;
  if (valueOfMatch) {
    return wgsl`
fn inBucket${head} {
  let mask = ${matches}(bucket, tag);
  let value = ${valueOfMatch}(bucket, mask);
  let slot = select(${NO_SLOT}u, index * ${slots}u + firstTrailingBit(mask), mask != 0u);
  return ${hitType(valueWords)}(mask != 0u, slot, probes, value);
}`;
  }
  return wgsl`
fn inBucket${head} {
  for (var mask = ${matches}(bucket, tag); mask != 0u; mask &= mask - 1u) {
    let slot = firstTrailingBit(mask);
    let whole = index * ${slots}u + slot;
    ${isNeedle === undefined ? '' : wgsl`if (!${isNeedle}) { continue; }`}
    return ${hit(valueWords, 'whole', 'probes', valueAt('bucket', 'slot', 'whole'))};
  }
  return ${miss(valueWords, 'probes')};
}`;
}
