/** What is taken from workspaces while something is recorded, and what was planned. */
import { Workspace } from '../../src/gpu/index.ts';
import type { BufferSpec } from '../../src/schemes/contract/index.ts';
import { equal, isTrue } from './expect.ts';

/** Records something, and tells the most bytes that were asked for by each name. */
export function takenScratch(work: () => void): ReadonlyMap<string, number> {
  const { scratch } = Workspace.prototype;
  const taken = new Map<string, number>();
  Workspace.prototype.scratch = function (this: Workspace, name: string, bytes: number) {
    // A buffer of nothing stands for one that is bound and not used.
    if (bytes > 0) taken.set(name, Math.max(bytes, taken.get(name) ?? 0));
    return scratch.call(this, name, bytes);
  };
  try {
    work();
  } finally {
    Workspace.prototype.scratch = scratch;
  }
  return taken;
}

/** Throws unless just what was planned was taken. */
export function asPlanned(taken: ReadonlyMap<string, number>, specs: readonly BufferSpec[], what: string): void {
  const planned = specs.filter(({ bytes }) => bytes > 0);
  const names = new Set(planned.map(({ name }) => name));
  equal(String([...taken.keys()].sort()), String([...names].sort()), `${what}: names of scratch`);
  for (const [name, bytes] of taken) {
    const most = Math.max(...planned.filter((spec) => spec.name === name).map((spec) => spec.bytes));
    isTrue(bytes === most, `${what}: ${name} takes ${bytes} bytes, and ${most} were planned`);
  }
}
