/**
 * Where the keys of a region are in a table of another size. Regions are ranges of hashes, in order, so they are in those few old
 * regions whose ranges overlap it. Buckets are ranges as well, and only in the first and the last of them has a key to be hashed.
 */
import { mix, multiplyHigh } from '../../hashing/index.ts';
import { type Binding, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { DynamicPlan, TableView } from '../contract/index.ts';
import { readParts } from './find.wgsl.ts';
import { firstHash } from './geometry.wgsl.ts';
import type { Shape } from './shape.ts';

/** A table of one size. */
export interface Sized {
  readonly plan: DynamicPlan;
  readonly shape: Shape;
}

/** The old table through its view, and the header of the new one. */
export function oldRegions(shape: Shape, view: TableView, header: Binding) {
  const { layout, exact, request } = shape;
  const parts = readParts(shape, view);
  const { homeOf, hashFrom, payloadKey } = parts;
  const old = view.header;
  const hashOfKey = wgsl`${request.key.hash(view.key, mix)}(${view.key.of(payloadKey('slot'))}, ${old}.hash)`;
  return {
    ...parts,
    /** Statements that tell of a `region` its first and its last hash, their homes among the old buckets, and those to be looked through. */
    findOld: wgsl`
  let regions = ${header}.regions;
  var hashes = vec2u(${firstHash}(region, regions), 0xffffffffu);
  if (region + 1u < regions) { hashes.y = ${firstHash}(region + 1u, regions) - 1u; }
  let oldBuckets = ${old}.regions << ${old}.bucketBits;
  let homes = vec2u(${multiplyHigh}(hashes.x, oldBuckets), ${multiplyHigh}(hashes.y, oldBuckets));
  // Who is away from home is in the same region.
  let firstOld = homes.x & ~((1u << ${old}.bucketBits) - 1u);
  let lastOld = homes.y | ((1u << ${old}.bucketBits) - 1u);`,
    /** WGSL: `(slot: u32, tag: u32) -> vec2u`; of the hash that tells a key, only the first word is known. */
    hashOf: wgsl`
fn hashOf(slot: u32, tag: u32) -> vec2u {
  return ${exact ? wgsl`vec2u(${hashFrom}(${homeOf}(slot / ${layout.slots}u, tag), tag >> 1u), 0u)` : hashOfKey};
}` as Wgsl,
  };
}
