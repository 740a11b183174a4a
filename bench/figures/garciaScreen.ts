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
import { kept } from '../../src/wgsl/index.ts';
import { measureDrawing } from '../measure.ts';
import { type Picture, WHITE } from '../pictures/index.ts';
import { placesIn } from './garciaPictures.ts';
import { RENDERED, readTexture, wrongTexels } from './screens.ts';

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
const UNIFORM = 0x40;
const COPY_DST = 0x8;
const FRAGMENT = 0x2;

/** The way from one pixel of the screen to the next, as columns and rows of the picture, each times `ONE`. */
type Direction = readonly [cosine: number, sine: number];

const directionOf = (angle: number): Direction => [
  Math.round(ONE * Math.cos(angle)),
  Math.round(ONE * Math.sin(angle)),
];

/** A screen as it has to be. */
interface Expected {
  readonly direction: Direction;
  readonly texels: Uint32Array;
  /** Pixels of the screen that lie on the picture. */
  readonly queries: number;
}

/** What a square picture looks like that is turned, with its middle in the middle of the screen. */
export function turned({ width: side, pixels }: Picture, screen: number, direction: Direction): Expected {
  const [cosine, sine] = direction;
  const texels = new Uint32Array(screen * screen).fill(WHITE);
  let queries = 0;
  for (let y = 0; y < screen; y++) {
    for (let x = 0; x < screen; x++) {
      const [across, down] = [x - (screen >> 1), y - (screen >> 1)];
      const column = Math.floor((cosine * across - sine * down) / ONE) + (side >> 1);
      const row = Math.floor((sine * across + cosine * down) / ONE) + (side >> 1);
      if (column < 0 || column >= side || row < 0 || row >= side) continue;
      texels[x + screen * y] = pixels[column + side * row] as number;
      queries++;
    }
  }
  return { direction, texels, queries };
}

/** All angles of a whole turn, on a screen of that width. */
const wholeTurn = kept((picture: Picture, screen: number, angles: number): Expected[] =>
  Array.from({ length: angles }, (_, i) => turned(picture, screen, directionOf((2 * Math.PI * i) / angles))),
);

/** The pixels of a square picture that are not white, as items whose keys are their numbers in an order. */
const itemsInOrder = kept((picture: Picture, order: OrderName) => {
  const { width: side, pixels } = picture;
  const numbers = placesIn(picture);
  const points = new Uint32Array(2 * numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number;
    points[2 * i] = number % side;
    points[2 * i + 1] = Math.floor(number / side);
  }
  const places = ORDERS[order](side).of(2);
  return { places, keys: places.places(points), values: numbers.map((number) => pixels[number] as number) };
});

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
  const { places, keys, values } = itemsInOrder(picture, order);
  const scheme = robinHood({ sequence, loadFactor: load });
  const map = await HashMap.from(gpu, { keys, values }, { scheme, duplicates: 'unique', seed });
  const format = 'rgba8unorm';
  const texture = await gpu.checked(() =>
    device.createTexture({
      label: 'hashnest/figures/screen',
      size: [screen, screen],
      usage: RENDERED,
      format,
    }),
  );
  const expected = wholeTurn(picture, screen, angles);
  const uniforms = expected.map(() => gpu.createBuffer('figures/direction', 8, UNIFORM | COPY_DST));
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
      gpu.write(buffer, Int32Array.from(expected[i]?.direction as Direction));
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
    let wrong = 0;
    for (const [i, group] of groups.entries()) {
      const drawn = await readTexture(gpu, texture, (encoder) => {
        const pass = encoder.beginRenderPass(onto);
        draw(pass, group);
        pass.end();
      });
      wrong += wrongTexels(drawn, (expected[i] as Expected).texels);
    }
    const queries = expected.reduce((sum, { queries }) => sum + queries, 0);
    return {
      ...request,
      items: keys.length,
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
