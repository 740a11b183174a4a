/** Textures that are drawn and looked at. */
import type { Gpu } from '../../src/gpu/index.ts';

const RENDER_ATTACHMENT = 0x10;
const COPY_SRC = 0x1;

/** The usage of such a texture. */
export const RENDERED = RENDER_ATTACHMENT | COPY_SRC;

/** Rows of a texture are copied in multiples of this. */
const ROW_BYTES = 256;

/** A texture after some commands: rows of words, of which only the first are its own. */
interface Texels {
  readonly words: Uint32Array;
  readonly wordsPerRow: number;
  readonly width: number;
  readonly height: number;
}

/** Reads a texture of four bytes a texel, after some commands. */
export async function readTexture(
  gpu: Gpu,
  texture: GPUTexture,
  commands: (encoder: GPUCommandEncoder) => void,
): Promise<Texels> {
  const { width, height } = texture;
  const bytesPerRow = Math.ceil((4 * width) / ROW_BYTES) * ROW_BYTES;
  const [buffer] = (await gpu.allocate([{ label: 'figures/texels', bytes: bytesPerRow * height }])) as [GPUBuffer];
  try {
    const [bytes] = await gpu.run(
      (encoder) => {
        commands(encoder);
        encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
      },
      [{ buffer, bytes: bytesPerRow * height }],
    );
    return { words: new Uint32Array(bytes as ArrayBuffer), wordsPerRow: bytesPerRow / 4, width, height };
  } finally {
    buffer.destroy();
  }
}

/** How many texels are not as they should be. */
export function wrongTexels({ words, wordsPerRow, width, height }: Texels, expected: Uint32Array): number {
  let wrong = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) wrong += Number(words[x + wordsPerRow * y] !== expected[x + width * y]);
  }
  return wrong;
}
