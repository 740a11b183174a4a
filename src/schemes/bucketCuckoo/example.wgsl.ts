/**
 * Copies where the policy forbids them. Parcels have no numbers of items then, so a kernel that meets a copy notes where
 * its parcel is, in `header.witness`. At the end its key is looked up in the input.
 */
import { type Binding, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { STATUS } from '../contract/index.ts';
import type { BuildParts } from './parcels.wgsl.ts';

export const EXAMPLE_THREADS = 256;
/** Few: they leave at once unless the caller was wrong about the keys. */
export const EXAMPLE_ITEMS = 64 * EXAMPLE_THREADS;

/** The highest bit of the position of a parcel that was spilled. */
export const SPILLED = '0x80000000u';

/** Statements that note a copy. Its position is that of its parcel, which may be among those that were spilled. */
export const noteWitness = (header: Binding, position: WgslPart): Wgsl => wgsl`
      atomicOr(&${header}.status, ${STATUS.duplicate}u);
      atomicMin(&${header}.witness, ${position});`;

/** WGSL: `(first: u32, step: u32)`, looks for items with the key of a copy that was met, if one was. */
export function findExample({ shape, view, parcels }: BuildParts): Wgsl {
  const { key } = shape.request;
  const { header, keys } = view;
  return wgsl`
fn findExample(first: u32, step: u32) {
  if ((atomicLoad(&${header}.status) & ${STATUS.duplicate}u) == 0u) { return; }
  let witness = atomicLoad(&${header}.witness);
  var parcel: ${parcels.type};
  if (witness >= ${SPILLED}) { parcel = ${parcels.spilled}[witness - ${SPILLED}]; } else { parcel = ${parcels.buffer}[witness]; }
  let copied = ${keys.access.of(parcels.storedKey('parcel'))};
  for (var i = first; i < ${header}.count; i += step) {
    if (${key.equals(keys.access, keys.access)}(${keys.at('i')}, copied)) { atomicMin(&${header}.example, i); }
  }
}`;
}
