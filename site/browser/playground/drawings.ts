/** The table as a picture, and the histogram of its probes. */
import type { Bin } from './bins.ts';
import { SHADES } from './shown.ts';

const shadeOf = (probes: number): number => (probes <= 4 ? probes - 1 : probes <= 8 ? 4 : 5);

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Draws every slot as a pixel, row by row, in the shade of the probes that find it. */
export function drawTable(canvas: HTMLCanvasElement, slots: Uint32Array, probes: Uint32Array, capacity: number): void {
  const count = Math.max(
    capacity,
    slots.reduce((most, slot) => Math.max(most, slot + 1), 0),
  );
  const width = Math.ceil(Math.sqrt(count * 4));
  const height = Math.ceil(count / width);
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  const words = [...SHADES.map((_, i) => wordOf(colour(`--probe-${i + 1}`))), wordOf(colour('--slot-empty'))];
  const empty = words.at(-1) as number;
  const picture = context.createImageData(width, height);
  const pixels = new Uint32Array(picture.data.buffer);
  pixels.fill(empty, 0, count);
  for (const [i, slot] of slots.entries()) pixels[slot] = words[shadeOf(probes[i] as number)] as number;
  context.putImageData(picture, 0, 0);
}

/** `#rrggbb` as the bytes of a pixel. */
function wordOf(hex: string): number {
  const value = Number.parseInt(hex.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

const SVG = 'http://www.w3.org/2000/svg';
const [HEIGHT, BOTTOM, TOP] = [200, 24, 10];
const WIDEST_STEP = 90;

function shape(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
}

/** Draws bars for present and absent keys, as shares of all searches of a kind, as wide as the drawing is on the page. */
export function drawHistogram(svg: SVGSVGElement, bins: readonly Bin[]): void {
  const sums = { present: 0, absent: 0 };
  for (const bin of bins) {
    sums.present += bin.present;
    sums.absent += bin.absent;
  }
  const share = (bin: Bin, kind: 'present' | 'absent'): number => bin[kind] / Math.max(1, sums[kind]);
  const most = Math.max(...bins.flatMap((bin) => [share(bin, 'present'), share(bin, 'absent')]));
  const width = svg.clientWidth;
  const step = Math.min(WIDEST_STEP, width / bins.length);
  const bar = Math.min(26, step * 0.4);
  svg.setAttribute('height', String(HEIGHT));
  svg.replaceChildren(
    ...bins.flatMap((bin, i) => {
      const middle = (i + 0.5) * step;
      const bars = (['present', 'absent'] as const).map((kind, side) => {
        const height = ((HEIGHT - BOTTOM - TOP) * share(bin, kind)) / most;
        const x = middle + (side - 1) * bar;
        const rect = shape('rect', { class: kind, x, y: HEIGHT - BOTTOM - height, width: bar - 1, height, rx: 1.5 });
        rect.append(shape('title', {}, `${(100 * share(bin, kind)).toFixed(1)}% of the ${kind} keys`));
        return rect;
      });
      return [...bars, shape('text', { x: middle, y: HEIGHT - 7 }, labelOf(bin))];
    }),
    shape('line', { x1: 0, x2: width, y1: HEIGHT - BOTTOM + 0.5, y2: HEIGHT - BOTTOM + 0.5 }),
  );
}

const labelOf = ({ first, last }: Bin): string =>
  last === Number.POSITIVE_INFINITY ? `${first}+` : first === last ? String(first) : `${first}–${last}`;
