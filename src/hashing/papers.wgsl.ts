/**
 * The families of Alcantara's dissertation (2011), sections 3.1.2 and 6.1.1: g(k) = (f(a, k) + b) mod p mod slots.
 * They are here to reproduce its results; on keys with a pattern they are weak, which is why they are not the default.
 * The second word of the hash is the key itself: the dissertation's double hashing jumps by the key.
 */
import { type Wgsl, wgsl } from '../wgsl/index.ts';
import type { HashFamily } from './family.ts';
import { multiplyHigh } from './multiply.wgsl.ts';
import { deriveWords, deriveWordsTwin } from './rounds.wgsl.ts';

/** The largest 32-bit prime, 2³² − 5. */
const LARGEST_PRIME = 4_294_967_291;
const SMALL_PRIME = 334_214_459;

const remainder = wgsl`
fn remainder(hash: u32, range: u32) -> u32 {
  return hash % range;
}`;

function paperFamily(options: {
  readonly name: string;
  readonly prime: number;
  readonly g: Wgsl;
  readonly twin: (key: number, a: number, b: number) => number;
}): HashFamily {
  const { name, prime, g, twin } = options;
  return {
    name,
    maxWords: 1,
    draw: (random) => [1 + (random() % (prime - 1)), random() % prime, 0, 0],
    hash: () => wgsl`
fn paperHash(key: u32, constants: vec4u) -> vec2u {
  return vec2u(${g}(key, constants.x, constants.y), key);
}`,
    hashTwin: ([key = 0], [a, b]) => [twin(key, a, b), key],
    independentWords: 1,
    derive: wgsl`
fn derivePaper(constants: vec4u, index: u32) -> vec4u {
  if (index == 0u) { return constants; }
  let drawn = ${deriveWords}(constants, index);
  return vec4u(1u + drawn.x % ${prime - 1}u, drawn.y % ${prime}u, 0u, 0u);
}`,
    deriveTwin: (constants, index) => {
      if (index === 0) return constants;
      const [x, y] = deriveWordsTwin(constants, index);
      return [1 + (x % (prime - 1)), y % prime, 0, 0];
    },
    reduce: remainder,
    reduceKeepsOrder: false,
    reduceTwin: (hash, range) => hash % range,
  };
}

/** f(a, k) = a·k in 32-bit arithmetic, p = 334,214,459 (section 6.1.1). */
export const polynomial32: HashFamily = paperFamily({
  name: 'polynomial32',
  prime: SMALL_PRIME,
  g: wgsl`
fn polynomial32(key: u32, a: u32, b: u32) -> u32 {
  return (a * key + b) % ${SMALL_PRIME}u;
}`,
  twin: (key, a, b) => ((Math.imul(a, key) + b) >>> 0) % SMALL_PRIME,
});

/** f(a, k) = a·k with 64-bit intermediates, p = 4,294,967,291: 2-universal on keys below p (section 3.1.2). */
export const polynomial64: HashFamily = paperFamily({
  name: 'polynomial64',
  prime: LARGEST_PRIME,
  g: wgsl`
fn polynomial64(key: u32, a: u32, b: u32) -> u32 {
  // 2³² ≡ 5 (mod p), so whatever leaves the low word comes back five times.
  let high = ${multiplyHigh}(a, key);
  let low = a * key;
  let withB = low + b;
  let withHigh = withB + high * 5u;
  let carried = ${multiplyHigh}(high, 5u) + u32(withB < low) + u32(withHigh < withB);
  var sum = withHigh + carried * 5u;
  sum += select(0u, 5u, sum < withHigh);
  return select(sum, sum - ${LARGEST_PRIME}u, sum >= ${LARGEST_PRIME}u);
}`,
  twin: (key, a, b) => Number((BigInt(a) * BigInt(key) + BigInt(b)) % BigInt(LARGEST_PRIME)),
});

/** f(a, k) = a XOR k in 32-bit arithmetic, p = 4,294,967,291 (section 6.1.1). */
export const xorPrime: HashFamily = paperFamily({
  name: 'xorPrime',
  prime: LARGEST_PRIME,
  g: wgsl`
fn xorPrime(key: u32, a: u32, b: u32) -> u32 {
  return ((a ^ key) + b) % ${LARGEST_PRIME}u;
}`,
  twin: (key, a, b) => (((a ^ key) + b) >>> 0) % LARGEST_PRIME,
});
