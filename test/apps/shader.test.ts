import { describe, expect, it } from 'vitest';
import { SparseImage, SparseVolume } from '../../src/apps.ts';
import { HashMap } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { sparseWords, WHITE, WHITE_BYTES } from './pictures.ts';

const gpu = await sharedGpu();
const { device } = gpu;

const COPY_SRC = 0x1;
const TEXTURE_BINDING = 0x4;
const STORAGE_BINDING = 0x8;
const RENDER_ATTACHMENT = 0x10;
/** Rows of a texture are copied in multiples of this. */
const ROW_BYTES = 256;

/** The texels of a texture, a word each. */
async function texels(texture: GPUTexture): Promise<Uint32Array> {
  const { width, height, depthOrArrayLayers: depth } = texture;
  const bytesPerRow = Math.ceil((4 * width) / ROW_BYTES) * ROW_BYTES;
  const buffer = gpu.createBuffer('test/texels', bytesPerRow * height * depth);
  const [bytes] = await gpu.run(
    (encoder) =>
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow, rowsPerImage: height }, [width, height, depth]),
    [{ buffer, bytes: buffer.size }],
  );
  buffer.destroy();
  const rows = new Uint32Array(bytes as ArrayBuffer);
  return Uint32Array.from({ length: width * height * depth }, (_, i) => {
    const row = Math.floor(i / width);
    return rows[(row * bytesPerRow) / 4 + (i % width)] as number;
  });
}

const textureOf = (size: readonly [number, number, number], usage: number, dimension: '2d' | '3d' = '2d') =>
  device.createTexture({ size, usage: usage | COPY_SRC, format: 'rgba8unorm', dimension });

const imageOf = (width: number, height: number, pixels: Uint32Array) =>
  SparseImage.from(gpu, { width, height, pixels }, { background: WHITE_BYTES });

describe('in a fragment shader, a sparse image', () => {
  it('is drawn pixel by pixel, and background around it', async () => {
    const [width, height, edge] = [93, 57, 4];
    const pixels = sparseWords(width * height, 0.4, WHITE);
    using image = await imageOf(width, height, pixels);
    const face = image.wgsl({ name: 'picture', group: 0 });
    const code = `${face.code}
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn shade(@builtin(position) at: vec4f) -> @location(0) vec4f {
  return picture_colour(vec2i(at.xy) - ${edge});
}`;
    const module = device.createShaderModule({ code });
    const pipeline = device.createRenderPipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [face.layout] }),
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba8unorm' }] },
    });
    const texture = textureOf([width + 2 * edge, height + 2 * edge, 1], RENDER_ATTACHMENT);
    await gpu.run((encoder) => {
      const view = texture.createView();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, face.bindGroup);
      pass.draw(3);
      pass.end();
    });
    const drawn = await texels(texture);
    const expected = drawn.map((_, i) => {
      const [x, y] = [(i % texture.width) - edge, Math.floor(i / texture.width) - edge];
      return x >= 0 && x < width && y >= 0 && y < height ? (pixels[x + width * y] as number) : WHITE;
    });
    expect(drawn).toEqual(expected);
    texture.destroy();
  });
});

/** Runs statements that write words of `results`, with faces of the given collections. */
async function compute(
  faces: readonly { code: string; bindGroup: GPUBindGroup; layout: GPUBindGroupLayout }[],
  words: number,
  statements: string,
) {
  const own = device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 4, buffer: { type: 'storage' } }] });
  const code = `${faces.map((face) => face.code).join('\n')}
@group(${faces.length}) @binding(0) var<storage, read_write> results: array<u32>;
@compute @workgroup_size(1) fn main() { ${statements} }`;
  const pipeline = device.createComputePipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [...faces.map(({ layout }) => layout), own] }),
    compute: { module: device.createShaderModule({ code }) },
  });
  const buffer = gpu.createBuffer('test/results', 4 * words);
  const [bytes] = await gpu.run(
    (encoder) => {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      for (const [group, { bindGroup }] of faces.entries()) pass.setBindGroup(group, bindGroup);
      pass.setBindGroup(
        faces.length,
        device.createBindGroup({ layout: own, entries: [{ binding: 0, resource: { buffer } }] }),
      );
      pass.dispatchWorkgroups(1);
      pass.end();
    },
    [{ buffer, bytes: 4 * words }],
  );
  buffer.destroy();
  return [...new Uint32Array(bytes as ArrayBuffer)];
}

describe('in a compute shader', () => {
  it('two images and a map are read beside each other', async () => {
    using left = await SparseImage.from(gpu, {
      width: 4,
      height: 3,
      points: Int32Array.of(1, 2),
      colours: Uint32Array.of(77),
    });
    const right = { width: 9, height: 9, points: Int32Array.of(1, 2), colours: Uint32Array.of(88) };
    using other = await SparseImage.from(gpu, right, { background: [1, 0, 0, 0] });
    using map = await HashMap.from(gpu, { keys: Uint32Array.of(5), values: Uint32Array.of(66) });
    const faces = [left, other, map].map((made, group) => made.wgsl({ name: `t${group}`, group }));
    const results = await compute(
      faces,
      7,
      `results[0] = t0_word(vec2i(1, 2)); results[1] = t1_word(vec2i(1, 2)); results[2] = t2_find(5u).value;
       results[3] = t0_word(vec2i(2, 2)); results[4] = t1_word(vec2i(-1, 2));
       results[5] = u32(t0_has(vec2i(1, 2))); results[6] = u32(t0_has(vec2i(5, 1)));`,
    );
    expect(results).toEqual([77, 88, 66, 0, 1, 1, 0]);
  });

  it('the pixel nearest to a point is found, and background where there is none', async () => {
    const pixels = Uint32Array.of(0xff000001, 0xff000002, 0xff000003, 0xff000004);
    using image = await SparseImage.from(gpu, { width: 2, height: 2, pixels });
    const points = [
      '0.0, 0.0',
      '0.4, 0.6',
      '0.6, 0.4',
      '-0.4, 1.4',
      '-0.6, 0.0',
      '1.6, 0.0',
      '1e30, 0.0',
      '-1e30, 1.0',
    ];
    const results = await compute(
      [image.wgsl({ name: 'picture', group: 0 })],
      points.length,
      points.map((point, i) => `results[${i}] = pack4x8unorm(picture_nearest(vec2f(${point})));`).join('\n'),
    );
    expect(results).toEqual([0xff000001, 0xff000003, 0xff000002, 0xff000003, 0, 0, 0, 0]);
  });

  it('a volume is read by whole coordinates and by points', async () => {
    const volume = {
      width: 3,
      height: 4,
      depth: 5,
      points: Int32Array.of(2, 3, 4, 0, 1, 2),
      colours: Uint32Array.of(5, 6),
    };
    using made = await SparseVolume.from(gpu, volume, { background: [9, 0, 0, 0] });
    const results = await compute(
      [made.wgsl({ name: 'body', group: 0 })],
      6,
      `results[0] = body_word(vec3i(2, 3, 4)); results[1] = body_word(vec3i(0, 1, 2)); results[2] = body_word(vec3i(0, 1, 5));
       results[3] = pack4x8unorm(body_nearest(vec3f(2.3, 2.7, 4.2))); results[4] = pack4x8unorm(body_colour(vec3i(0, 1, 2)));
       results[5] = u32(body_has(vec3i(0, 1, 2)));`,
    );
    expect(results).toEqual([5, 6, 9, 5, 6, 1]);
  });

  it('stays good when the picture is rebuilt', async () => {
    const pixels = gpu.upload('test/pixels', Uint32Array.of(1, 2, 3, 4));
    const others = gpu.upload('test/pixels', Uint32Array.of(0, 6, 0, 8));
    let image: SparseImage | undefined;
    await gpu.run((encoder) => {
      image = SparseImage.encodeBuild(gpu, encoder, { width: 2, height: 2, pixels });
    });
    const face = (await image?.settle())?.wgsl({ name: 'picture', group: 0 });
    if (!image || !face) throw new Error('there is none');
    await gpu.run((encoder) => image?.encodeRebuild(encoder, { pixels: others }));
    expect(face.isCurrent).toBe(true);
    const read = (x: number, y: number) => `picture_word(vec2i(${x}, ${y}))`;
    const results = await compute(
      [face],
      4,
      [read(0, 0), read(1, 0), read(0, 1), read(1, 1)].map((word, i) => `results[${i}] = ${word};`).join(' '),
    );
    expect(results).toEqual([0, 6, 0, 8]);
    for (const made of [image, pixels, others]) made.destroy();
  });
});

describe('into a texture', () => {
  it.each([
    [1, 1],
    [7, 9],
    [64, 8],
    [130, 71],
  ])('an image of %i × %i is unpacked', async (width, height) => {
    const pixels = sparseWords(width * height, 0.5, WHITE);
    using image = await imageOf(width, height, pixels);
    const output = textureOf([width, height, 1], STORAGE_BINDING);
    await gpu.run((encoder) => image.encodeUnpack(encoder, { output }));
    expect(await texels(output)).toEqual(pixels);
    output.destroy();
  });

  it('a volume is unpacked, and a slice of it is drawn', async () => {
    const [width, height, depth] = [13, 9, 5];
    const voxels = sparseWords(width * height * depth, 0.5, 0);
    using volume = await SparseVolume.from(gpu, { width, height, depth, voxels });
    const whole = textureOf([width, height, depth], STORAGE_BINDING, '3d');
    const layer = textureOf([width, height, 1], STORAGE_BINDING);
    await gpu.run((encoder) => {
      const pass = encoder.beginComputePass();
      volume.encodeUnpack(pass, { output: whole });
      volume.encodeSlice(pass, { origin: [0, 0, 2], u: [1, 0, 0], v: [0, 1, 0], width, height, output: layer });
      pass.end();
    });
    expect(await texels(whole)).toEqual(voxels);
    expect(await texels(layer)).toEqual(voxels.slice(2 * width * height, 3 * width * height));
    for (const texture of [whole, layer]) texture.destroy();
  });

  it('nothing is drawn that does not fit', async () => {
    using image = await imageOf(4, 4, sparseWords(16, 0.5, WHITE));
    const encoder = device.createCommandEncoder();
    const refused = (output: GPUTexture, message: RegExp) => {
      expect(() => image.encodeUnpack(encoder, { output })).toThrow(message);
      output.destroy();
    };
    refused(textureOf([4, 5, 1], STORAGE_BINDING), /4 × 5 × 1 texels, not 4 × 4 × 1/);
    refused(textureOf([4, 4, 2], STORAGE_BINDING), /4 × 4 × 2 texels/);
    refused(textureOf([4, 4, 1], TEXTURE_BINDING), /usage STORAGE_BINDING/);
    refused(textureOf([4, 4, 1], STORAGE_BINDING, '3d'), /is 3d, not 2d/);
    refused(
      device.createTexture({ size: [4, 4], usage: STORAGE_BINDING, format: 'rgba32float' }),
      /is rgba32float, not rgba8unorm/,
    );
  });
});
