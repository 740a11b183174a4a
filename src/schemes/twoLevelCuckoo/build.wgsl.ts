import type { Bound } from '../../gpu/index.ts';
import { recordExclusiveScan, recordFill, scanScratch } from '../../primitives/index.ts';
import { once, WORD_BYTES } from '../../wgsl/index.ts';
import type { BufferSpec, GpuBuild, PlanRequest } from '../contract/index.ts';
import { distinctScratch, FREE_AFTER_DISTINCT } from '../kit/distinct.wgsl.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import { countKernel, counts, offsets, offsetsOut, scatterKernel, starts } from './buckets.wgsl.ts';
import { cuckooKernel } from './cuckoo.wgsl.ts';
import { parcelWords } from './parcel.wgsl.ts';
import { bucketCount, partsOf, seeds, type TwoLevelPlan } from './parts.wgsl.ts';

/** Scratch of phase 1: where each bucket starts, the items bucket by bucket, and every item's offset in its bucket. */
const STARTS = 'twoLevelCuckoo/starts';
const PARCELS = 'twoLevelCuckoo/parcels';
const OFFSETS = FREE_AFTER_DISTINCT;

/** The scratch buffers of a build. */
export const twoLevelScratch = ({ items, key }: PlanRequest, buckets: number): readonly BufferSpec[] => [
  { name: STARTS, bytes: (buckets + 1) * WORD_BYTES },
  { name: PARCELS, bytes: items * parcelWords(key) * WORD_BYTES },
  ...scanScratch(buckets),
  ...distinctScratch(items),
];

/** Phase 1 brings the items of every bucket together, phase 2 builds a cuckoo table for each of them. */
export function twoLevelBuild(plan: TwoLevelPlan): GpuBuild {
  const { request, capacitySlots } = plan;
  const { buckets } = plan.fields;
  const words = slotWords(request);
  const kernels = once(() => {
    const parts = partsOf(plan);
    return { parts, count: countKernel(parts), scatter: scatterKernel(parts), cuckoo: cuckooKernel(parts) };
  });
  return {
    on: 'gpu',
    record: (recorder, table, input) => {
      const { parts, count, scatter, cuckoo } = kernels();
      const { items, workspace } = input;
      const startWords = workspace.scratch(STARTS, (buckets + 1) * WORD_BYTES);
      const offsetWords = workspace.scratch(OFFSETS, request.items * WORD_BYTES);
      const parcelBuffer = workspace.scratch(PARCELS, request.items * parcelWords(request.key) * WORD_BYTES);
      const slots = table.get('slots');
      const build = parts.view.bind(table, input);
      const bound: Bound = [
        ...build,
        ...parts.distinct.record(recorder, input, build),
        [counts, startWords],
        [starts, startWords],
        [offsetsOut, offsetWords],
        [offsets, offsetWords],
        [parts.parcelsOut, parcelBuffer],
        [parts.parcels, parcelBuffer],
        [bucketCount, recorder.gpu.constants(buckets)],
        [parts.slots, slots],
        [seeds, table.get('seeds')],
      ];

      recordFill(recorder, { output: startWords, value: 0, items: buckets });
      recorder.run(count, bound, items);
      const total = { buffer: startWords, offset: buckets * WORD_BYTES };
      recordExclusiveScan(recorder, { input: startWords, output: startWords, items: buckets, total, workspace });
      recorder.run(scatter, bound, items);

      // The extra slot belongs to no bucket.
      recordFill(recorder, { output: slots, value: 0xffffffff, items: words, offsetItems: capacitySlots * words });
      recorder.run(cuckoo, bound, buckets);
    },
  };
}
