/** A kernel looks articles up in two maps of different schemes, and computes what the stock of each is worth. */
import { type Gpu, HashMap, sortedArray } from 'hashnest';

export async function stockValue(gpu: Gpu): Promise<Float32Array> {
  const articles = new Uint32Array([1001, 1002, 1003, 1004]);
  const stocked = { keys: new Uint32Array([1001, 1003, 1004]), values: new Uint32Array([4, 100, 1]) };
  using prices = await HashMap.from(gpu, { keys: articles, values: new Float32Array([2.5, 10, 0.25, 99]) });
  using stock = await HashMap.from(gpu, stocked, { scheme: sortedArray() });
  const tables = [prices.wgsl({ name: 'prices', group: 1 }), stock.wgsl({ name: 'stock', group: 2 })];
  const code = /* wgsl */ `${tables.map((table) => table.code).join('\n')}
    @group(0) @binding(0) var<storage, read_write> worth: array<u32>; // articles, then floats
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= arrayLength(&worth)) { return; }
      let price = prices_find(worth[id.x]);
      let stored = stock_find(worth[id.x]);
      worth[id.x] = bitcast<u32>(select(0.0, price.value * f32(stored.value), stored.found));
    }`;
  const module = gpu.device.createShaderModule({ code });
  const pipeline = gpu.device.createComputePipeline({ layout: 'auto', compute: { module } });
  const worth = gpu.upload('worth', articles);
  const encoder = gpu.device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  for (const [i, entries] of [[{ binding: 0, resource: { buffer: worth } }], ...tables.map((t) => t.entries)].entries())
    pass.setBindGroup(i, gpu.device.createBindGroup({ layout: pipeline.getBindGroupLayout(i), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  gpu.device.queue.submit([encoder.finish()]);
  return gpu.read(worth, Float32Array).finally(() => worth.destroy()); // [10, 0, 25, 99]
}
