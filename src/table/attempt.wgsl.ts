/** The kernels with which an attempt to build a table begins: they set up the header, and the gate where there is one. */
import { countWord, type GpuCount, gateArgs, gateRows, type Recorder, writeGrids } from '../gpu/index.ts';
import type { HashConstants } from '../hashing/index.ts';
import { HeaderLayout, type PlannedTable, STATUS } from '../schemes/contract/index.ts';
import { kept, kernel, movingUniform, storage, uniform, wgsl } from '../wgsl/index.ts';

const countSource = storage('countSource', 'array<u32>');
const clampedCount = storage('clampedCount', 'u32', 'read_write');
/** Which word of `countSource` is the count, and the most that it may be. */
const limits = uniform('limits', 'vec2u');

const kernelsOf = kept((layout: HeaderLayout) => {
  const header = layout.forBuilding();
  const initial = movingUniform('initial', layout.struct);
  const resetHeader = wgsl`
fn resetHeader(count: u32) {
  ${layout.assign(header, initial)}
  ${header}.count = min(count, ${limits}.y);
  if (count > ${limits}.y) {
    atomicStore(&${header}.status, ${STATUS.overflow}u);
    atomicStore(&${header}.failed, count - ${limits}.y);
  }
}`;
  return {
    header,
    initial,
    begin: kernel({
      label: 'attempt/begin',
      threads: 1,
      body: wgsl`${resetHeader}(${countSource}[${limits}.x]);`,
    }),
    beginBehindGate: kernel({
      label: 'attempt/beginBehindGate',
      threads: 1,
      body: wgsl`
  let count = ${countSource}[${limits}.x];
  // Later attempts are for builds that failed by bad luck; a duplicate or an overflow would fail again.
  let open = ${initial}.attempts == 1u || atomicLoad(&${header}.status) == ${STATUS.retry}u;
  if (open) { ${resetHeader}(count); }
  ${clampedCount} = min(count, ${limits}.y);
  ${writeGrids}(${clampedCount}, open);`,
    }),
  };
});

/** What an attempt begins with. */
export interface Attempt {
  readonly hash: HashConstants;
  /** Counted from 1. */
  readonly number: number;
  /** Tells one build of a table from the next. */
  readonly build: number;
  readonly count: number | GpuCount;
  readonly maxCount: number;
}

/** Records the start of an attempt. Behind the recorder's gate it runs only if those before it failed. */
export function recordAttempt(recorder: Recorder, plan: PlannedTable, headerBuffer: GPUBuffer, attempt: Attempt): void {
  const { gpu, gate } = recorder;
  const { hash, number, build, count, maxCount } = attempt;
  const layout = HeaderLayout.of(plan.fields);
  const { header, initial, begin, beginBehindGate } = kernelsOf(layout);
  const { buffer, word } = countWord(gpu, count);
  const words = layout.write({ hash, own: plan.fields, capacity: plan.capacitySlots, attempts: number, build });
  const bound = [
    [header, headerBuffer],
    [countSource, buffer],
    [limits, gpu.constants(word, maxCount)],
    [initial, gpu.wordsOnce(words)],
  ] as const;
  if (!gate) recorder.runOnce(begin, bound);
  else {
    const grids = [
      [gateRows, gate.rows],
      [gateArgs, gate.args],
      [clampedCount, gate.count],
    ] as const;
    recorder.runOnce(beginBehindGate, [...bound, ...grids]);
  }
}
