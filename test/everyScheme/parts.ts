/**
 * The conformance list, and in full the modules of every scheme, in parts that workers run side by side. A part has whole schemes, so
 * that no pipeline is compiled by two workers.
 */
import { describe, it } from 'vitest';
import type { Gpu } from '../../src/gpu/index.ts';
import type { SchemeName } from '../../src/schemes/index.ts';
import { type ConformanceCase, conformance, fullList, RUNNER_LIMIT_MS, runCase } from '../conformance/index.ts';
import { schemeNames } from '../conformance/subjects.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { describeFamilies, describeModules } from './modules.ts';

/** Each has a file, `partN.test.ts`, here and in `test/full/`. */
export const PARTS = 4;

/** The part of a scheme, from 1 on; what belongs to no scheme is in the last. */
const partOf = (scheme: SchemeName | undefined): number =>
  scheme === undefined ? PARTS : 1 + (schemeNames.indexOf(scheme) % PARTS);

/** Declares the tests of one part of what is run every day. */
export async function describePart(part: number): Promise<void> {
  const gpu = await sharedGpu();
  describeCases('the conformance list', gpu, conformance, part);
  if (part === 1) describeFamilies(gpu);
}

/** Declares the tests of one part of what the full list has beside that, and of all modules: the list of every day meets every width and policy. */
export async function describeFullPart(part: number): Promise<void> {
  const rest = fullList.filter(({ full }) => full);
  const gpu = await sharedGpu();
  describeCases('the rest of the full list', gpu, rest, part);
  describeModules(gpu, (scheme) => partOf(scheme) === part);
}

function describeCases(list: string, gpu: Gpu, cases: readonly ConformanceCase[], part: number): void {
  describe(list, () => {
    for (const test of cases.filter(({ scheme }) => partOf(scheme) === part)) {
      it(test.name, { timeout: RUNNER_LIMIT_MS }, () => runCase(test, gpu));
    }
  });
}
