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
  /** A bit for every slot of `bucket` that has the `tag`; where buckets tell keys, the `key`. */
  readonly matches: Wgsl;
  /** The value of the slot whose bit is set in `mask`: where values are inside and buckets tell keys. */
  readonly valueOfMatch?: WgslPart | undefined;
  /** Whether a slot has the key, where buckets do not tell it: `slot` of `bucket`, the slot `whole` of the table. */
  readonly isNeedle?: WgslPart | undefined;
  /** The value in a slot of a bucket; `whole` is the number of that slot in the whole table. */
  valueAt(bucket: string, slot: string, whole: string): WgslPart;
}

/**
 * WGSL: `(bucket: Bucket, index: u32, tag: u32, key, probes: u32) -> SlotHit`. A bucket that tells keys settles it at once; otherwise
 * they have to be compared one by one.
 */
export function findInBucket(buckets: SearchedBuckets, needle: KeyAccess): Wgsl {
  const { slots, valueWords, matches, valueOfMatch, isNeedle, valueAt } = buckets;
  const head = wgsl`(bucket: ${Bucket}, index: u32, tag: u32, key: ${needle.type}, probes: u32) -> ${hitType(valueWords)}`;
  if (valueOfMatch !== undefined) {
    return wgsl`
fn inBucket${head} {
  let mask = ${matches};
  ${valueWords > 0 ? wgsl`let value = ${valueOfMatch};` : ''}
  let slot = select(${NO_SLOT}u, index * ${slots}u + firstTrailingBit(mask), mask != 0u);
  return ${hitType(valueWords)}(mask != 0u, slot, probes${valueWords > 0 ? ', value' : ''});
}`;
  }
  return wgsl`
fn inBucket${head} {
  for (var mask = ${matches}; mask != 0u; mask &= mask - 1u) {
    let slot = firstTrailingBit(mask);
    let whole = index * ${slots}u + slot;
    ${isNeedle === undefined ? '' : wgsl`if (!${isNeedle}) { continue; }`}
    return ${hit(valueWords, 'whole', 'probes', valueAt('bucket', 'slot', 'whole'))};
  }
  return ${miss(valueWords, 'probes')};
}`;
}
