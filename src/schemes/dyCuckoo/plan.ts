import { mix } from '../../hashing/index.ts';
import { WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import type { DynamicPlan, DynamicRequest } from '../contract/index.ts';
import { BUCKET_WORDS, Bucket } from '../kit/bucket.wgsl.ts';
import { bucketValueStore } from '../kit/bucketValues.wgsl.ts';
import { batches } from './batches.wgsl.ts';
import { dyCuckooReader } from './find.wgsl.ts';
import { resizing } from './resize.wgsl.ts';
import { moveScratch, work } from './scratch.wgsl.ts';
import { chooseShape, formatOf, headerFields, type Shape } from './shape.ts';

export function planDyCuckoo(request: DynamicRequest, subtables: number): DynamicPlan {
  const shape = chooseShape(request, subtables);
  const { buckets, perBucket, sideWords } = shape;
  const slots = buckets * perBucket;
  const fields = headerFields(shape);
  const plan: DynamicPlan = {
    request,
    family: mix,
    format: formatOf(shape),
    capacitySlots: slots,
    slotCount: slots,
    buffers: [
      { name: 'buckets', bytes: buckets * BUCKET_WORDS * WORD_BYTES, type: wgsl`array<${Bucket}>` },
      { name: 'side', bytes: slots * sideWords * WORD_BYTES, type: 'array<u32>' },
    ],
    fields,
    reader: (view) => dyCuckooReader(shape, view),
    resized: (wanted, kept = request.format) => planDyCuckoo({ ...request, slots: wanted, format: kept }, subtables),
    scratchFor: (items) => [work.spec(items), moveScratch(items).spec],
    moveFrom: (other) => {
      const before = SHAPES.get(other);
      return before && isSameKind(before, shape)
        ? resizing({ plan: other, shape: before }, { plan, shape })
        : undefined;
    },
    valueStore: () =>
      bucketValueStore({
        slots: perBucket,
        bucketWords: BUCKET_WORDS,
        inside: shape.inline ? perBucket : undefined,
        sideWords,
        keyWords: shape.exact ? 0 : request.key.words,
      }),
    ...batches(shape, fields),
  };
  SHAPES.set(plan, shape);
  return plan;
}

/** The shapes of the plans of this scheme. */
const SHAPES = new WeakMap<DynamicPlan, Shape>();

const isSameKind = (a: Shape, b: Shape): boolean =>
  formatOf(a) === formatOf(b) && a.request.key === b.request.key && a.request.valueWords === b.request.valueWords;
