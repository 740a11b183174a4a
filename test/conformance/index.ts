/**
 * The conformance suite: a plain list, without a test runner and without Node, so that vitest, a browser page and the
 * command `selftest` can run the very same cases.
 */
import { adversarialCases } from './adversarial.ts';
import { aggregateCases } from './aggregate.ts';
import { callersBufferCases } from './callersBuffers.ts';
import type { ConformanceCase } from './case.ts';
import { contentsCases } from './contents.ts';
import { destroyedCases } from './destroyed.ts';
import { duplicateCases } from './duplicates.ts';
import { encoderFaceCases } from './encoderFace.ts';
import { entryCases } from './entries.ts';
import { keyIndexCases } from './keyIndex.ts';
import { keyTypeCases, keyTypeProduct } from './keyTypes.ts';
import { loadCases } from './loads.ts';
import { multiMapCases } from './multiMap.ts';
import { planningCases } from './planning.ts';
import { primitiveCases } from './primitives.ts';
import { rebuildCases } from './rebuild.ts';
import { retryCases } from './retry.ts';
import { savingCases } from './saving.ts';
import { seedCases } from './seeds.ts';
import { shaderFaceCases } from './shaderFace.ts';
import { sizeCases } from './sizes.ts';
import { spatialCases } from './spatial.ts';
import { statsCases } from './stats.ts';
import { valueCases } from './values.ts';

export { type ConformanceCase, RUNNER_LIMIT_MS, runCase } from './case.ts';

/**
 * Every behaviour with every scheme: with the key types of every day, with a sample of others, and the rest of those, which is
 * marked as `full`.
 */
const behaviours: readonly ConformanceCase[] = [
  ...primitiveCases,
  ...sizeCases,
  ...loadCases,
  ...adversarialCases,
  ...duplicateCases,
  ...rebuildCases,
  ...contentsCases,
  ...valueCases,
  ...savingCases,
  ...destroyedCases,
  ...callersBufferCases,
  ...planningCases,
  ...encoderFaceCases,
  ...entryCases,
  ...retryCases,
  ...shaderFaceCases,
  ...statsCases,
  ...seedCases,
  ...keyTypeCases,
  ...keyIndexCases,
  ...multiMapCases,
  ...aggregateCases,
  ...spatialCases,
];

/** Every case that is run every day. */
export const conformance: readonly ConformanceCase[] = behaviours.filter(({ full }) => !full);

/** And all that is too much for every day: with it, every collection over every scheme with every key type. */
export const fullList: readonly ConformanceCase[] = [...behaviours, ...keyTypeProduct];

/** Some of everything, for places where time is short. */
export const shortList: readonly ConformanceCase[] = conformance.filter(({ short }) => short);
