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

/**
 * Records commands over a count that either the host knows or a word on the GPU, of which no more than `max` are used.
 * Who records the same over and over keeps the gate in a workspace, where the label and `max` have to tell all grids; else its
 * buffers live until they are garbage-collected.
 */
export function recordCounted(
  gpu: Gpu,
  target: Target,
  label: string,
  count: number | GpuCount,
  max: number,
  commands: (recorder: Recorder, items: Extent) => void,
  workspace?: Workspace,
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
