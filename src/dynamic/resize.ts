/** From one size of a table to another. */
import { BuildError, OutOfMemoryError, type Workspace } from '../gpu/index.ts';
import type { HashConstants } from '../hashing/index.ts';
import type { DynamicPlan } from '../schemes/contract/index.ts';
import { Body } from './body.ts';
import { requireTableFits } from './fits.ts';
import { moveAll } from './move.ts';
import type { DynamicSettings } from './settings.ts';

/** Seeds and sizes that are tried for one resize. */
const MOST_ATTEMPTS = 6;

/** How often a table was resized, and how. */
export interface DynamicReport {
  readonly growths: number;
  readonly shrinks: number;
  /** Resizes that took a new hash function because the old one left items without room. */
  readonly reseeds: number;
}

/** What a resize is to do. */
export interface Resize {
  readonly slots: number;
  /** Keys that there has to be room for, and those that there are. */
  readonly needed: number;
  readonly size: number;
  /** Whether another hash function is wanted at once. */
  readonly isReseeded: boolean;
  readonly random: () => number;
  readonly context: GPUBuffer | undefined;
  readonly workspace: Workspace;
  /** The plan of a table of at least so many slots. */
  planFor(slots: number): DynamicPlan;
}

/** A body of at least so many slots that has everything the old one has. The old one stays as it is. */
export async function resizedBody(
  settings: DynamicSettings,
  old: Body,
  resize: Resize,
): Promise<{ readonly body: Body; readonly isReseeded: boolean }> {
  const { gpu } = old;
  const { slots, needed, size, random, context, workspace, planFor } = resize;
  for (let attempt = resize.isReseeded ? 1 : 0; attempt < MOST_ATTEMPTS; attempt++) {
    // The same function first: it may spare much of the work.
    const hash: HashConstants = attempt === 0 ? old.hash : old.plan.family.draw(random);
    const plan = requireTableFits(gpu, planFor(Math.ceil(slots * 1.1 ** (attempt >> 1))), needed, settings.bounds);
    const move = (body: Body) => moveAll(old, body, size, context, workspace);
    const body = await Body.filled(gpu, { scheme: settings.scheme, plan, hash, last: old }, move);
    if (body) return { body, isReseeded: attempt > 0 };
  }
  throw new BuildError(`${settings.scheme.name}: no hash function was found for ${size} keys`, 0, MOST_ATTEMPTS);
}

/** The report after another resize. */
export const reportOf = (
  { growths, shrinks, reseeds }: DynamicReport,
  hasGrown: boolean,
  isReseeded: boolean,
): DynamicReport => ({
  growths: growths + Number(hasGrown),
  shrinks: shrinks + Number(!hasGrown),
  reseeds: reseeds + Number(isReseeded),
});

/** What is done to save memory need not succeed: passes over errors that say so, and frees scratch, of which some may have no memory. */
export function unlessTight(error: unknown, workspace?: Workspace): void {
  if (!(error instanceof OutOfMemoryError || error instanceof BuildError)) throw error;
  workspace?.release();
}
