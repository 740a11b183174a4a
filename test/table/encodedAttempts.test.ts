import { expect, it } from 'vitest';
import { HashMap, u32 } from '../../src/index.ts';
import type { Scheme } from '../../src/schemes/contract/index.ts';
import { bucketCuckoo, chaining, cuckoo, eytzinger, sortedArray } from '../../src/schemes/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const items = Uint32Array.from({ length: 1000 }, (_, i) => Math.imul(i, 0x9e37_79b1));

/** How many dispatches of a recorded build have grids that only the GPU knows: those of attempts that may not be needed. */
async function indirectDispatches(scheme: Scheme): Promise<number> {
  using buffers = new TestBuffers(gpu);
  const [keys, values] = [buffers.upload(items), buffers.upload(items)];
  const encoder = gpu.device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  let count = 0;
  const { dispatchWorkgroupsIndirect } = pass;
  pass.dispatchWorkgroupsIndirect = (...grid) => {
    count++;
    return dispatchWorkgroupsIndirect.apply(pass, grid);
  };
  using map = HashMap.encodeBuild(gpu, pass, { keys, values, count: items.length }, { key: u32, scheme });
  pass.end();
  gpu.device.queue.submit([encoder.finish()]);
  await map.settle();
  expect((await map.get(items)).values).toEqual(items);
  return count;
}

it.each([sortedArray(), eytzinger(), chaining(), bucketCuckoo()])(
  '$name records no attempt that is never needed',
  async (scheme) => {
    expect(await indirectDispatches(scheme)).toBe(0);
  },
);

it('a scheme whose hash functions may be unlucky records further attempts', async () => {
  expect(await indirectDispatches(cuckoo())).toBeGreaterThan(0);
});
