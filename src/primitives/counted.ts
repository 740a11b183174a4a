import {
  type Extent,
  Gate,
  type Gpu,
  type GpuCount,
  type Recorder,
  record,
  type Target,
  type Workspace,
} from '../gpu/index.ts';

/** Commands over a count that either the host knows or a word on the GPU, of which no more than `max` are used. */
export interface Counted {
  readonly label: string;
  readonly count: number | GpuCount;
  readonly max: number;
  /**
   * Keeps the gate for who records the same over and over: the label and `max` have to tell all grids. Without it the gate's
   * buffers live until they are garbage-collected.
   */
  readonly workspace?: Workspace | undefined;
}

/** Records such commands. */
export function recordCounted(
  gpu: Gpu,
  target: Target,
  { label, count, max, workspace }: Counted,
  commands: (recorder: Recorder, items: Extent) => void,
): void {
  record(gpu, target, label, (recorder) => {
    if (typeof count === 'number') {
      commands(recorder, recorder.extent(count));
      return;
    }
    const gate = workspace?.gate(label, max) ?? new Gate(gpu);
    try {
      gate.open(recorder, count, max);
      commands(recorder.behind(gate), gate.extent(max));
      gate.seal();
    } catch (error) {
      if (!workspace) gate.destroy();
      throw error;
    }
  });
}
