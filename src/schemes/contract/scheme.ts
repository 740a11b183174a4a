import type { PlanRequest, TablePlan } from './plan.ts';

/**
 * A way to build and search a static table. A scheme plans; its plans record kernels and write WGSL. Neither ever
 * allocates, submits or reads back. A build ends with a status in the header (`header.wgsl.ts`).
 */
export interface Scheme<Host = unknown> {
  readonly name: string;
  /** For the type checker alone: what keys it can carry, as the caller has them. A scheme for all keys has none. */
  readonly carries?: (keys: Host) => void;
  /** What it was made with, as JSON: saved tables carry it. An option called `hash` is the name of a hash family. */
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Throws `InvalidInputError` for capacities and loads that cannot be. */
  plan(request: PlanRequest): TablePlan;
  /** The same scheme with the options of a saved table, which may be anything; the hash family stays. */
  withOptions(options: Readonly<Record<string, unknown>>): Scheme<Host>;
}
