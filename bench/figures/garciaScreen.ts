/**
 * Figure 10 of García et al. 2011: a picture is turned on the screen by a fragment shader that asks the table for every pixel. Keys are
 * the numbers of the picture's pixels in one of three orders.
 */
import type { Gpu } from '../../src/gpu/index.ts';
import {
  bitReversed,
  HashMap,
  link,
  morton,
  type PlaceOrder,
  robinHood,
  rowMajor,
  type SequenceName,
} from '../../src/index.ts';
import { measureDrawing } from '../measure.ts';
import { type Picture, WHITE } from '../pictures/index.ts';
import { placesIn } from './garciaPictures.ts';

const ORDERS = {
  rowMajor: (side: number) => rowMajor(side, side),
  morton: () => morton,
  /** Bits of both coordinates reversed, then Morton order. */
  bitReversed: (side: number) => bitReversed(Math.max(1, Math.ceil(Math.log2(side)))),
} as const satisfies Readonly<Record<string, (side: number) => PlaceOrder>>;

/** The orders of the figure. */
export type OrderName = keyof typeof ORDERS;
export const ORDER_NAMES = Object.keys(ORDERS) as OrderName[];

export interface ScreenRequest {
  readonly order: OrderName;
  readonly sequence: SequenceName;
  readonly load: number;
  /** Width and height of the screen. */
  readonly screen: number;
  /** Angles that the picture is turned by, evenly over a whole turn. */
  readonly angles: number;
  readonly repeat: number;
  readonly seed: number;
}

export interface ScreenRecord extends ScreenRequest {
  readonly items: number;
  readonly loadFactor: number;
  /** Of one picture on the screen. */
  readonly frameMs: number;
  /** Pixels of the screen that lie on the picture, averaged over the angles. */
  readonly queries: number;
  readonly queriesPerSecond: number;
  readonly wrong: number;
}

/** Directions are whole numbers, so that the host finds out which pixel is meant without rounding otherwise. */
const ONE = 1 << 14;
const RENDER_ATTACHMENT = 0x10;
const COPY_SRC = 0x1;
const UNIFORM = 0x40;
const COPY_DST = 0x8;
const FRAGMENT = 0x2;
/** Rows of a texture are copied in multiples of this. */
const ROW_BYTES = 256;

/** The way from one pixel of the screen to the next, as columns and rows of the picture, each times `ONE`. */
type Direction = readonly [cosine: number, sine: number];

const directionOf = (angle: number): Direction => [
  Math.round(ONE * Math.cos(angle)),
  Math.round(ONE * Math.sin(angle)),
];

/** Which pixel of the picture is at a pixel of the screen; both have their middles at the same place. */
export function pixelAt(
  [cosine, sine]: Direction,
  { screen, side }: { readonly screen: number; readonly side: number },
  x: number,
  y: number,
): [column: number, row: number] {
  const [across, down] = [x - (screen >> 1), y - (screen >> 1)];
  return [
    (Math.imul(cosine, across) - Math.imul(sine, down)) / ONE + (side >> 1),
    (Math.imul(sine, across) + Math.imul(cosine, down)) / ONE + (side >> 1),
  ].map(Math.floor) as [number, number];
}

const shaderCode = (face: string, places: string, { side, screen }: { side: number; screen: number }): string => `
${face}
${places}
@group(1) @binding(0) var<uniform> direction: vec2i;
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn shade(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let at = vec2i(position.xy) - ${screen >> 1};
  let turned = vec2i(direction.x * at.x - direction.y * at.y, direction.y * at.x + direction.x * at.y);
  // A shift rounds down, below zero too.
  let pixel = vec2u((turned >> vec2u(${Math.log2(ONE)}u)) + ${side >> 1});
  if (any(pixel >= vec2u(${side}u))) { return vec4f(1.0); }
  let hit = table_find(places_place(pixel));
  return select(vec4f(1.0), unpack4x8unorm(hit.value), hit.found);
}`;

/** Draws a square picture at all angles, and checks every pixel on the screen. */
export async function measureScreen(gpu: Gpu, picture: Picture, request: ScreenRequest): Promise<ScreenRecord> {
  const { order, sequence, load, screen, angles, repeat, seed } = request;
  const { device } = gpu;
  const { width: side } = picture;
  const numbers = placesIn(picture);
  const places = ORDERS[order](side).of(2);
  const keys = places.places(
    Uint32Array.from({ length: 2 * numbers.length }, (_, i) => {
      const number = numbers[i >> 1] as number;
      return i % 2 === 0 ? number % side : Math.floor(number / side);
    }),
  );
  const values = numbers.map((number) => picture.pixels[number] as number);
  const scheme = robinHood({ sequence, loadFactor: load });
  const map = await HashMap.from(gpu, { keys, values }, { scheme, duplicates: 'unique', seed });
  const format = 'rgba8unorm';
  const texture = await gpu.checked(() =>
    device.createTexture({
      label: 'hashnest/figures/screen',
      size: [screen, screen],
      usage: RENDER_ATTACHMENT | COPY_SRC,
      format,
    }),
  );
  const directions = Array.from({ length: angles }, (_, i) => directionOf((2 * Math.PI * i) / angles));
  const uniforms = directions.map(() => gpu.createBuffer('figures/direction', 8, UNIFORM | COPY_DST));
  try {
    const face = map.wgsl({ name: 'table', group: 0 });
    const code = shaderCode(face.code, link([places.wgsl.place], { prefix: 'places' }).code, { side, screen });
    const layout = device.createBindGroupLayout({ entries: [{ binding: 0, visibility: FRAGMENT, buffer: {} }] });
    const pipeline = await gpu.checked(() => {
      const module = device.createShaderModule({ code });
      return device.createRenderPipeline({
        layout: device.createPipelineLayout({ bindGroupLayouts: [face.layout, layout] }),
        vertex: { module },
        fragment: { module, targets: [{ format }] },
      });
    });
    const groups = uniforms.map((buffer, i) => {
      gpu.write(buffer, Int32Array.from(directions[i] as Direction));
      return device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
    });
    const draw = (pass: GPURenderPassEncoder, group: GPUBindGroup): void => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, face.bindGroup);
      pass.setBindGroup(1, group);
      pass.draw(3);
    };
    const onto: GPURenderPassDescriptor = {
      colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
    };
    const { medianMs } = await measureDrawing(
      gpu,
      onto,
      (pass) => {
        for (const group of groups) draw(pass, group);
      },
      { repeat },
    );
    let [wrong, queries] = [0, 0];
    for (const [i, group] of groups.entries()) {
      const drawn = await readTexture(gpu, texture, (encoder) => {
        const pass = encoder.beginRenderPass(onto);
        draw(pass, group);
        pass.end();
      });
      const judged = judgeScreen(drawn, picture, screen, directions[i] as Direction);
      wrong += judged.wrong;
      queries += judged.queries;
    }
    return {
      ...request,
      items: numbers.length,
      loadFactor: map.loadFactor,
      frameMs: medianMs / angles,
      queries: queries / angles,
      queriesPerSecond: queries / (medianMs / 1000),
      wrong,
    };
  } finally {
    map.destroy();
    texture.destroy();
    for (const buffer of uniforms) buffer.destroy();
  }
}

/** The texels of a square texture after some commands, a word each. */
async function readTexture(
  gpu: Gpu,
  texture: GPUTexture,
  commands: (encoder: GPUCommandEncoder) => void,
): Promise<(x: number, y: number) => number> {
  const { width, height } = texture;
  const bytesPerRow = Math.ceil((4 * width) / ROW_BYTES) * ROW_BYTES;
  const [buffer] = (await gpu.allocate([{ label: 'figures/texels', bytes: bytesPerRow * height }])) as [GPUBuffer];
  try {
    const [bytes] = await gpu.run(
      (encoder) => {
        commands(encoder);
        encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
      },
      [{ buffer, bytes: buffer.size }],
    );
    const words = new Uint32Array(bytes as ArrayBuffer);
    return (x, y) => words[(y * bytesPerRow) / 4 + x] as number;
  } finally {
    buffer.destroy();
  }
}

/** How many pixels of the screen lie on the picture, and how many of all are wrong. */
function judgeScreen(
  drawn: (x: number, y: number) => number,
  { width: side, pixels }: Picture,
  screen: number,
  direction: Direction,
): { wrong: number; queries: number } {
  let [wrong, queries] = [0, 0];
  for (let y = 0; y < screen; y++) {
    for (let x = 0; x < screen; x++) {
      const [column, row] = pixelAt(direction, { screen, side }, x, y);
      const isInside = column >= 0 && column < side && row >= 0 && row < side;
      if (isInside) queries++;
      if (drawn(x, y) !== (isInside ? pixels[column + side * row] : WHITE)) wrong++;
    }
  }
  return { wrong, queries };
}
