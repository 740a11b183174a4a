import type { Recorder } from '../../gpu/index.ts';
import { kernel, storage, uniform, wgsl } from '../../wgsl/index.ts';
import { buildHeader, STATUS } from '../contract/header.wgsl.ts';
import { type BuildInput, bufferOf, type TableBuffers, type TablePlan } from '../contract/scheme.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { keptPerPlan } from '../kit/keptPerPlan.ts';
import { recordOverflow } from './overflow.wgsl.ts';
import { recordPartition } from './partition.wgsl.ts';
import { SCRATCH, shapeOf } from './plan.ts';
import { recordsOf } from './records.wgsl.ts';
import { regionEnds, regionKernel, regionShape } from './region.wgsl.ts';
import { bucketsOut, sideOut } from './writeBucket.wgsl.ts';

/** Partition first, then every region in workgroup memory, then what was left over. */
export function recordBucketBuild(recorder: Recorder, plan: TablePlan, buffers: TableBuffers, input: BuildInput): void {
  const shape = shapeOf(plan);
  const { regions, bucketsPerRegion, layout, recordWords, overflowSlots, payloadWords } = shape;
  const { workspace } = input;
  recordPartition(recorder, plan, buffers, input);
  const { region, example } = kernelsOf(plan, recorder.gpu.limits.maxComputeInvocationsPerWorkgroup >= 512 ? 512 : 256);
  const records = workspace.scratch(SCRATCH.records, plan.items * recordWords * 4);
  const spilled = workspace.scratch(SCRATCH.spilled, overflowSlots * recordWords * 4);
  recorder.run(
    region.kernel,
    [
      [buildHeader, buffers.header],
      [regionShape, recorder.gpu.constants(regions, bucketsPerRegion * layout.slots)],
      [regionEnds, workspace.scratch(SCRATCH.regionEnds, regions * 4)],
      [region.records, records],
      [bucketsOut, bufferOf(buffers, 'buckets')],
      [region.spilled, spilled],
      ...(payloadWords > 0 ? ([[sideOut, bufferOf(buffers, 'side')]] as const) : []),
    ],
    regions,
  );
  recordOverflow(recorder, plan, buffers, spilled);
  if (example) {
    recorder.run(
      example.kernel,
      [
        [buildHeader, buffers.header],
        [example.records, records],
        [example.spilled, spilled],
        [example.keys, input.keys],
        [stride, recorder.gpu.constants(EXAMPLE_GROUPS * EXAMPLE_THREADS)],
      ],
      EXAMPLE_GROUPS * EXAMPLE_THREADS,
    );
  }
}

const EXAMPLE_THREADS = 256;
/** Few: they leave at once unless the caller was wrong about the keys. */
const EXAMPLE_GROUPS = 64;
const stride = uniform('stride', 'u32');

/** A copy was met, but the items had lost their numbers: looks the key up in the input. */
function exampleKernel(plan: TablePlan) {
  const { key } = plan;
  const input = key.access('input');
  const { type, keys, readable: records, storedKey } = recordsOf(plan, buildHeader);
  const spilled = storage('spilled', wgsl`array<${type}>`);
  return {
    keys,
    records,
    spilled,
    kernel: kernel({
      label: 'bucketCuckoo/example',
      threads: EXAMPLE_THREADS,
      body: wgsl`
  if ((atomicLoad(&${buildHeader}.status) & ${STATUS.duplicate}u) == 0u) { return; }
  let count = ${buildHeader}.count;
  let witness = atomicLoad(&${buildHeader}.witness);
  var record = ${records}[min(witness, count - 1u)];
  if (witness >= count) { record = ${spilled}[witness - count]; }
  let copied = ${input.of(storedKey('record'))};
  for (var i = item; i < count; i += ${stride}) {
    if (${key.equals(input, input)}(${input.of(wgsl`${keys}[i]`)}, copied)) {
      atomicMin(&${buildHeader}.example, i);
    }
  }`,
    }),
  };
}

const kernelsOf = keptPerPlan((plan, threads: number) => ({
  region: regionKernel(plan, threads),
  example: forbidsCopies(plan.duplicates) ? exampleKernel(plan) : undefined,
}));
