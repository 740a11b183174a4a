import { type Binding, storage, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { BuildView, PlanRequest } from '../contract/index.ts';
import { copiesCompete } from '../kit/copies.wgsl.ts';
import * as kit from '../kit/partition/parcels.wgsl.ts';
import type { Partitioned } from '../kit/partition/pass.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import type { Shape } from './shape.ts';

/** Parcels, and those of them that leave their region. */
export interface Parcels extends kit.Parcels {
  /** Those that found no slot in their region. */
  readonly spilled: Binding;
  readonly spilledOut: Binding;
  /** Whether the policy keeps one of two items with the same key rather than the other that came first here. */
  isPreferred(one: WgslPart, other: WgslPart): WgslPart;
}

/** What the kernels share that go on once every parcel is in its region. */
export interface BuildParts {
  readonly shape: Shape;
  readonly view: BuildView;
  readonly parcels: Parcels;
}

/** What the parcels of a build hold: the item's number where the policy compares it. */
export const contentOf = ({ key, valueWords, duplicates }: PlanRequest): kit.ParcelContent => ({
  key,
  valueWords,
  numbered: copiesCompete(duplicates),
});

/** The parcels of a table. `header` is the table's, as those kernels see it; `writable` are those that a region gathers. */
export function parcelsOf(
  { request }: Shape,
  { keys, valueAt }: BuildView,
  header: Binding,
  writable = false,
): Parcels {
  const parcels = kit.parcelsOf({ ...contentOf(request), writable }, { keys, valueAt, header });
  const many = wgsl`array<${parcels.type}>`;
  const order = request.duplicates === 'first' ? '<' : '>';
  return {
    ...parcels,
    spilled: storage('spilled', many),
    spilledOut: storage('spilled', many, 'read_write'),
    isPreferred: (one, other) =>
      copiesCompete(request.duplicates) ? wgsl`(${parcels.number(one)} ${order} ${parcels.number(other)})` : 'false',
  };
}

/** Of so few items no pass of a partition takes long, however it is written. */
const FEW_ITEMS = 20_000;

/** Parcels as they are partitioned. */
export function partitionedParcels(shape: Shape, view: BuildView, header: Binding): Partitioned {
  const parcels = parcelsOf(shape, view, header);
  const { locate } = geometry(shape, header);
  return {
    ...parcels,
    owner: 'bucketCuckoo',
    count: wgsl`${header}.count`,
    oneByOne: shape.request.items <= FEW_ITEMS,
    regionOf: (parcel) => wgsl`${locate}(${parcels.hash(parcel)}).region`,
  };
}
