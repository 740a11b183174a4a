/**
 * How the items of a large batch come to their regions: into rooms of six standard deviations more than their share, and counted after all if
 * one of them was too small.
 */
import { extentCount, writeGrids } from '../../gpu/index.ts';
import { type Binding, kept, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { type BufferSpec, counters } from '../contract/index.ts';
import type { Parcels } from '../kit/partition/parcels.wgsl.ts';
import { partition, type RecordPartition } from '../kit/partition/partition.wgsl.ts';
import type { Partitioned } from '../kit/partition/pass.wgsl.ts';
import { crowded, isCrowdedRegion } from './copies.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import type { Items } from './items.wgsl.ts';
import { isOverflowing } from './region.wgsl.ts';

/** What scratch of the scheme begins with. */
export const OWNER = 'regionCuckoo';

/** How items are partitioned: into bins with room, or counted if that is needed; all of them, or those of some regions. */
interface Partitioning extends Pick<Partitioned, 'isNeeded' | 'opening' | 'noteOverflow'> {
  isWanted?(region: Wgsl): Wgsl;
}

export function partitionOf(
  { shape, header }: Items,
  arriving: Parcels,
  { isWanted, ...how }: Partitioning,
): RecordPartition {
  const { regionOf: regionOfHash } = geometry(shape, header);
  const regionOfParcel = (parcel: WgslPart): Wgsl => regionOfHash(arriving.hash(parcel));
  return partition(
    {
      ...arriving,
      ...how,
      owner: OWNER,
      count: wgsl`${extentCount}`,
      regionOf: regionOfParcel,
      ...(isWanted && { isWanted: (parcel) => isWanted(regionOfParcel(parcel)) }),
    },
    shape.regions,
    how.noteOverflow === undefined,
  );
}

export const findingsOut = storage('findings', 'array<atomic<u32>, 2>', 'read_write');

/** No room is too small so far. */
const resetFindings = wgsl`if (item == 0u) { atomicStore(&${findingsOut}[0], 0u); }`;
/** And is the table empty? */
const findEmpty = wgsl`
  ${resetFindings}
  if (item == 0u) { atomicStore(&${findingsOut}[1], u32(atomicLoad(&${counters}.keys) == 0u)); }`;

/** Opens the gate of what follows if rooms were too small. */
const openIfOverflowing = wgsl`if (item == 0u) { ${writeGrids}(0u, ${isOverflowing}); }`;

/** What is found out on the way: whether a room was too small, and whether the table was empty. */
export const FINDINGS: BufferSpec = { name: `${OWNER}/findings`, bytes: 8 };

/** The partition into rooms, and the one that counts if a room was too small and opens the gate of what goes by it. */
export const roomyPartitions = (
  items: Items,
  arriving: Parcels,
  { opening, findsEmpty }: { readonly opening: Wgsl; readonly findsEmpty: boolean },
) => ({
  recordPartition: partitionOf(items, arriving, {
    opening: { code: wgsl`${findsEmpty ? findEmpty : resetFindings}${opening}` },
    noteOverflow: wgsl`atomicStore(&${findingsOut}[0], 1u);`,
  }),
  recordAgain: partitionOf(items, arriving, { isNeeded: isOverflowing, opening: { code: openIfOverflowing } }),
});

const isInCrowd = kept(
  (header: Binding): Wgsl => wgsl`
fn isInCrowd(region: u32) -> bool {
  return ${isCrowdedRegion('region', header)};
}`,
);

/** The partition of items of regions that have copies. */
export const partitionOfCrowds = (items: Items, arriving: Parcels): RecordPartition =>
  partitionOf(items, arriving, {
    isNeeded: wgsl`(${crowded}[0] > 0u)`,
    isWanted: (region) => wgsl`${isInCrowd(items.header)}(${region})`,
  });
