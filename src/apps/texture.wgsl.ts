/** Drawing into a texture. The linker knows buffers only, so the texture is in a group of its own. */
import { bindEntries, InvalidInputError, layoutEntries, pipelineOf, type Recorder } from '../gpu/index.ts';
import type { Searchable } from '../table/searchable.ts';
import { link } from '../wgsl/index.ts';
import { type Drawing, drawnWord } from './drawing.wgsl.ts';
import type { Sides } from './places.wgsl.ts';

const LABEL = 'hashnest/apps/texture';
const FORMAT = 'rgba8unorm';
/** The usage of textures that kernels write. */
export const STORAGE_BINDING = 0x8;
const COMPUTE = 0x4;
/** Pixels of a workgroup along each side. */
const TILE = 8;

/** Throws unless kernels can write all pixels of the drawing into the texture, and no others. */
export function requireTexture(texture: GPUTexture, [width, height, depth]: Sides, dimension: '2d' | '3d'): void {
  const fault =
    texture.format !== FORMAT
      ? `is ${texture.format}, not ${FORMAT}`
      : !(texture.usage & STORAGE_BINDING)
        ? 'must have the usage STORAGE_BINDING'
        : texture.dimension !== dimension
          ? `is ${texture.dimension}, not ${dimension}`
          : texture.width !== width || texture.height !== height || texture.depthOrArrayLayers !== depth
            ? `has ${texture.width} × ${texture.height} × ${texture.depthOrArrayLayers} texels, not ${width} × ${height} × ${depth}`
            : undefined;
  if (fault) throw new InvalidInputError(`output: the texture ${fault}`);
}

/** Records a drawing into a texture. */
export function recordTexture(recorder: Recorder, table: Searchable, drawing: Drawing, texture: GPUTexture): void {
  const { gpu, pass } = recorder;
  const { device } = gpu;
  const { dimension } = texture;
  const word = drawnWord(table.reading, drawing.kind);
  const { code: drawn, bindings, nameOf } = link([word]);
  const at = dimension === '3d' ? 'pixel' : 'pixel.xy';
  const layouts = [layoutEntries(bindings, COMPUTE), [textureLayout(dimension as '2d' | '3d')]];
  const code = `${drawn}
@group(1) @binding(0) var drawnTexture: texture_storage_${dimension}<${FORMAT}, write>;
@compute @workgroup_size(${TILE}, ${TILE}) fn drawTexture(@builtin(global_invocation_id) pixel: vec3u) {
  if (any(${at} >= textureDimensions(drawnTexture))) { return; }
  textureStore(drawnTexture, ${at}, unpack4x8unorm(${nameOf(word)}(pixel)));
}`;
  const made = pipelineOf(gpu, { label: LABEL, code, entryPoint: 'drawTexture', layouts });
  const entries = [
    bindEntries(bindings, [...table.bound, ...drawing.bound]),
    [{ binding: 0, resource: texture.createView({ baseMipLevel: 0, mipLevelCount: 1 }) }],
  ];
  pass.setPipeline(made.pipeline);
  for (const [group, layout] of made.layouts.entries()) {
    const own = entries[group] as GPUBindGroupEntry[];
    pass.setBindGroup(group, device.createBindGroup({ label: LABEL, layout, entries: own }));
  }
  const [width, height, depth] = drawing.size;
  pass.dispatchWorkgroups(Math.ceil(width / TILE), Math.ceil(height / TILE), depth);
}

const textureLayout = (viewDimension: '2d' | '3d'): GPUBindGroupLayoutEntry => ({
  binding: 0,
  visibility: COMPUTE,
  storageTexture: { access: 'write-only', format: FORMAT, viewDimension },
});
