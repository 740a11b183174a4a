import { expect, it } from 'vitest';
import { HashMap } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

it('a table for which a shader was written keeps its format, also where it has to grow', async () => {
  const keys = Uint32Array.from({ length: 100 }, (_, i) => i);
  using map = await HashMap.from(gpu, { keys, values: keys });
  const { format } = map.table.plan;
  expect(map.table.plan.request.format).toBeUndefined();
  map.wgsl({ name: 'table', group: 0 });
  expect(map.table.plan.format).toBe(format);
  expect(map.table.plan.request.format).toBe(format);
  expect(map.table.plan.larger?.()?.format).toBe(format);
  // So many would have another format otherwise.
  expect(map.table.planFor(10_000_000).format).toBe(format);
  expect(map.table.plan.request.items).toBe(100);
});
