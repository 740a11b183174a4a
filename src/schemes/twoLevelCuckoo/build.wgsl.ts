import type { Bound, Recorder } from '../../gpu/index.ts';
import type { HashFamily } from '../../hashing/index.ts';
import { recordExclusiveScan, recordFill } from '../../primitives/index.ts';
import { buildHeader } from '../contract/header.wgsl.ts';
import { type BuildInput, bufferOf, type TableBuffers, type TablePlan } from '../contract/scheme.ts';
import { distinctFromAttempt, recordDistinct } from '../kit/distinct.wgsl.ts';
import { keptPerPlan } from '../kit/keptPerPlan.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import { countKernel, counts, offsets, offsetsOut, scatterKernel, starts } from './buckets.wgsl.ts';
import { bucketCount, cuckooKernel, seeds } from './cuckoo.wgsl.ts';
import { levelHashes } from './hashes.wgsl.ts';
import { type BucketShape, bucketsOf, OFFSETS, RECORDS, STARTS } from './plan.ts';
import { recordsBinding, recordWords } from './record.wgsl.ts';

/** Phase 1 brings the items of every bucket together, phase 2 builds a cuckoo table for each of them. */
export function recordTwoLevelBuild(
  family: HashFamily,
  shape: BucketShape,
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  input: BuildInput,
): void {
  const { key, items: maxItems, capacitySlots, duplicates } = plan;
  const { keys, values, items, workspace } = input;
  const buckets = bucketsOf(plan);
  const kernels = kernelsOf(plan, family, shape);
  const startWords = workspace.scratch(STARTS, (buckets + 1) * 4);
  const offsetWords = workspace.scratch(OFFSETS, maxItems * 4);
  const recordBuffer = workspace.scratch(RECORDS, maxItems * recordWords(key) * 4);
  const slots = bufferOf(buffers, 'slots');
  const header = [buildHeader, buffers.header] as const;

  const distinct = recordDistinct(recorder, plan, buffers.header, input, distinctFromAttempt(duplicates));
  const common: Bound = [header, [kernels.keys, keys], ...distinct];
  recordFill(recorder, { output: startWords, value: 0, items: buckets });
  recorder.run(kernels.count, [...common, [counts, startWords], [offsetsOut, offsetWords]], items);
  recordExclusiveScan(recorder, {
    input: startWords,
    output: startWords,
    items: buckets,
    total: { buffer: startWords, offset: buckets * 4 },
    workspace,
  });
  recorder.run(
    kernels.scatter,
    [...common, [starts, startWords], [offsets, offsetWords], [kernels.recordsOut, recordBuffer]],
    items,
  );

  // The slot of the key that looks like an empty one belongs to no bucket.
  recordFill(recorder, {
    output: slots,
    value: 0xffffffff,
    items: slotWords(plan),
    offsetItems: capacitySlots * slotWords(plan),
  });
  recorder.run(
    kernels.cuckoo.kernel,
    [
      header,
      [bucketCount, recorder.gpu.constants(buckets)],
      [starts, startWords],
      [kernels.cuckoo.records, recordBuffer],
      [kernels.cuckoo.keys, keys],
      [kernels.cuckoo.slots, slots],
      [seeds, bufferOf(buffers, 'seeds')],
      ...(values ? ([[kernels.cuckoo.values, values]] as const) : []),
    ],
    buckets,
  );
}

const kernelsOf = keptPerPlan(buildKernels);

function buildKernels(plan: TablePlan, family: HashFamily, shape: BucketShape) {
  const hashes = levelHashes(plan.key, plan.key.access('input'), family, shape.subtableSlots);
  const cuckoo = cuckooKernel(plan, shape, hashes);
  const { keys } = cuckoo;
  const records = recordsBinding(plan.key, 'read_write');
  return {
    keys,
    recordsOut: records,
    count: countKernel(plan, shape, hashes, keys),
    scatter: scatterKernel(plan, hashes, keys, records),
    cuckoo,
  };
}
