/** Runs the short conformance list in this browser and shows the results. */

import { Gpu } from '../../../src/index.ts';
import { runCase, shortList } from '../../conformance/index.ts';
import { type ConformanceGlobals, type ConformanceResult, ON_DEMAND } from './protocol.ts';
import { showGpu, showResult } from './show.ts';

const page = globalThis as unknown as ConformanceGlobals;
// Under the limits that every WebGPU device has; in Node the list runs under those of the adapter.
const opening = Gpu.open({ limits: 'default' });
opening.then(({ info }) => showGpu(info), showGpu);

page.__results = {};
page.__run = async (name) => {
  const startMilliseconds = performance.now();
  const failure = await failureOf(name);
  const result: ConformanceResult = { failure, milliseconds: performance.now() - startMilliseconds };
  page.__results[name] = result;
  showResult(name, result, page.__results);
  return result;
};

if (location.hash !== ON_DEMAND) {
  for (const { name } of shortList) await page.__run(name);
}

async function failureOf(name: string): Promise<string | undefined> {
  const entry = shortList.find((candidate) => candidate.name === name);
  if (!entry) return 'the page has no entry of this name';
  try {
    await runCase(entry, await opening);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
