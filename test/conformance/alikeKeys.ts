import { type KeyType, u64 } from '../../src/keys/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';

const { isNumber: _, ...wide } = u64;

/** Keys that all have the same hash, and so the same buckets: the worst that a hash function can do. */
export const alike: KeyType<BigUint64Array> = {
  ...wide,
  name: 'alike',
  hash: () => wgsl`
fn constantHash(key: vec2u, constants: vec4u) -> vec2u {
  return vec2u(0x12345678u, 0x9abcdef0u);
}`,
};
