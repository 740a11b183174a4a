/** What the pictures show: each fills a canvas by chance, until it is full or there is no more to draw. */
import { type Canvas, type Paint, rgb } from './canvas.ts';
import type { Chance } from './chance.ts';
import { ADVANCE, CHARACTERS, LINE_HEIGHT, strokesOf } from './strokeFont.ts';

/** Nothing fills a canvas that was drawn on so often and is not full. */
const MOST_DRAWN = 100_000;

const ink = (chance: Chance): number => {
  const channel = () => Math.floor(20 + 160 * chance());
  return rgb(channel(), channel(), channel());
};

/** A colour that becomes darker from the left to the right, with fine stripes. */
function shaded(chance: Chance, width: number): Paint {
  const [red, green, blue] = [60 + 190 * chance(), 60 + 190 * chance(), 40 + 150 * chance()];
  const [across, down] = [0.01 + 0.1 * chance(), 0.01 + 0.1 * chance()];
  return (x, y) => {
    const light = (1 - (0.5 * x) / width) * (0.85 + 0.15 * Math.abs(((across * x + down * y) % 2) - 1));
    return rgb(red * light, green * light, blue * light);
  };
}

/** A page of words, in lines of different sizes. */
export function drawText(canvas: Canvas, chance: Chance): void {
  const { width, height } = canvas;
  const margin = Math.floor(width / 32);
  let top = margin;
  while (!canvas.isFull && top < height - margin) {
    // Most lines are small print; a few are headings.
    const size = Math.max(1, (width / 512) * (chance() < 0.15 ? 1.5 + 1.5 * chance() : 0.5 + 0.4 * chance()));
    if (top + 6 * size > height - margin) return;
    drawLine(canvas, chance, { left: margin, right: width - margin, top, size });
    top += LINE_HEIGHT * size;
  }
}

function drawLine(
  canvas: Canvas,
  chance: Chance,
  place: { readonly left: number; readonly right: number; readonly top: number; readonly size: number },
): void {
  const { right, top, size } = place;
  const weight = size * (0.3 + 0.15 * chance());
  const colour = ink(chance);
  for (let left = place.left; left + 5 * size < right; ) {
    const letters = 1 + Math.floor(9 * chance());
    for (let i = 0; i < letters && left + 5 * size < right; i++, left += ADVANCE * size) {
      const character = CHARACTERS[Math.floor(chance() * CHARACTERS.length)] as string;
      for (const stroke of strokesOf(character)) {
        const points = stroke.map(([x, y]) => [left + size * x, top + size * y] as const);
        for (const [i, from] of points.slice(0, -1).entries()) {
          canvas.line(from, points[i + 1] as typeof from, weight, () => colour);
        }
      }
    }
    left += 0.6 * ADVANCE * size;
  }
}

/** Curves of Lissajous, stars of straight lines, and hatching. */
export function drawLines(canvas: Canvas, chance: Chance): void {
  for (let drawn = 0; drawn < MOST_DRAWN && !canvas.isFull; drawn++) {
    const centre = [canvas.width * chance(), canvas.height * chance()] as const;
    const radius = canvas.width * (0.03 + 0.2 * chance() ** 2);
    const weight = Math.max(0.5, (canvas.width / 4096) * (0.6 + 3 * chance()));
    const colour = ink(chance);
    const kind = Math.floor(3 * chance());
    const points =
      kind === 0
        ? lissajous(chance, centre, radius)
        : kind === 1
          ? star(chance, centre, radius)
          : hatching(centre, radius);
    for (const [i, from] of points.slice(0, -1).entries()) {
      canvas.line(from, points[i + 1] as typeof from, weight, () => colour);
    }
  }
}

type Points = (readonly [number, number])[];

function lissajous(chance: Chance, [cx, cy]: readonly [number, number], radius: number): Points {
  const [across, down, phase] = [1 + Math.floor(6 * chance()), 1 + Math.floor(6 * chance()), 6.3 * chance()];
  return Array.from({ length: 400 }, (_, i) => {
    const t = (2 * Math.PI * i) / 399;
    return [cx + radius * Math.sin(across * t + phase), cy + radius * Math.sin(down * t)] as const;
  });
}

function star(chance: Chance, [cx, cy]: readonly [number, number], radius: number): Points {
  const corners = 5 + 2 * Math.floor(8 * chance());
  const step = Math.floor(corners / 2);
  return Array.from({ length: corners + 1 }, (_, i) => {
    const t = (2 * Math.PI * i * step) / corners;
    return [cx + radius * Math.sin(t), cy - radius * Math.cos(t)] as const;
  });
}

/** To and fro at an angle. */
function hatching([cx, cy]: readonly [number, number], radius: number): Points {
  return Array.from({ length: 40 }, (_, i) => {
    const side = (i >> 1) % 2 === i % 2 ? -1 : 1;
    const along = (radius * (2 * (i >> 1) - 19)) / 20;
    return [cx + along + (side * radius) / 3, cy + (along + side * radius) / 2] as const;
  });
}

/** A school of fish, one over the other. */
export function drawShapes(canvas: Canvas, chance: Chance): void {
  for (let drawn = 0; drawn < MOST_DRAWN && !canvas.isFull; drawn++) {
    const [cx, cy] = [canvas.width * chance(), canvas.height * chance()];
    const length = canvas.width * (0.02 + 0.07 * chance());
    const angle = 0.8 * (chance() - 0.5) + (chance() < 0.3 ? Math.PI : 0);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const at = (along: number, across: number) =>
      [cx + length * (along * cos - across * sin), cy + length * (along * sin + across * cos)] as const;
    const paint = shaded(chance, canvas.width);
    canvas.polygon([at(-0.8, 0), at(-1.5, -0.45), at(-1.3, 0), at(-1.5, 0.45)], paint);
    canvas.polygon([at(-0.3, -0.3), at(-0.1, -0.65), at(0.4, -0.3)], paint);
    canvas.ellipse([cx, cy], [length, 0.42 * length], angle, paint);
    canvas.ellipse(at(0.65, -0.1), [0.07 * length, 0.07 * length], 0, () => rgb(20, 20, 30));
  }
}

/** Flowers: the first in the middle of the picture, others around it. */
export function drawFlower(canvas: Canvas, chance: Chance): void {
  for (let drawn = 0; drawn < MOST_DRAWN && !canvas.isFull; drawn++) {
    const isFirst = drawn === 0;
    const [cx, cy] = isFirst
      ? [canvas.width / 2, 0.45 * canvas.height]
      : [canvas.width * chance(), canvas.height * chance()];
    const radius = canvas.width * (isFirst ? 0.24 : 0.02 + 0.04 * chance());
    const petals = 5 + Math.floor(9 * chance());
    const turn = 6.3 * chance();
    canvas.line([cx, cy], [cx + 0.3 * radius, cy + 2 * radius], 0.04 * radius, () => rgb(40, 110, 50));
    for (let i = 0; i < petals; i++) {
      const angle = turn + (2 * Math.PI * i) / petals;
      const middle = [cx + 0.62 * radius * Math.cos(angle), cy + 0.62 * radius * Math.sin(angle)] as const;
      canvas.ellipse(middle, [0.42 * radius, radius / petals], angle, shaded(chance, canvas.width));
    }
    canvas.ellipse([cx, cy], [0.24 * radius, 0.24 * radius], 0, (x, y) =>
      (x ^ y) & 8 ? rgb(230, 180, 40) : rgb(170, 110, 20),
    );
  }
}
