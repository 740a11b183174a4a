import { Gpu, HashMap } from 'hashnest';

const gpu = await Gpu.open(); // a real GPU if there is one, else a software one
const items = { keys: new Uint32Array([7, 9, 0xffffffff]), values: new Float32Array([0.5, 2, 80]) };
const prices = await HashMap.from(gpu, items);

// 1. Host: arrays in, arrays out.
const { values, found } = await prices.get(new Uint32Array([9, 8]));
console.log(values, found); // Float32Array [2, 0], Uint8Array [1, 0]

// 2. Encoder: buffers in, buffers out, recorded into your own command encoder.
const queries = gpu.upload('queries', new Uint32Array([7, 8, 9, 0xffffffff]));
const answers = gpu.createBuffer('answers', 4 * 4);
const encoder = gpu.device.createCommandEncoder();
prices.encodeGet(encoder, { queries, values: answers, count: 4, missing: -1 });

// 3. Shader: the same search as a function in a kernel of your own.
const face = prices.wgsl({ name: 'prices', group: 1 });
const code = `${face.code}
  @group(0) @binding(0) var<storage, read> queries: array<u32>;
  @group(0) @binding(1) var<storage, read_write> answers: array<f32>;
  @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let hit = prices_find(queries[i]);
    if (hit.found) { answers[i] += 100.0 * hit.value; }
  }`;
const module = gpu.device.createShaderModule({ code });
const pipeline = gpu.device.createComputePipeline({ layout: 'auto', compute: { module } });
const own = [queries, answers].map((buffer, binding) => ({ binding, resource: { buffer } }));
const pass = encoder.beginComputePass();
pass.setPipeline(pipeline);
for (const [group, entries] of [own, face.entries].entries()) {
  pass.setBindGroup(group, gpu.device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries }));
}
pass.dispatchWorkgroups(1);
pass.end();
gpu.device.queue.submit([encoder.finish()]);

console.log(await gpu.read(answers, Float32Array)); // Float32Array [50.5, -1, 202, 8080]
gpu.destroy();
