/**
 * A table on the device of luma.gl
 *
 * Whoever has opened a device, `Gpu.from` takes it: in luma.gl it is the `handle` of a device, and that of a buffer is a `GPUBuffer`. The other way round, a
 * buffer of luma.gl is made for each buffer of the table, by its handle; luma.gl knows what the shader calls them.
 */
import { Buffer, type Device } from '@luma.gl/core';
import { Gpu, HashMap } from 'hashnest';

/** What some items cost, or −1 where nobody knows. */
export async function pricesOf(device: Device, wanted: Uint32Array): Promise<Float32Array> {
  const gpu = Gpu.from(device.handle as GPUDevice);
  using map = await HashMap.from(gpu, { keys: new Uint32Array([7, 9]), values: new Float32Array([0.5, 2]) });
  const face = map.wgsl({ name: 'prices', group: 0, firstBinding: 2 });
  const source = /* wgsl */ `${face.code}
    @group(0) @binding(0) var<storage, read> wanted: array<u32>;
    @group(0) @binding(1) var<storage, read_write> answers: array<f32>;
    @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
      let hit = prices_find(wanted[id.x]);
      answers[id.x] = select(-1.0, hit.value, hit.found);
    }`;
  const shader = device.createShader({ stage: 'compute', language: 'wgsl', source });
  const pipeline = device.createComputePipeline({ shader, entryPoint: 'main' });
  const [queries, answers] = [wanted, new Float32Array(wanted.length)].map((data) =>
    device.createBuffer({ data, usage: Buffer.STORAGE | Buffer.COPY_SRC }),
  ) as [Buffer, Buffer];
  const lent = face.entries.map(({ resource }) => (resource as GPUBufferBinding).buffer);
  const own = lent.map((handle) => device.createBuffer({ handle, byteLength: handle.size }));
  const buffers = [queries, answers, ...own];
  const { bindings } = pipeline.shaderLayout;
  pipeline.setBindings(Object.fromEntries(bindings.map(({ name, location }) => [name, buffers[location] as Buffer])));
  const pass = device.beginComputePass({});
  pass.setPipeline(pipeline);
  pass.dispatch(wanted.length);
  pass.end();
  device.submit();
  return gpu.read(answers.handle as GPUBuffer, Float32Array);
}
