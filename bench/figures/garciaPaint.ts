/**
 * Figure 11 of García et al. 2011: an atlas of which a sixteenth is painted, the time of a stroke with which the table is built anew, and the
 * time of a view on a round object. The paper's object has a shape; ours is a disc that shows every fourth texel, so that the host knows every pixel.
 */

import { SparsePaint } from '../../src/apps.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { randomWords } from '../../src/hashing/index.ts';
import { robinHood, type SequenceName } from '../../src/index.ts';
import { measure, measureDrawing } from '../measure.ts';
import { RENDERED, readTexture, wrongTexels } from './screens.ts';

export interface PaintRequest {
  readonly sequence: SequenceName;
  readonly load: number;
  readonly repeat: number;
  readonly seed: number;
}

export interface PaintRecord extends PaintRequest {
  readonly side: number;
  readonly texels: number;
  readonly loadFactor: number;
  readonly tableBytes: number;
  /** Dabs of the stroke that is measured, and its time: recolouring, and building anew. */
  readonly dabs: number;
  readonly strokeMs: number;
  /** Pixels of the screen that show a texel. */
  readonly queries: number;
  readonly frameMs: number;
  readonly wrong: number;
}

/** Dabs of paint as the atlas takes them. */
interface Dabs {
  readonly points: Int32Array;
  readonly colours: Uint32Array;
}

/** What is painted, and how it looks in the end. */
export interface Painting {
  readonly side: number;
  readonly strokes: readonly Dabs[];
  /** All texels; 0 where nothing is painted. */
  readonly canvas: Uint32Array;
  readonly texels: number;
}

/** A texel of the atlas in this many, each way, is shown. */
const SHOWN = 4;
/** The part of the atlas that is painted: a million texels of 4096². */
const PAINTED = 1 / 16;
/** The disc has 389,586 of 1024² pixels. */
const RADIUS = Math.sqrt(389_586 / Math.PI) / 1024;

/** Stamps of a round brush along a path that comes everywhere; the last stamp is a stroke of its own. */
export function makePainting(side: number, seed: number): Painting {
  const random = randomWords(seed);
  const radius = Math.max(1, Math.round(side / 64));
  const canvas = new Uint32Array(side * side);
  const strokes: Dabs[] = [];
  let texels = 0;
  for (let step = 0; texels < PAINTED * side * side; step++) {
    const angle = step * 0.13;
    const [x, y] = [Math.sin(3 * angle + 1), Math.sin(4.1 * angle)].map((wave) =>
      Math.round(((0.9 * wave + 1) * side) / 2),
    ) as [number, number];
    const points: number[] = [];
    const colours: number[] = [];
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        const [column, row] = [x + dx, y + dy];
        const isInside = column >= 0 && row >= 0 && column < side && row < side;
        if (!isInside || dx * dx + dy * dy > radius * radius) continue;
        const colour = (random() | 0xff000000) >>> 0;
        points.push(column, row);
        colours.push(colour);
        texels += Number(canvas[column + side * row] === 0);
        canvas[column + side * row] = colour;
      }
    }
    strokes.push({ points: Int32Array.from(points), colours: Uint32Array.from(colours) });
  }
  return { side, strokes, canvas, texels };
}

/** The view as it has to be, and how many of its pixels lie on the disc. */
function viewOf({ side, canvas }: Painting): {
  readonly screen: number;
  readonly texels: Uint32Array;
  readonly queries: number;
} {
  const screen = side / SHOWN;
  const most = Math.floor((RADIUS * screen) ** 2);
  const texels = new Uint32Array(screen * screen);
  let queries = 0;
  for (let y = 0; y < screen; y++) {
    for (let x = 0; x < screen; x++) {
      if ((x - (screen >> 1)) ** 2 + (y - (screen >> 1)) ** 2 > most) continue;
      texels[x + screen * y] = canvas[SHOWN * x + side * SHOWN * y] as number;
      queries++;
    }
  }
  return { screen, texels, queries };
}

const shaderCode = (face: string, screen: number): string => `
${face}
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}
@fragment fn shade(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let at = vec2i(position.xy);
  let fromMiddle = at - ${screen >> 1};
  if (dot(fromMiddle, fromMiddle) > ${Math.floor((RADIUS * screen) ** 2)}) { return vec4f(); }
  return atlas_colour(${SHOWN} * at);
}`;

/** Paints, measures the last stroke over and over, then the view; every texel and every pixel is checked. */
export async function measurePaint(gpu: Gpu, painting: Painting, request: PaintRequest): Promise<PaintRecord> {
  const { sequence, load, repeat, seed } = request;
  const { side, strokes, canvas, texels } = painting;
  const scheme = robinHood({ sequence, loadFactor: load });
  using atlas = await SparsePaint.create(gpu, { width: side, height: side, most: texels }, { scheme, seed });
  for (const stroke of strokes.slice(0, -1)) await atlas.paint(stroke);
  // Room is made here, so that the stroke can be recorded again and again.
  const last = strokes.at(-1) as Dabs;
  await atlas.paint(last);
  const dabs = last.colours.length;
  const made = await gpu.made((keep) => ({
    points: keep(gpu.upload('figures/points', last.points)),
    colours: keep(gpu.upload('figures/colours', last.colours)),
  }));
  try {
    const afterPass = async (): Promise<void> => {
      await atlas.settle();
    };
    const stroke = (pass: GPUComputePassEncoder): void => atlas.encodePaint(pass, { ...made, count: dabs });
    const { medianMs: strokeMs } = await measure(gpu, stroke, { repeat, afterPass });
    const painted = new Uint32Array((await atlas.pixels()).buffer);
    let wrong = 0;
    for (let i = 0; i < canvas.length; i++) wrong += Number(painted[i] !== canvas[i]);
    const { frameMs, queries, wrongPixels } = await measureView(gpu, atlas, painting, repeat);
    const { loadFactor } = atlas.map;
    const { tableBytes } = atlas;
    return {
      ...request,
      side,
      texels,
      loadFactor,
      tableBytes,
      dabs,
      strokeMs,
      queries,
      frameMs,
      wrong: wrong + wrongPixels,
    };
  } finally {
    for (const buffer of Object.values(made)) buffer.destroy();
  }
}

async function measureView(gpu: Gpu, atlas: SparsePaint, painting: Painting, repeat: number) {
  const { device } = gpu;
  const { screen, texels, queries } = viewOf(painting);
  const format = 'rgba8unorm';
  const texture = await gpu.checked(() =>
    device.createTexture({ label: 'hashnest/figures/view', size: [screen, screen], usage: RENDERED, format }),
  );
  try {
    const face = atlas.wgsl({ name: 'atlas', group: 0 });
    const pipeline = await gpu.checked(() => {
      const module = device.createShaderModule({ code: shaderCode(face.code, screen) });
      return device.createRenderPipeline({
        layout: device.createPipelineLayout({ bindGroupLayouts: [face.layout] }),
        vertex: { module },
        fragment: { module, targets: [{ format }] },
      });
    });
    const draw = (pass: GPURenderPassEncoder): void => {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, face.bindGroup);
      pass.draw(3);
    };
    const onto: GPURenderPassDescriptor = {
      colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
    };
    const { medianMs: frameMs } = await measureDrawing(gpu, onto, draw, { repeat });
    const drawn = await readTexture(gpu, texture, (encoder) => {
      const pass = encoder.beginRenderPass(onto);
      draw(pass);
      pass.end();
    });
    return { frameMs, queries, wrongPixels: wrongTexels(drawn, texels) };
  } finally {
    texture.destroy();
  }
}
