/** Drawing into an array of pixels by whole rows: fast enough for 8,192² on one core. */

/** A picture as words: red in the lowest byte of each, then green, blue and alpha; rows from the top. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint32Array<ArrayBuffer>;
}

/** What is not drawn on. */
export const WHITE = 0xffffffff;

/** The colour at a pixel. */
export type Paint = (x: number, y: number) => number;

export const rgb = (red: number, green: number, blue: number): number =>
  (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;

type Point = readonly [x: number, y: number];

/** A white sheet of which no more than `most` pixels are painted; what would go beyond that is left white. */
export class Canvas implements Picture {
  readonly pixels: Uint32Array<ArrayBuffer>;
  /** Pixels that are not white. */
  filled = 0;

  readonly most: number;

  constructor(
    readonly width: number,
    readonly height: number,
    most: number,
  ) {
    this.most = Math.min(most, width * height);
    this.pixels = new Uint32Array(width * height).fill(WHITE);
  }

  get isFull(): boolean {
    return this.filled >= this.most;
  }

  /** Paints the pixels of a row whose centres lie between two places. */
  span(y: number, from: number, to: number, paint: Paint): void {
    if (y < 0 || y >= this.height) return;
    const first = Math.max(0, Math.ceil(from));
    const last = Math.min(this.width - 1, Math.floor(to));
    const row = y * this.width;
    for (let x = first; x <= last; x++) {
      if (this.pixels[row + x] === WHITE) {
        if (this.isFull) return;
        this.filled++;
      }
      this.pixels[row + x] = paint(x, y);
    }
  }

  /** Rows that a shape of that height may touch. */
  *#rows(from: number, to: number): Generator<number> {
    const last = Math.min(this.height - 1, Math.floor(to));
    for (let y = Math.max(0, Math.ceil(from)); y <= last; y++) yield y;
  }

  /** A line with round ends. Every row of it is one stretch, because it is convex. */
  line([ax, ay]: Point, [bx, by]: Point, radius: number, paint: Paint): void {
    const [dx, dy] = [bx - ax, by - ay];
    const length = Math.hypot(dx, dy);
    for (const y of this.#rows(Math.min(ay, by) - radius, Math.max(ay, by) + radius)) {
      let from = Number.POSITIVE_INFINITY;
      let to = Number.NEGATIVE_INFINITY;
      const reach = (low: number, high: number): void => {
        from = Math.min(from, low);
        to = Math.max(to, high);
      };
      for (const [cx, cy] of [
        [ax, ay],
        [bx, by],
      ] as const) {
        const half = Math.sqrt(radius * radius - (y - cy) ** 2);
        if (half >= 0) reach(cx - half, cx + half);
      }
      if (length > 0) {
        // Beside the line: |distance| <= radius. Between its ends: 0 <= position <= length.
        const beside = between(dy / length, -((y - ay) * dx) / length, -radius, radius);
        const along = between(dx / length, ((y - ay) * dy) / length, 0, length);
        const low = ax + Math.max(beside[0], along[0]);
        const high = ax + Math.min(beside[1], along[1]);
        if (low <= high) reach(low, high);
      }
      this.span(y, from, to, paint);
    }
  }

  /** An ellipse whose first half-axis is turned by an angle. */
  ellipse([cx, cy]: Point, [a, b]: Point, angle: number, paint: Paint): void {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const squared = (u: number, v: number): number => (u / a) ** 2 + (v / b) ** 2;
    const half = Math.hypot(a * sin, b * cos);
    const quadratic = squared(cos, sin);
    for (const y of this.#rows(cy - half, cy + half)) {
      const v = y - cy;
      const linear = (cos * sin * v) / a ** 2 - (sin * cos * v) / b ** 2;
      const root = Math.sqrt(linear ** 2 - quadratic * (squared(sin, cos) * v * v - 1));
      if (root >= 0) this.span(y, cx + (-linear - root) / quadratic, cx + (-linear + root) / quadratic, paint);
    }
  }

  /** A polygon, inside where a ray crosses its edges an odd number of times. */
  polygon(points: readonly Point[], paint: Paint): void {
    const heights = points.map(([, y]) => y);
    for (const y of this.#rows(Math.min(...heights), Math.max(...heights))) {
      const crossings: number[] = [];
      for (const [i, [bx, by]] of points.entries()) {
        const [ax, ay] = points.at(i - 1) as Point;
        if (ay <= y !== by <= y) crossings.push(ax + ((y - ay) / (by - ay)) * (bx - ax));
      }
      crossings.sort((left, right) => left - right);
      for (let i = 0; i + 1 < crossings.length; i += 2) {
        this.span(y, crossings[i] as number, crossings[i + 1] as number, paint);
      }
    }
  }
}

/** Where `low <= slope * x + start <= high`. */
function between(slope: number, start: number, low: number, high: number): [number, number] {
  if (Math.abs(slope) < 1e-12) {
    const isInside = start >= low && start <= high;
    return isInside
      ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
      : [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  }
  const ends = [(low - start) / slope, (high - start) / slope] as const;
  return [Math.min(...ends), Math.max(...ends)];
}
