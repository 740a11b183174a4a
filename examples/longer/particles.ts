/** Particles that push each other apart: the grid is built anew every frame, and a kernel loops over the neighbours. */
import type { Gpu } from 'hashnest';
import { SpatialGrid } from 'hashnest/spatial';

/** Where the particles are after so many frames: x and y of each. Those that are nearer than 1 to each other move apart. */
export async function spreadOut(gpu: Gpu, positions: Float32Array, frames: number): Promise<Float32Array> {
  const { device } = gpu;
  const [points, count] = [gpu.upload('points', positions), positions.length / 2];
  using grid = await SpatialGrid.from(gpu, { points, count }, { radius: 1, dimensions: 2 });
  const near = grid.wgsl({ name: 'near', group: 1 });
  const code = /* wgsl */ `${near.code}
    @group(0) @binding(0) var<storage, read_write> points: array<vec2f>;
    @compute @workgroup_size(64) fn push(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= near_size()) { return; }
      let own = near_point(id.x); // in the order of cells: threads side by side read the same memory
      var away = vec2f(0.0);
      ${near.each({ at: 'own.at', body: 'away -= n.offset * (1.0 - n.squaredDistance);' })}
      points[own.index] = own.at + 0.1 * away;
    }`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const groups = [[{ binding: 0, resource: { buffer: points } }], near.entries].map((entries, group) =>
    device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries }),
  );
  for (let frame = 0; frame < frames; frame++) {
    const encoder = device.createCommandEncoder();
    grid.encodeRebuild(encoder, { points, count });
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (const [group, bound] of groups.entries()) pass.setBindGroup(group, bound);
    pass.dispatchWorkgroups(Math.ceil(count / 64));
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  const moved = await gpu.read(points, Float32Array, { length: 2 * count });
  points.destroy();
  return moved;
}
