/**
 * Copies where the policy forbids them. Parcels have no numbers of items then, so a kernel that meets a copy notes where
 * its parcel is, in `header.witness`. At the end its key is looked up in the input.
 */
import { type Binding, type Kernel, kernel, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { STATUS } from '../contract/index.ts';
import type { BuildParts } from './parcels.wgsl.ts';

const THREADS = 256;
/** Few: they leave at once unless the caller was wrong about the keys. */
export const EXAMPLE_ITEMS = 64 * THREADS;

/** Statements that note a copy. Its position is that of its parcel; those of the spilled ones are counted behind all others. */
export const noteWitness = (header: Binding, position: WgslPart): Wgsl => wgsl`
      atomicOr(&${header}.status, ${STATUS.duplicate}u);
      atomicMin(&${header}.witness, ${position});`;

/** A copy was met: looks for items with its key. */
export function exampleKernel({ shape, view, parcels }: BuildParts): Kernel {
  const { key } = shape.request;
  const { header, keys } = view;
  return kernel({
    label: 'bucketCuckoo/example',
    threads: THREADS,
    body: wgsl`
  if ((atomicLoad(&${header}.status) & ${STATUS.duplicate}u) == 0u) { return; }
  let count = ${header}.count;
  let witness = atomicLoad(&${header}.witness);
  var parcel = ${parcels.buffer}[min(witness, count - 1u)];
  if (witness >= count) { parcel = ${parcels.spilled}[witness - count]; }
  let copied = ${keys.access.of(parcels.storedKey('parcel'))};
  for (var i = item; i < count; i += ${EXAMPLE_ITEMS}u) {
    if (${key.equals(keys.access, keys.access)}(${keys.at('i')}, copied)) { atomicMin(&${header}.example, i); }
  }`,
  });
}
