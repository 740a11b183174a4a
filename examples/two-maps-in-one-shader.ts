/**
 * The shader face: a kernel of your own that looks keys up in two maps of different schemes, beside buffers of its own.
 * A shop has prices by article and stock by article; the kernel computes what all the stock is worth.
 */
import { type Gpu, HashMap, linearProbing, sortedArray } from 'hashnest';

export async function stockValue(gpu: Gpu): Promise<Float32Array> {
  const articles = new Uint32Array([1001, 1002, 1003, 1004]);
  const prices = await HashMap.from(
    gpu,
    { keys: articles, values: new Float32Array([2.5, 10, 0.25, 99]) },
    { scheme: linearProbing() },
  );
  const stock = await HashMap.from(
    gpu,
    { keys: new Uint32Array([1001, 1003, 1004]), values: new Uint32Array([4, 100, 1]) },
    { scheme: sortedArray() },
  );

  const priceFace = prices.wgsl({ name: 'prices', group: 1 });
  const stockFace = stock.wgsl({ name: 'stock', group: 2 });
  const { device } = gpu;
  const module = device.createShaderModule({
    code: `
      ${priceFace.code}
      ${stockFace.code}
      @group(0) @binding(0) var<storage, read> articles: array<u32>;
      @group(0) @binding(1) var<storage, read_write> worth: array<f32>;

      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        if (id.x >= arrayLength(&articles)) { return; }
        let price = prices_find(articles[id.x]);
        let stored = stock_find(articles[id.x]);
        worth[id.x] = select(0.0, price.value * f32(stored.value), price.found && stored.found);
      }`,
  });
  const ownLayout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: 4, buffer: { type: 'read-only-storage' } },
      { binding: 1, visibility: 4, buffer: { type: 'storage' } },
    ],
  });
  const pipeline = device.createComputePipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [ownLayout, priceFace.layout, stockFace.layout] }),
    compute: { module, entryPoint: 'main' },
  });

  const articleBuffer = gpu.upload('articles', articles);
  const worth = gpu.createBuffer('worth', articles.byteLength);
  const ownGroup = device.createBindGroup({
    layout: ownLayout,
    entries: [
      { binding: 0, resource: { buffer: articleBuffer } },
      { binding: 1, resource: { buffer: worth } },
    ],
  });
  const [bytes] = await gpu.run(
    (encoder) => {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, ownGroup);
      pass.setBindGroup(1, priceFace.bindGroup);
      pass.setBindGroup(2, stockFace.bindGroup);
      pass.dispatchWorkgroups(1);
      pass.end();
    },
    [{ buffer: worth, bytes: articles.byteLength }],
  );
  for (const buffer of [articleBuffer, worth]) buffer.destroy();
  prices.destroy();
  stock.destroy();
  return new Float32Array(bytes as ArrayBuffer);
}
