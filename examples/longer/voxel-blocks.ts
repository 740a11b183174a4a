/**
 * Blocks of space that come and go, every frame, with nothing read back: particles look for the block that they are in, count
 * themselves in an array by its id, and ask for it if it is not there; blocks that nobody needs any more are released, and
 * their ids, which are rows of the array, are given to others.
 */
import { DynamicIndex, type Gpu, vec3i } from 'hashnest';

const PARTICLES = 160;

const shader = (blocks: string) => /* wgsl */ `${blocks}
  @group(0) @binding(0) var<storage, read_write> hits: array<atomic<u32>>;
  @group(0) @binding(1) var<uniform> frame: u32;
  @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= ${PARTICLES}u) { return; }
    let block = vec3i(i32(id.x / 16u + frame), 0, -1);
    let hit = blocks_find(block);
    if (hit.found) { atomicAdd(&hits[hit.value], 1u); } else { blocks_request(block); }
  }`;

/** How many blocks there are in the end, how many rows the array needed, and how often somebody was counted. */
export async function blocksInTheEnd(
  gpu: Gpu,
  frames: number,
): Promise<{ blocks: number; rows: number; hits: number }> {
  const { device } = gpu;
  using index = await DynamicIndex.create(gpu, { key: vec3i, reserve: 1000 });
  using requests = await index.requests(PARTICLES);
  const hits = gpu.createBuffer('hits', 4 * 1000);
  const ids = gpu.createBuffer('ids', 4 * PARTICLES);
  const leaving = Array.from({ length: frames }, (_, i) => gpu.upload('leaving', Int32Array.of(i, 0, -1)));

  const face = index.wgsl({ name: 'blocks', group: 1, requests });
  const module = device.createShaderModule({ code: shader(face.code) });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const [layout, tableLayout] = [pipeline.getBindGroupLayout(0), pipeline.getBindGroupLayout(1)];
  const table = device.createBindGroup({ layout: tableLayout, entries: face.entries });

  for (const [frame, keys] of leaving.entries()) {
    const own = [hits, gpu.constants(frame)].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout, entries: own }));
    pass.setBindGroup(1, table);
    pass.dispatchWorkgroups(Math.ceil(PARTICLES / 64));
    pass.end();
    // Many particles ask for one block: it gets one id. How many asked is known only to the GPU.
    index.encodeActivateRequests(encoder, requests, { ids });
    index.encodeRelease(encoder, { keys, count: 1 });
    device.queue.submit([encoder.finish()]);
  }

  // Tells whether there was room for all: nobody has looked yet.
  const { left } = await index.settle();
  if (left > 0) throw new Error(`${left} requests found no room: reserve more`);
  const [counted] = await gpu.run(() => {}, [{ buffer: hits, bytes: 4 * index.idLimit }]);
  for (const buffer of [hits, ids, ...leaving]) buffer.destroy();
  const total = new Uint32Array(counted as ArrayBuffer).reduce((sum, count) => sum + count, 0);
  return { blocks: index.size, rows: index.idLimit, hits: total };
}
