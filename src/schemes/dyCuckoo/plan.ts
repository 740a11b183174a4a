import { mix } from '../../hashing/index.ts';
import { wgsl } from '../../wgsl/index.ts';
import type { DynamicPlan, DynamicRequest } from '../contract/index.ts';
import { batches } from './batches.wgsl.ts';
import { dyCuckooReader } from './find.wgsl.ts';
import { BUCKET_WORDS, Bucket } from './layout.wgsl.ts';
import { scratchOf } from './scratch.wgsl.ts';
import { chooseShape, formatOf, headerFields } from './shape.ts';

export function planDyCuckoo(request: DynamicRequest, subtables: number): DynamicPlan {
  const shape = chooseShape(request, subtables);
  const { buckets, perBucket, sideWords } = shape;
  const slots = buckets * perBucket;
  const fields = headerFields(shape);
  return {
    request,
    family: mix,
    format: formatOf(shape),
    capacitySlots: slots,
    slotCount: slots,
    buffers: [
      { name: 'buckets', bytes: buckets * BUCKET_WORDS * 4, type: wgsl`array<${Bucket}>` },
      { name: 'side', bytes: slots * sideWords * 4, type: 'array<u32>' },
    ],
    fields,
    reader: (view) => dyCuckooReader(shape, view),
    resized: (wanted) => planDyCuckoo({ ...request, slots: wanted }, subtables),
    scratchFor: (items) => Object.values(scratchOf(items).specs),
    ...batches(shape, fields),
  };
}
