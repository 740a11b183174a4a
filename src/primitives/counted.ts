import { type Extent, Gate, type Gpu, type GpuCount, type Recorder, record, type Target } from '../gpu/index.ts';

/**
 * Records commands over a count that either the host knows or a word on the GPU, of which no more than `max` are used.
 * The buffers that decide grids on the GPU live until they are garbage-collected.
 */
export function recordCounted(
  gpu: Gpu,
  target: Target,
  label: string,
  count: number | GpuCount,
  max: number,
  commands: (recorder: Recorder, items: Extent) => void,
): void {
  if (typeof count === 'number') {
    record(gpu, target, label, (recorder) => commands(recorder, recorder.extent(count)));
    return;
  }
  record(gpu, target, label, (recorder) => {
    const gate = new Gate(gpu);
    try {
      gate.open(recorder, count, max);
      commands(recorder.behind(gate), gate.extent(max));
      gate.seal();
    } catch (error) {
      gate.destroy();
      throw error;
    }
  });
}
