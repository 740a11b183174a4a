import { afterAll, beforeAll, describe, it } from 'vitest';
import { Gpu } from '../../src/gpu/index.ts';
import { primitiveCases } from '../conformance/primitives.ts';

describe.each([
  ['all that the adapter allows', 'adapter', primitiveCases],
  ["WebGPU's default limits", 'default', primitiveCases.filter(({ short }) => short)],
] as const)('with %s', (_, limits, cases) => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await Gpu.open({ limits });
  });
  afterAll(() => gpu.destroy());

  it.each(cases)('$name', ({ run }) => run(gpu));
});
