/** Shaders that search a collection that lives, and ask for what they miss. */
import { describe, expect, it } from 'vitest';
import {
  DestroyedError,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  type Gpu,
  InvalidInputError,
  type ShaderFace,
  tuple,
  u32,
  utf8,
  valueTypes,
  vec3i,
} from '../../src/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

/** Encodes a shader of a caller's own; `code` sees `i`, and the words of the input, `given`, and of `output`. */
function encodeShader(
  { device }: Gpu,
  encoder: GPUCommandEncoder,
  call: { face: ShaderFace; code: string; input: GPUBuffer; output: GPUBuffer; items: number },
): void {
  const { face, code, input, output, items } = call;
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: 4, buffer: { type: 'read-only-storage' } },
      { binding: 1, visibility: 4, buffer: { type: 'storage' } },
    ],
  });
  const module = device.createShaderModule({
    code: `
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
${face.code}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= ${items}u) { return; }
  ${code}
}`,
  });
  const pass = encoder.beginComputePass();
  pass.setPipeline(
    device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout, face.layout] }),
      compute: { module, entryPoint: 'main' },
    }),
  );
  const entries = [input, output].map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
  pass.setBindGroup(1, face.bindGroup);
  pass.dispatchWorkgroups(Math.ceil(items / 64));
  pass.end();
}

const upTo = (count: number): Uint32Array<ArrayBuffer> => Uint32Array.from({ length: count }, (_, i) => i);

describe('requests of shaders', () => {
  it('are taken by the next batch, whose count only the GPU knows', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: vec3i, value: valueTypes.vec3f, reserve: 2000 });
    using requests = await map.requests(500);
    const face = map.wgsl({ name: 'cells', group: 1, requests });
    const items = 700;
    const input = buffers.upload(upTo(items));
    const output = buffers.words(items);
    const code = `
  let key = vec3i(i32(given[i]) - 5, 7, -1);
  let hit = cells_find(key);
  output[i] = 2u;
  if (hit.found) { output[i] = u32(hit.value.z); }
  else if (i % 2u == 0u) { output[i] = u32(cells_request(key, vec3f(0.5, f32(i), f32(i + 10u)))); }`;
    for (let frame = 0; frame < 2; frame++) {
      await gpu.run((encoder) => {
        encodeShader(gpu, encoder, { face, code, input, output, items });
        map.encodeInsertRequests(encoder, requests);
      });
      expect(await map.settle()).toEqual({ left: 0 });
      expect(map.size).toBe(350);
      const expected = [...upTo(items)].map((i) => (i % 2 ? 2 : frame === 0 ? 1 : i + 10));
      expect([...(await buffers.read(output, items))]).toEqual(expected);
      expect(await buffers.read(requests.count, 1)).toEqual(Uint32Array.of(0));
    }
    expect(face.isCurrent).toBe(true);
    const { values } = await map.get(Int32Array.of(3, 7, -1));
    expect([...values]).toEqual([0.5, 8, 18]);
  });

  it('are refused when the list is full, and nothing else happens to them', async () => {
    using buffers = new TestBuffers(gpu);
    using set = await DynamicSet.create(gpu, { key: u32, reserve: 1000 });
    using requests = await set.requests(100);
    expect(requests.capacity).toBe(100);
    const face = set.wgsl({ name: 'seen', group: 1, requests });
    const input = buffers.upload(upTo(300));
    const output = buffers.words(300);
    const code = 'output[i] = u32(seen_request(given[i] * 3u));';
    await gpu.run((encoder) => {
      encodeShader(gpu, encoder, { face, code, input, output, items: 300 });
      set.encodeInsertRequests(encoder, requests);
    });
    await set.settle();
    const taken = [...(await buffers.read(output, 300))];
    expect(taken.filter((flag) => flag === 1)).toHaveLength(100);
    expect([...(await set.has(upTo(300).map((i) => 3 * i)))]).toEqual(taken);
    expect(set.size).toBe(100);
  });

  it('of many words may go to a list that has room for none', async () => {
    using buffers = new TestBuffers(gpu);
    using set = await DynamicSet.create(gpu, { key: tuple(vec3i, vec3i) });
    using requests = await set.requests(0);
    const face = set.wgsl({ name: 'seen', group: 1, requests });
    const input = buffers.upload(upTo(3));
    const output = buffers.words(3);
    const code = `
  let key = seen_Tuple(vec3i(i32(given[i])), vec3i(1));
  output[i] = u32(seen_request(key));`;
    await gpu.run((encoder) => {
      encodeShader(gpu, encoder, { face, code, input, output, items: 3 });
      set.encodeInsertRequests(encoder, requests);
    });
    expect(await set.settle()).toEqual({ left: 0 });
    const taken = await buffers.read(output, 3);
    expect(set.size).toBe(requests.capacity);
    expect(taken.reduce((sum, flag) => sum + flag, 0)).toBe(requests.capacity);
  });

  it('get ids from an index, copies the same', async () => {
    using buffers = new TestBuffers(gpu);
    using index = await DynamicIndex.create(gpu, { key: u32, reserve: 1000 });
    using requests = await index.requests(400);
    const face = index.wgsl({ name: 'blocks', group: 1, requests });
    const input = buffers.upload(upTo(300));
    const output = buffers.words(300);
    const ids = buffers.words(400);
    const code = 'output[i] = u32(blocks_request(given[i] % 90u));';
    await gpu.run((encoder) => {
      encodeShader(gpu, encoder, { face, code, input, output, items: 300 });
      index.encodeActivateRequests(encoder, requests, { ids });
    });
    await index.settle();
    expect(index.size).toBe(90);
    expect([...(await index.activeIds())]).toEqual([...upTo(90)]);
    expect(index.idLimit).toBe(90);
    expect([...(await buffers.read(ids, 300))].every((id) => id < 90)).toBe(true);
  });

  it('of strings point into bytes of the caller', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: utf8, reserve: 100 });
    await map.reserve(100, 1000);
    using requests = await map.requests(10);
    const face = map.wgsl({ name: 'names', group: 1, context: 'given', requests });
    const input = buffers.upload(new Uint32Array(new TextEncoder().encode('adabyron').buffer));
    const output = buffers.words(4);
    const code = 'output[i] = u32(names_request(vec2u(3u * i, 3u + 2u * i), i + 1815u));';
    await gpu.run((encoder) => {
      encodeShader(gpu, encoder, { face, code, input, output, items: 2 });
      map.encodeInsertRequests(encoder, requests, { context: input });
    });
    await map.settle();
    expect([...(await map.get(['ada', 'byron', 'lord'])).values]).toEqual([1815, 1816, 0]);
  });

  it('that were destroyed are refused, and a face with them is not current', async () => {
    using map = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    using set = await DynamicSet.create(gpu, { key: u32 });
    using index = await DynamicIndex.create(gpu, { key: u32 });
    for (const collection of [map, set, index]) {
      const requests = await collection.requests(4);
      const face = collection.wgsl({ name: 'table', group: 1, requests });
      expect(face.isCurrent).toBe(true);
      requests.destroy();
      expect(face.isCurrent).toBe(false);
      expect(face.entriesNow()).toEqual([]);
      expect(() => collection.wgsl({ name: 'table', group: 1, requests })).toThrow(DestroyedError);
      const encoder = gpu.device.createCommandEncoder();
      const ids = gpu.createBuffer('ids', 16);
      expect(() => {
        if (collection instanceof DynamicIndex) collection.encodeActivateRequests(encoder, requests, { ids });
        else collection.encodeInsertRequests(encoder, requests);
      }).toThrow('these requests were destroyed');
      ids.destroy();
    }
  });

  it('belong to collections of the same types', async () => {
    using map = await DynamicMap.create(gpu, { key: u32 });
    using set = await DynamicSet.create(gpu, { key: u32 });
    using requests = await map.requests(4);
    const encoder = gpu.device.createCommandEncoder();
    expect(() => set.encodeInsertRequests(encoder, requests)).toThrow(InvalidInputError);
    expect(() => set.wgsl({ name: 'a', group: 1, requests })).toThrow(InvalidInputError);
    expect(() => map.wgsl({ name: 'a', group: 1, requests: {} as never })).toThrow(InvalidInputError);
    expect(() => map.wgsl({ name: 'a', group: 1, requets: requests } as never)).toThrow(/requests/);
    expect(() => map.encodeInsertRequests(encoder, undefined as never)).toThrow(InvalidInputError);
    expect(() => map.encodeInsertRequests(encoder, requests, { onExisting: 'add' as never })).toThrow(
      InvalidInputError,
    );
    // Types are the same if they are the same object: one of the same name may lay out its keys in another way.
    using own = await DynamicMap.create(gpu, { key: { ...u32 } });
    using floats = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    using same = await DynamicMap.create(gpu, { key: u32 });
    expect(() => own.encodeInsertRequests(encoder, requests)).toThrow(InvalidInputError);
    expect(() => floats.encodeInsertRequests(encoder, requests)).toThrow(
      'the requests are u32 keys with u32 values, not the u32 keys with f32 values of the table',
    );
    expect(() => same.encodeInsertRequests(encoder, requests)).not.toThrow();
    await expect(map.requests(-1)).rejects.toThrow(InvalidInputError);
    await expect(map.requests(2 ** 40)).rejects.toThrow(/requests/);
  });
});
