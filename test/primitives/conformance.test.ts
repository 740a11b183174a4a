import { describe, it } from 'vitest';
import { primitiveCases } from '../conformance/primitives.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

// With all that the adapter allows, they run as part of the conformance list.
describe("with WebGPU's default limits", () => {
  it.each(primitiveCases.filter(({ short }) => short))('$name', ({ run }) => run(gpu));
});
