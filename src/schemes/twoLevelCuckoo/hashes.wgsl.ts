/** The hash functions of both levels (Alcantara 2011, sections 5.2.1 and 5.2.2). */
import { type HashFamily, mix } from '../../hashing/index.ts';
import type { KeyAccess, KeyType } from '../../keys/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';

/** The papers' prime. Their first level is good for as many buckets as get about 50 of its values each. */
const PRIME = 1_900_813;
const MOST_BUCKETS_OF_PRIME = Math.floor(PRIME / 50);

/** The arbitrary constants that a bucket's 16-bit seed is XORed with: a and b of h₁, h₂ and h₃. */
const SEED_CONSTANTS = [0xffff, 0xcba9, 0x7531, 0xbeef, 0xd9f1, 0x337a] as const;

/** A bit above the seed: this bucket's slots come from the table's hash family, not from the papers' functions. */
const BY_FAMILY = 0x10000;

/** Seeds of a bucket by the papers' functions, before the family's take over. */
export const PAPER_TRIES = 8;

/** 64 bits from two words; here for constants beyond the four words that the driver draws. */
const mixPair = mix.hash(2);

/** `seedOf(bucket, attempt, constants)`: the seed word of a bucket's attempt (0, 1, …), drawn by mixing. */
export const seedOf = wgsl`
fn seedOf(bucket: u32, attempt: u32, constants: vec4u) -> u32 {
  let seed = ${mixPair}(bucket, attempt, constants).x & 0xffffu;
  return seed | select(0u, ${BY_FAMILY}u, attempt >= ${PAPER_TRIES}u);
}`;

/**
 * The functions for keys that are read in one way. Both levels work on `hashed`: the key itself if it is one word, else
 * its hash.
 */
export interface LevelHashes {
  /** From a key to `hashed`. */
  hashed(key: WgslPart, constants: WgslPart): WgslPart;
  /** WGSL: `(hashed, constants: vec4u, attempt: u32, buckets: u32) -> u32`. Attempts are counted from 1. */
  readonly bucketOf: Wgsl;
  /** WGSL: `(hashed, seed: u32, constants: vec4u) -> vec3u`, a slot in each subtable. */
  readonly slotsOf: Wgsl;
}

export function levelHashes(key: KeyType, access: KeyAccess, family: HashFamily, subtableSlots: number): LevelHashes {
  const hash = key.hash(access, family);
  const byFamily = slotsByFamily(subtableSlots);
  if (key.isWord) {
    return {
      hashed: (word) => word,
      bucketOf: wgsl`
fn bucketOf(key: u32, constants: vec4u, attempt: u32, buckets: u32) -> u32 {
  if (attempt == 1u) { return key % buckets; }
  if (attempt == 2u && buckets <= ${MOST_BUCKETS_OF_PRIME}u) {
    // 16-bit a and b, drawn by mixing.
    let drawn = ${mixPair}(0xffffffffu, 0xffffffffu, constants).y;
    let a = max(drawn & 0xffffu, 1u);
    let b = drawn >> 16u;
    return (a * key + b) % ${PRIME}u % buckets;
  }
  return ${family.reduce}(${hash}(key, constants).x, buckets);
}`,
      slotsOf: wgsl`
fn slotsOf(key: u32, seed: u32, constants: vec4u) -> vec3u {
  if (seed >= ${BY_FAMILY}u) { return ${byFamily}(${hash}(key, constants), seed, constants); }
  return ${slotsByPaper(subtableSlots)}(key, seed);
}`,
    };
  }
  return {
    hashed: (word, constants) => wgsl`${hash}(${word}, ${constants})`,
    bucketOf: wgsl`
fn bucketOf(hash: vec2u, constants: vec4u, attempt: u32, buckets: u32) -> u32 {
  return ${family.reduce}(hash.x, buckets);
}`,
    slotsOf: wgsl`
fn slotsOf(hash: vec2u, seed: u32, constants: vec4u) -> vec3u {
  return ${byFamily}(hash, seed, constants);
}`,
  };
}

/** h(k) = (a·k + b) mod p mod S in 32-bit arithmetic, as in Listing 5.1. */
function slotsByPaper(subtableSlots: number): Wgsl {
  const [a1, b1, a2, b2, a3, b3] = SEED_CONSTANTS;
  return wgsl`
fn slotsByPaper(key: u32, seed: u32) -> vec3u {
  let a = vec3u(seed) ^ vec3u(${a1}u, ${a2}u, ${a3}u);
  let b = vec3u(seed) ^ vec3u(${b1}u, ${b2}u, ${b3}u);
  return (a * key + b) % vec3u(${PRIME}u) % vec3u(${subtableSlots}u);
}`;
}

/** Three slots from all 64 bits of a hash, mixed with the seed; 16 bits each are plenty for subtables this small. */
const slotsByFamily = (subtableSlots: number): Wgsl => wgsl`
fn slotsByFamily(hash: vec2u, seed: u32, constants: vec4u) -> vec3u {
  let mixed = ${mixPair}(hash.x, hash.y, constants ^ vec4u(seed, 0u, seed, 0u));
  return (vec3u(mixed.x >> 16u, mixed.x & 0xffffu, mixed.y >> 16u) * ${subtableSlots}u) >> vec3u(16u);
}`;

/**
 * `globalSlot(bucket, localSlot, buckets)`: where in the table a slot of a bucket is. As in the paper of 2009 (section 4.1),
 * the first subtables of all buckets come first, then all second ones, then all third ones.
 */
export const globalSlot = (subtableSlots: number): Wgsl => wgsl`
fn globalSlot(bucket: u32, localSlot: u32, buckets: u32) -> u32 {
  return (localSlot / ${subtableSlots}u * buckets + bucket) * ${subtableSlots}u + localSlot % ${subtableSlots}u;
}`;
