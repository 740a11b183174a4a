import { type Binding, storage, uniform, type Wgsl } from '../../wgsl/index.ts';
import { type BuildView, buildView, type PlanRequest, type TablePlan } from '../contract/index.ts';
import { type DistinctItems, distinctItems } from '../kit/distinct.wgsl.ts';
import { slotsType } from '../kit/slot.wgsl.ts';
import { rankOf } from '../kit/token.wgsl.ts';
import { type LevelHashes, levelHashes } from './hashes.wgsl.ts';
import { parcelsBinding } from './parcel.wgsl.ts';
import type { BucketShape, TwoLevels } from './plan.ts';
import { type Rounds, roundsOf } from './rounds.wgsl.ts';

/** What a build has to know of its plan. */
export interface TwoLevelPlan extends TwoLevels, Pick<TablePlan, 'request' | 'capacitySlots'> {
  readonly fields: { readonly buckets: number };
}

/** How many buckets there are; a uniform, because a workgroup may leave before a barrier only by what all of it knows. */
export const bucketCount = uniform('bucketCount', 'u32');
export const seeds = storage('seeds', 'array<u32>', 'read_write');

/** What the kernels of a build have in common. */
export interface BuildParts {
  readonly request: PlanRequest;
  readonly shape: BucketShape;
  readonly view: BuildView;
  /** The items, or from some attempt on one of each key. */
  readonly distinct: DistinctItems;
  readonly hashes: LevelHashes;
  /** WGSL: `(item: u32) -> u32` and back: of the copies of a key, the least rank wins. */
  readonly rank: Wgsl;
  readonly rounds: Rounds;
  /** The parcels as phase 2 reads and as phase 1 writes them. */
  readonly parcels: Binding;
  readonly parcelsOut: Binding;
  readonly slots: Binding;
}

export function partsOf({ family, shape, request, fields }: TwoLevelPlan): BuildParts {
  const { key, duplicates } = request;
  const view = buildView(request, fields);
  return {
    request,
    shape,
    view,
    distinct: distinctItems(view, request),
    hashes: levelHashes(key, view.keys.access, family, shape.subtableSlots),
    rank: rankOf(duplicates),
    rounds: roundsOf(shape),
    parcels: parcelsBinding(key, 'read'),
    parcelsOut: parcelsBinding(key, 'read_write'),
    slots: storage('slots', slotsType(request), 'read_write'),
  };
}
