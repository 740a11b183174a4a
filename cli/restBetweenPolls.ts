/**
 * Dawn asks by `setImmediate`, over and over, whether the GPU has finished. Where the GPU is the CPU, asking without a pause
 * takes as many cycles as the work itself. So every turn begins with a short rest, in a process that is ours.
 */
const REST_MS = 0.1;

const isDone = Symbol.for('hashnest/restBetweenPolls');

export function restBetweenPolls(): void {
  // Workers of tests load this file once for every file of tests.
  if (isDone in globalThis) return;
  const never = new Int32Array(new SharedArrayBuffer(4));
  const { setImmediate } = globalThis;
  const resting = (turn: (...args: unknown[]) => void, ...args: unknown[]): NodeJS.Immediate =>
    setImmediate(() => {
      Atomics.wait(never, 0, 0, REST_MS);
      turn(...args);
    });
  Object.assign(globalThis, { setImmediate: Object.assign(resting, setImmediate), [isDone]: true });
}
