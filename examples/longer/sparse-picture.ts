/** A sparse picture that is turned, by a fragment shader that reads its pixels from their table. */
import type { Gpu } from 'hashnest';
import { SparseImage } from 'hashnest/apps';

/** As wide as high; a multiple of 64, because rows of textures are copied in multiples of 256 bytes. */
const SIDE = 64;

const shader = (picture: string) => /* wgsl */ `${picture}
  override cosine: f32;
  override sine: f32;
  @vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
  }
  @fragment fn shade(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let middle = vec2f(${SIDE / 2}.0);
    let turned = mat2x2f(cosine, sine, -sine, cosine) * (at.xy - middle);
    return picture_nearest(turned + middle - 0.5); // the middle of the first pixel is at zero
  }`;

/** The picture turned by an angle: four bytes a pixel. */
export async function drawTurned(gpu: Gpu, pixels: Uint8ClampedArray, angle: number): Promise<Uint8ClampedArray> {
  const { device } = gpu;
  using image = await SparseImage.from(gpu, { width: SIDE, height: SIDE, pixels });
  const picture = image.wgsl({ name: 'picture', group: 0 });
  const module = device.createShaderModule({ code: shader(picture.code) });
  const pipeline = device.createRenderPipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [picture.layout] }),
    vertex: { module },
    fragment: {
      module,
      targets: [{ format: 'rgba8unorm' }],
      constants: { cosine: Math.cos(angle), sine: Math.sin(angle) },
    },
  });
  const usage = 0x10 | 0x1; // RENDER_ATTACHMENT, COPY_SRC
  const texture = device.createTexture({ size: [SIDE, SIDE], format: 'rgba8unorm', usage });
  const drawn = gpu.createBuffer('drawn', 4 * SIDE * SIDE);
  const [bytes] = await gpu.run(
    (encoder) => {
      const view = texture.createView();
      const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store' }] });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, picture.bindGroup);
      pass.draw(3);
      pass.end();
      encoder.copyTextureToBuffer({ texture }, { buffer: drawn, bytesPerRow: 4 * SIDE }, [SIDE, SIDE]);
    },
    [{ buffer: drawn, bytes: 4 * SIDE * SIDE }],
  );
  texture.destroy();
  drawn.destroy();
  return new Uint8ClampedArray(bytes as ArrayBuffer);
}
