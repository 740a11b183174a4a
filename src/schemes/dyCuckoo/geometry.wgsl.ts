/**
 * Where a key belongs (Li et al. 2021, section V-A). Its hash names two of the subtables, and the function of each of them a bucket. A
 * bucket is the low bits of a function: when a subtable doubles, a key stays in bucket `loc` or goes to `loc + |h|` (section IV-D).
 */
import { mix, multiplyHigh, rehash, unmix } from '../../hashing/index.ts';
import type { KeyAccess } from '../../keys/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { Shape } from './shape.ts';

const Subtable: Wgsl = wgsl`
struct Subtable {
  number: u32,
  start: u32,    // its first bucket
  mask: u32,     // its buckets less one
}`;

/** A bucket of the whole table, and the tag of a key in it. */
const Choice: Wgsl = wgsl`
struct Choice {
  bucket: u32,
  tag: u32,
}`;

/** The geometry of a table with that header. */
export function geometry({ subtables, exact, request }: Shape, header: WgslPart) {
  const { key } = request;
  const others = subtables - 1;
  const subtable = wgsl`
fn subtable(number: u32) -> ${Subtable} {
  let doubled = ${header}.doubled;
  let bits = ${header}.bucketBits;
  return ${Subtable}(number, (number + min(number, doubled)) << bits, (1u << (bits + u32(number < doubled))) - 1u);
}`;
  const subtableOf = wgsl`
fn subtableOf(bucket: u32) -> ${Subtable} {
  let part = bucket >> ${header}.bucketBits;
  let doubled = ${header}.doubled;
  return ${subtable}(select(part - doubled, part / 2u, part < 2u * doubled));
}`;
  /** The two subtables of a hash, which are different ones; all ordered pairs are equally likely. */
  const pairOf = wgsl`
fn pairOf(hash: vec2u) -> vec2u {
  let pair = ${multiplyHigh}(hash.x, ${subtables * others}u);
  let first = pair / ${others}u;
  let second = pair % ${others}u;
  return vec2u(first, second + u32(second >= first));
}`;
  // Where the tag has to tell the key, the function is one to one.
  const tagIn = (access: KeyAccess): Wgsl =>
    exact
      ? wgsl`
fn tagIn(number: u32, key: ${access.type}, hash: vec2u) -> u32 {
  return ${key.hash(access, mix)}(key, ${mix.derive}(${header}.hash, number + 1u)).x;
}`
      : wgsl`
fn tagIn(number: u32, key: ${access.type}, hash: vec2u) -> u32 {
  return ${rehash}(hash, ${header}.hash, number);
}`;
  const choiceIn = (access: KeyAccess): Wgsl => wgsl`
fn choiceIn(number: u32, key: ${access.type}, hash: vec2u) -> ${Choice} {
  let part = ${subtable}(number);
  let tag = ${tagIn(access)}(number, key, hash);
  return ${Choice}(part.start + (tag & part.mask), tag);
}`;
  const hashOf = (access: KeyAccess): Wgsl => wgsl`${key.hash(access, mix)}(key, ${header}.hash)`;
  return {
    Subtable,
    subtable,
    subtableOf,
    Choice,
    /** WGSL: `(key) -> array<Choice, 2>`, the two buckets of a key. */
    choices: (access: KeyAccess): Wgsl => {
      const choice = choiceIn(access);
      return wgsl`
fn choices(key: ${access.type}) -> array<${Choice}, 2> {
  let hash = ${hashOf(access)};
  let pair = ${pairOf}(hash);
  return array<${Choice}, 2>(${choice}(pair.x, key, hash), ${choice}(pair.y, key, hash));
}`;
    },
    /** WGSL: `(number: u32, key) -> Choice`, the other bucket of a key that is in that subtable. */
    otherChoice: (access: KeyAccess): Wgsl => wgsl`
fn otherChoice(number: u32, key: ${access.type}) -> ${Choice} {
  let hash = ${hashOf(access)};
  let pair = ${pairOf}(hash);
  return ${choiceIn(access)}(select(pair.x, pair.y, pair.x == number), key, hash);
}`,
    /** WGSL: `(bucket: u32) -> u32`, the word in the empty slots of a bucket. */
    emptyTag: wgsl`
fn emptyTag(bucket: u32) -> u32 {
  return ~(bucket - ${subtableOf}(bucket).start);
}`,
    /** WGSL: `(number: u32, tag: u32) -> u32`, the key of an exact tag in that subtable. */
    keyOfTag: wgsl`
fn keyOfTag(number: u32, tag: u32) -> u32 {
  return ${unmix(1)}(tag, ${mix.derive}(${header}.hash, number + 1u));
}`,
  };
}
