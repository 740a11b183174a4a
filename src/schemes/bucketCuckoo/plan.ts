import { mix } from '../../hashing/index.ts';
import { once, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { PlanRequest, TablePlan } from '../contract/index.ts';
import { Bucket } from '../kit/bucket.wgsl.ts';
import { partitionScans } from '../kit/partition/partition.wgsl.ts';
import { bucketCuckooBuild } from './build.wgsl.ts';
import { areSoundBuckets, bucketCuckooReader } from './find.wgsl.ts';
import { headerFields } from './geometry.wgsl.ts';
import type { BucketCuckooOptions } from './index.ts';
import { BUCKET_BYTES } from './layout.wgsl.ts';
import { chooseShape, formatOf, scratchOf } from './shape.ts';
import { bucketCuckooValueStore } from './valueStore.wgsl.ts';

const MOST_GROWTHS = 12;

export function planBucketCuckoo(options: BucketCuckooOptions, request: PlanRequest, isTight = false): TablePlan {
  const shape = chooseShape(options, request, isTight);
  const { layout, buckets, overflowSlots, payloadWords, overflowWords, regions } = shape;
  const fields = headerFields(shape);
  const slots = buckets * layout.slots;
  const { growth } = request;
  return {
    request,
    family: mix,
    format: formatOf(shape),
    capacitySlots: shape.nominalSlots,
    slotCount: slots + overflowSlots,
    buffers: [
      { name: 'buckets', bytes: buckets * BUCKET_BYTES, type: wgsl`array<${Bucket}>` },
      // The payload of all slots, then the overflow.
      { name: 'side', bytes: (slots * payloadWords + overflowSlots * overflowWords) * WORD_BYTES, type: 'array<u32>' },
    ],
    scratch: [...Object.values(scratchOf(shape)), ...partitionScans(regions)],
    fields,
    tighter: isTight ? undefined : once(() => planBucketCuckoo(options, request, true)),
    larger: growth < MOST_GROWTHS ? () => planBucketCuckoo(options, { ...request, growth: growth + 1 }) : undefined,
    build: bucketCuckooBuild(shape, fields),
    reader: (view) => bucketCuckooReader(shape, view),
    soundness: { numbers: { count: buckets, isSound: (view) => areSoundBuckets(shape, view) } },
    valueStore: () => bucketCuckooValueStore(shape),
  };
}
