import { afterAll, beforeAll, describe, it } from 'vitest';
import { Gpu } from '../../src/gpu/index.ts';
import { primitiveCases } from '../conformance/primitives.ts';

// With all that the adapter allows, they run as part of the conformance list.
describe("with WebGPU's default limits", () => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await Gpu.open({ limits: 'default' });
  });
  afterAll(() => gpu.destroy());

  it.each(primitiveCases.filter(({ short }) => short))('$name', ({ run }) => run(gpu));
});
