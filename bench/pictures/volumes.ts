/**
 * Voxels of surfaces that nobody has to download, in a cube: they stand for the models of García et al. 2011 (figure 12),
 * with about as many voxels.
 */
import { scrambleTwin } from '../scramble.ts';
import { rgb } from './canvas.ts';
import { chanceOf } from './chance.ts';

/** Voxels that are there, in the order of their numbers, each with a colour. */
export interface Voxels {
  /** How many voxels an edge of the cube has. */
  readonly side: number;
  /** The number of every voxel: x + side · (y + side · z). */
  readonly places: Uint32Array<ArrayBuffer>;
  /** Words as in a `Picture`. */
  readonly colours: Uint32Array<ArrayBuffer>;
}

const SURFACES = { armadillo: bumpyShell, hairy: hairyBall } as const;

/** `armadillo`: 9.2 million voxels of 512³, in a thick shell with bumps. `hairy`: 24 million, in a ball with long hair. */
export type VolumeKind = keyof typeof SURFACES;

export const VOLUME_KINDS = Object.keys(SURFACES) as VolumeKind[];

export function makeVolume({
  kind,
  side,
  seed = 1,
}: {
  readonly kind: VolumeKind;
  readonly side: number;
  readonly seed?: number;
}): Voxels {
  const taken = new Uint8Array(side ** 3);
  const count = SURFACES[kind](taken, side, seed);
  const places = new Uint32Array(count);
  const colours = new Uint32Array(count);
  for (let place = 0, at = 0; place < taken.length; place++) {
    if (!taken[place]) continue;
    places[at] = place;
    colours[at++] = colourAt(place, side);
  }
  return { side, places, colours };
}

/** By where it is, with a little noise. */
function colourAt(place: number, side: number): number {
  const [x, y, z] = [place % side, Math.floor(place / side) % side, Math.floor(place / side ** 2)];
  const noise = scrambleTwin(place, [1, 2]) & 15;
  const channel = (along: number): number => 40 + Math.floor((200 * along) / side);
  return rgb(channel(x) + noise, channel(y) + noise, channel(z) + noise);
}

/** Where the distance from the middle is near that of a bumpy sphere. Returns how many voxels that is. */
function bumpyShell(taken: Uint8Array, side: number): number {
  const middle = (side - 1) / 2;
  const [radius, bump, half] = [0.4 * side, 0.05 * side, 0.017 * side];
  const [nearest, farthest] = [(radius - bump - half) ** 2, (radius + bump + half) ** 2];
  let count = 0;
  let place = 0;
  for (let z = 0; z < side; z++) {
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++, place++) {
        const [dx, dy, dz] = [x - middle, y - middle, z - middle];
        const squared = dx * dx + dy * dy + dz * dz;
        if (squared < nearest || squared > farthest) continue;
        const distance = Math.sqrt(squared);
        const scale = 11 / distance;
        const bumps = Math.sin(scale * dx + 1) * Math.sin(scale * dy + 1) * Math.sin(scale * dz + 1);
        if (Math.abs(distance - radius - bump * bumps) > half) continue;
        taken[place] = 1;
        count++;
      }
    }
  }
  return count;
}

/** The share of all voxels that a hairy ball has. */
const HAIRY_SHARE = 24_000_000 / 512 ** 3;
/** More than it ever takes. */
const MOST_HAIRS = 1_000_000;

/** A ball, and curved hairs of about three voxels' width that begin in it. Returns how many voxels that is. */
function hairyBall(taken: Uint8Array, side: number, seed: number): number {
  const chance = chanceOf(seed);
  const middle = (side - 1) / 2;
  const most = Math.round(HAIRY_SHARE * side ** 3);
  let count = 0;
  const ball = (cx: number, cy: number, cz: number, radius: number): void => {
    const squared = radius * radius;
    const range = (centre: number) =>
      [Math.max(0, Math.ceil(centre - radius)), Math.min(side - 1, Math.floor(centre + radius))] as const;
    const [[x0, x1], [y0, y1], [z0, z1]] = [range(cx), range(cy), range(cz)];
    for (let z = z0; z <= z1; z++) {
      for (let y = y0; y <= y1; y++) {
        for (let x = x0; x <= x1; x++) {
          const place = x + side * (y + side * z);
          if (taken[place] || (x - cx) ** 2 + (y - cy) ** 2 + (z - cz) ** 2 > squared || count >= most) continue;
          taken[place] = 1;
          count++;
        }
      }
    }
  };
  ball(middle, middle, middle, 0.22 * side);
  const width = 1.4;
  for (let hair = 0; hair < MOST_HAIRS && count < most; hair++) {
    const [height, around] = [2 * chance() - 1, 2 * Math.PI * chance()];
    const [bend, sway] = [1.2 * (chance() - 0.5), 1.2 * (chance() - 0.5)];
    const length = (0.2 + 0.08 * chance()) * side;
    for (let along = 0; along < length; along += width) {
      const t = along / length;
      const level = Math.max(-1, Math.min(1, height + bend * t * t));
      const turn = around + sway * t * t;
      const flat = Math.sqrt(1 - level * level);
      const distance = 0.21 * side + along;
      ball(
        middle + distance * flat * Math.cos(turn),
        middle + distance * flat * Math.sin(turn),
        middle + distance * level,
        width,
      );
    }
  }
  return count;
}
