/**
 * Sparse pictures that nobody has to download: made from formulas and a seed, the same everywhere. They stand for those of
 * García et al. 2011 (figures 1 and 2), with as many pixels that are not white.
 */
import { orderTwin } from '../order.ts';
import { Canvas, type Picture, rgb } from './canvas.ts';
import { type Chance, chanceOf } from './chance.ts';
import { drawFlower, drawLines, drawShapes, drawText } from './drawings.ts';

export { type Picture, WHITE } from './canvas.ts';

const DRAWINGS = {
  text: { share: 0.131, draw: drawText },
  lines: { share: 0.131, draw: drawLines },
  shapes: { share: 0.3055, draw: drawShapes },
  flower: { share: 0.2536, draw: drawFlower },
  random: { share: 0.0149, draw: drawRandom },
} as const;

/** What a picture shows. */
export type PictureKind = keyof typeof DRAWINGS;

export const PICTURE_KINDS = Object.keys(DRAWINGS) as PictureKind[];

/** What picture to make. */
export interface PictureRequest {
  readonly kind: PictureKind;
  readonly width: number;
  readonly height: number;
  /** Pixels that are not white. Text and lines on a full page may be fewer. Default: a share that goes with the kind. */
  readonly filled?: number;
  /** Default 1. */
  readonly seed?: number;
}

/** The pictures of the paper: pixels that are not white, and all. */
export const PAPER_PICTURES = {
  test1: { kind: 'text', width: 4096, height: 4096, filled: 2_200_000 },
  fish: { kind: 'shapes', width: 8192, height: 8192, filled: 20_500_000 },
  flower: { kind: 'flower', width: 3820, height: 3820, filled: 3_700_000 },
  random: { kind: 'random', width: 8192, height: 8192, filled: 1_000_000 },
} as const satisfies Readonly<Record<string, PictureRequest>>;

export function makePicture({ kind, width, height, filled, seed = 1 }: PictureRequest): Picture {
  const { share, draw } = DRAWINGS[kind];
  const canvas = new Canvas(width, height, filled ?? Math.round(share * width * height));
  draw(canvas, chanceOf(seed));
  return canvas;
}

/** Single pixels, no two at the same place. */
function drawRandom(canvas: Canvas, chance: Chance): void {
  const { width, pixels } = canvas;
  const word = () => Math.floor(2 ** 32 * chance());
  const seed = [word(), word(), word(), word()] as const;
  for (let i = 0; !canvas.isFull; i++) {
    const place = orderTwin(i, pixels.length, seed);
    const [x, y] = [place % width, Math.floor(place / width)];
    canvas.span(y, x, x, () => rgb(x & 127, y & 127, (x >> 5) & 127));
  }
}
