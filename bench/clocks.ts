/**
 * Holds the clocks of a GPU up. One that waits for the host between short measurements drops to a fraction of its clock
 * (an H200 from 1,980 to 345 MHz), and the same operation then takes four times as long.
 */
import { type Gpu, Recorder } from '../src/gpu/index.ts';
import { kernel, storage, uniform, wgsl } from '../src/wgsl/index.ts';

const THREADS = 256;
const GROUPS = 4096;
const ROUNDS = 1 << 14;
/** What one dispatch takes a large GPU at its full clock, about. */
const DISPATCH_MS = 2.5;
/** Long enough for a GPU that has waited. */
export const HOLD_MS = 50;

const rounds = uniform('rounds', 'u32');
const result = storage('result', 'u32', 'read_write');

const spin = kernel({
  label: 'bench/spin',
  threads: THREADS,
  body: wgsl`
  var x = item;
  for (var i = 0u; i < ${rounds}; i++) { x = x * 1664525u + 1013904223u; }
  // Almost never true, but no compiler knows that, so the work cannot be left out.
  if (x == 1u) { ${result} = x; }`,
});

/** Records arithmetic that keeps every core busy, for about so long on a large GPU; a software GPU has no clocks to hold. */
export function holdClocks(gpu: Gpu, encoder: GPUCommandEncoder, scratch: GPUBuffer, ms = HOLD_MS): void {
  if (gpu.info.software || ms === 0) return;
  const pass = encoder.beginComputePass({ label: 'hashnest/bench/spin' });
  const recorder = new Recorder(gpu, pass);
  for (let i = 0; i < ms / DISPATCH_MS; i++) {
    recorder.run(
      spin,
      [
        [rounds, gpu.constants(ROUNDS)],
        [result, scratch],
      ],
      GROUPS * THREADS,
    );
  }
  pass.end();
}
