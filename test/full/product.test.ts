import { afterAll, beforeAll, describe, it } from 'vitest';
import { Gpu } from '../../src/gpu/index.ts';
import { fullList } from '../conformance/index.ts';

describe('every collection over every scheme with every key type', () => {
  let gpu: Gpu;
  beforeAll(async () => {
    gpu = await Gpu.open();
  });
  afterAll(() => gpu.destroy());

  for (const { name, full, run } of fullList) if (full) it(name, () => run(gpu));
});
