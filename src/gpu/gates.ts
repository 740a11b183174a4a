import { Gate } from './gate.wgsl.ts';
import type { Gpu } from './gpu.ts';

/** A renderer has a few different grids, each used every frame; older ones are left to the garbage collector. */
const GATES_KEPT = 16;

/** Gates that are kept by name: who searches or rebuilds every frame asks for the same ones every frame. */
export class Gates {
  readonly #gates = new Map<string, Gate>();

  constructor(readonly gpu: Gpu) {}

  get(name: string): Gate {
    const known = this.#gates.get(name);
    if (known) return known;
    const gate = new Gate(this.gpu);
    const oldest = this.#gates.keys().next();
    if (this.#gates.size >= GATES_KEPT && !oldest.done) this.#gates.delete(oldest.value);
    this.#gates.set(name, gate);
    return gate;
  }

  /** Frees them all. Commands that use them must have been submitted. */
  destroy(): void {
    for (const gate of this.#gates.values()) gate.destroy();
    this.clear();
  }

  /** Forgets them all, for calls whose grids will be others. */
  clear(): void {
    this.#gates.clear();
  }
}
