/** The kernels with which an attempt to build a table begins: they set up the header, and the gate where there is one. */
import { type Gate, type GpuCount, gateArgs, gateRows, type Recorder, writeGrids } from '../gpu/index.ts';
import type { HashConstants } from '../hashing/index.ts';
import { buildHeader, STATUS } from '../schemes/contract/header.wgsl.ts';
import type { TableBuffers, TablePlan } from '../schemes/contract/scheme.ts';
import { kernel, storage, uniform, wgsl } from '../wgsl/index.ts';

const Attempt = wgsl`
struct Attempt {
  hash: vec4u,
  own: vec4u,
  capacity: u32,
  maxCount: u32,
  countAt: u32, // which word of the count's buffer
  index: u32,
  build: u32,
}`;
const ATTEMPT_WORDS = 16;

const attempt = uniform('attempt', Attempt);
const countSource = storage('countSource', 'array<u32>');
const clampedCount = storage('clampedCount', 'u32', 'read_write');

const resetHeader = wgsl`
fn resetHeader(count: u32) {
  ${buildHeader}.hash = ${attempt}.hash;
  ${buildHeader}.own = ${attempt}.own;
  ${buildHeader}.capacity = ${attempt}.capacity;
  ${buildHeader}.count = min(count, ${attempt}.maxCount);
  atomicStore(&${buildHeader}.status, select(0u, ${STATUS.overflow}u, count > ${attempt}.maxCount));
  atomicStore(&${buildHeader}.copies, 0u);
  atomicStore(&${buildHeader}.longest, 0u);
  atomicStore(&${buildHeader}.failed, select(0u, count - ${attempt}.maxCount, count > ${attempt}.maxCount));
  atomicStore(&${buildHeader}.example, 0xffffffffu);
  atomicStore(&${buildHeader}.stashed, 0u);
  atomicStore(&${buildHeader}.restarts, 0u);
  atomicStore(&${buildHeader}.rounds, 0u);
  atomicStore(&${buildHeader}.witness, 0xffffffffu);
  ${buildHeader}.attempts = ${attempt}.index + 1u;
  ${buildHeader}.build = ${attempt}.build;
}`;

const begin = kernel({
  label: 'attempt/begin',
  threads: 1,
  body: wgsl`${resetHeader}(${countSource}[${attempt}.countAt]);`,
});

const beginBehindGate = kernel({
  label: 'attempt/beginBehindGate',
  threads: 1,
  body: wgsl`
  let count = ${countSource}[${attempt}.countAt];
  // Later attempts are for builds that failed by bad luck; a duplicate or an overflow would fail again.
  let open = ${attempt}.index == 0u || atomicLoad(&${buildHeader}.status) == ${STATUS.retry}u;
  if (open) { ${resetHeader}(count); }
  ${clampedCount} = min(count, ${attempt}.maxCount);
  ${writeGrids}(${clampedCount}, open);`,
});

/** Records the start of an attempt. Behind the recorder's gate it runs only if those before it failed. */
export function recordAttempt(
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  options: {
    readonly hash: HashConstants;
    readonly index: number;
    /** Tells one build of a table from the next. */
    readonly build: number;
    readonly count: number | GpuCount;
    readonly maxCount: number;
  },
): void {
  const { gpu } = recorder;
  const { hash, index, build, count, maxCount } = options;
  const [source, at] = typeof count === 'number' ? [gpu.constants(count), 0] : [count.buffer, (count.offset ?? 0) / 4];
  const own = [0, 1, 2, 3].map((i) => plan.own[i] ?? 0);
  const words = [...hash, ...own, plan.capacitySlots, maxCount, at, index, build];
  const bound = [
    [buildHeader, buffers.header],
    [countSource, source],
    [attempt, gpu.constants(...words, ...Array(ATTEMPT_WORDS - words.length).fill(0))],
  ] as const;
  const gate: Gate | undefined = recorder.gate;
  if (!gate) recorder.runOnce(begin, bound);
  else {
    recorder.runOnce(beginBehindGate, [
      ...bound,
      [gateRows, gate.rows],
      [gateArgs, gate.args],
      [clampedCount, gate.count],
    ]);
  }
}
