import type { Gpu } from '../../../src/gpu/index.ts';
import { type GridFace, SpatialGrid } from '../../../src/spatial.ts';
import type { Contestant } from '../contest.ts';
import { timedOnGpu } from '../times.ts';
import type { Particles } from './particles.ts';

const THREADS = 256;

/** A loop over the neighbours of `own`, which adds to `found`. */
type Loop = (near: GridFace) => string;

const BODY = 'found += vec2u(1u, n.index);';
const eachLoop: Loop = (near) => near.each({ at: 'own.at', body: BODY });
const nextLoop: Loop = () => `for (var n = near_around(own.at); near_next(&n);) { ${BODY} }`;

/** The loop in a shader as users write it. */
function queryOf({ device }: Gpu, grid: SpatialGrid, sums: GPUBuffer, count: number, loop: Loop) {
  const near = grid.wgsl({ name: 'near', group: 1 });
  const code = /* wgsl */ `${near.code}
    @group(0) @binding(0) var<storage, read_write> sums: array<vec2u>;
    @compute @workgroup_size(${THREADS}) fn query(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= near_size()) { return; }
      let own = near_point(id.x);
      var found = vec2u(0u);
      ${loop(near)}
      sums[own.index] = found;
    }`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const groups = [[{ binding: 0, resource: { buffer: sums } }], near.entries].map((entries, group) =>
    device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries }),
  );
  return (encoder: GPUCommandEncoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (const [group, bound] of groups.entries()) pass.setBindGroup(group, bound);
    pass.dispatchWorkgroups(Math.ceil(count / THREADS));
    pass.end();
  };
}

/** A grid without a box. */
const inSpatialGrid = (name: string, loop: Loop): Contestant<Particles, Uint32Array> => ({
  name,
  library: 'hashnest',
  clock: 'gpu',
  prepare: async ({ points, count, radius }, { gpu, keep }) => {
    const input = { points: keep(gpu.upload('beside/points', points)), count };
    const sums = keep(gpu.createBuffer('beside/sums', 8 * count));
    const grid = keep(await SpatialGrid.from(gpu, input, { radius }));
    const query = queryOf(gpu, grid, sums, count, loop);
    return {
      run: () => timedOnGpu(gpu, { build: (encoder) => grid.encodeRebuild(encoder, input), query }),
      answer: () => gpu.read(sums, Uint32Array, { length: 2 * count }),
    };
  },
});

export const neighboursInSpatialGrid = [
  inSpatialGrid('Hashnest', eachLoop),
  inSpatialGrid('Hashnest, near_next', nextLoop),
] as const;
