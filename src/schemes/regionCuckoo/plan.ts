import { mix } from '../../hashing/index.ts';
import { WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { DynamicPlan, DynamicRequest } from '../contract/index.ts';
import { BUCKET_WORDS, Bucket } from '../kit/bucket.wgsl.ts';
import { bucketValueStore } from '../kit/bucketValues.wgsl.ts';
import { batches, isSmall } from './batches.wgsl.ts';
import { regionCuckooReader } from './find.wgsl.ts';
import { work } from './inPlace.wgsl.ts';
import { hasInlineValues } from './layout.wgsl.ts';
import { regionScratch } from './regionBatches.wgsl.ts';
import { isReachable, moving } from './resize.wgsl.ts';
import { chooseShape, formatOf, headerFields, type Shape } from './shape.ts';

export function planRegionCuckoo(request: DynamicRequest): DynamicPlan {
  const shape = chooseShape(request);
  const { layout, buckets, payloadWords, nominalSlots } = shape;
  const { key } = request;
  const slots = buckets * layout.slots;
  const fields = headerFields(shape);
  const plan: DynamicPlan = {
    request,
    family: mix,
    format: formatOf(shape),
    capacitySlots: nominalSlots,
    slotCount: slots,
    buffers: [
      { name: 'buckets', bytes: buckets * BUCKET_WORDS * WORD_BYTES, type: wgsl`array<${Bucket}>` },
      { name: 'side', bytes: slots * payloadWords * WORD_BYTES, type: 'array<u32>' },
    ],
    fields,
    reader: (view) => regionCuckooReader(shape, view),
    resized: (wanted, kept = request.format) => planRegionCuckoo({ ...request, slots: wanted, format: kept }),
    scratchFor: (items) => (isSmall(shape, items) ? [work.spec(items)] : regionScratch(shape, items)),
    moveFrom: (other) => {
      const before = SHAPES.get(other);
      return before && isReachable(before, shape) ? moving({ plan: other, shape: before }, { plan, shape }) : undefined;
    },
    valueStore: () =>
      bucketValueStore({
        slots: layout.slots,
        bucketWords: BUCKET_WORDS,
        inside: hasInlineValues(layout) ? 0 : undefined,
        sideWords: payloadWords,
        keyWords: shape.exact ? 0 : key.words,
      }),
    ...batches(shape, fields),
  };
  SHAPES.set(plan, shape);
  return plan;
}

/** The shapes of the plans of this scheme. */
const SHAPES = new WeakMap<DynamicPlan, Shape>();
