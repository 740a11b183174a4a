/** Bits that move apart, so that those of other coordinates fit between, and together again. */
import { join, kept, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { Coordinates } from './order.ts';

/** One step: what moves goes so many bits up, and these bits are then occupied. */
interface Step {
  readonly shift: number;
  readonly mask: number;
}

interface Spreading {
  /** The bits that are taken. */
  readonly mask: number;
  /** From the widest step to the narrowest. */
  readonly steps: readonly Step[];
}

/** The bits of one coordinate that a word has room for. */
const bitsIn = (coordinates: Coordinates): number => Math.ceil(32 / coordinates);

/**
 * How bit i comes to i × coordinates. Its way, i × (coordinates − 1), is made in steps, one for each bit of i, as in
 * radix-2 transforms: before the step for bit j, groups of 2ʲ⁺¹ bits are together; after it, groups of 2ʲ.
 */
function spreading(coordinates: Coordinates): Spreading {
  const bits = bitsIn(coordinates);
  const mask = (group: number): number => {
    let all = 0;
    for (let i = 0; i < bits; i++) all |= 1 << (i + (coordinates - 1) * (i - (i % group)));
    return all >>> 0;
  };
  const steps: Step[] = [];
  for (let group = 8; group >= 1; group /= 2) {
    if (group < bits) steps.push({ shift: (coordinates - 1) * group, mask: mask(group) });
  }
  return { mask: mask(16), steps };
}

const SPREADINGS: Readonly<Record<Coordinates, Spreading>> = { 2: spreading(2), 3: spreading(3), 4: spreading(4) };

/** WGSL: `(bits: u32) -> u32`. Takes the bits that there is room for, and ignores those above. */
const spread = kept(
  ({ mask, steps }: Spreading): Wgsl => wgsl`
fn spread(bits: u32) -> u32 {
  var x = bits & ${mask}u;
  ${join(
    steps.map((step) => wgsl`x = (x | (x << ${step.shift}u)) & ${step.mask}u;`),
    '\n  ',
  )}
  return x;
}`,
);

function spreadTwin({ mask, steps }: Spreading, bits: number): number {
  let x = bits & mask;
  for (const step of steps) x = (x | (x << step.shift)) & step.mask;
  return x >>> 0;
}

/** WGSL: `(bits: u32) -> u32`, the inverse of `spread`. Ignores the bits between. */
const gather = kept(
  (spreading: Spreading): Wgsl => wgsl`
fn gather(bits: u32) -> u32 {
  var x = bits & ${spreading.steps.at(-1)?.mask as number}u;
  ${join(
    backwards(spreading).map((step) => wgsl`x = (x | (x >> ${step.shift}u)) & ${step.mask}u;`),
    '\n  ',
  )}
  return x;
}`,
);

function gatherTwin(spreading: Spreading, bits: number): number {
  let x = bits & (spreading.steps.at(-1)?.mask as number);
  for (const step of backwards(spreading)) x = (x | (x >>> step.shift)) & step.mask;
  return x >>> 0;
}

/** The steps of `gather`: the narrowest first, each to the bits that were occupied before the step of `spread`. */
const backwards = ({ mask, steps }: Spreading): readonly Step[] =>
  steps.map(({ shift }, i) => ({ shift, mask: i === 0 ? mask : (steps[i - 1]?.mask as number) })).reverse();

/** Which bits of a coordinate come to a word of the place: those from `first` on, and how far up they then go. */
function shareOf(word: number, axis: number, coordinates: Coordinates): { first: number; shift: number } {
  const first = Math.ceil((32 * word - axis) / coordinates);
  return { first, shift: coordinates * first + axis - 32 * word };
}

/** An expression: one word of the number whose bits are those of all axes in turn, the first axis lowest. */
export function interleaved(word: number, axes: readonly string[]): Wgsl {
  const coordinates = axes.length as Coordinates;
  const shares = axes.map((axis, i) => {
    const { first, shift } = shareOf(word, i, coordinates);
    return wgsl`(${spread(SPREADINGS[coordinates])}(${axis} >> ${first}u) << ${shift}u)`;
  });
  return wgsl`(${join(shares, ' | ')})`;
}

/** Bit-identical to `interleaved`. */
export function interleavedTwin(word: number, point: readonly number[]): number {
  const coordinates = point.length as Coordinates;
  return point.reduce((all, coordinate, i) => {
    const { first, shift } = shareOf(word, i, coordinates);
    return (all | (spreadTwin(SPREADINGS[coordinates], coordinate >>> first) << shift)) >>> 0;
  }, 0);
}

/** An expression: the bits of one axis, from the first word of such a number. */
export const separated = (word: string, axis: number, coordinates: Coordinates): Wgsl =>
  wgsl`${gather(SPREADINGS[coordinates])}(${word} >> ${axis}u)`;

/** Bit-identical to `separated`. */
export const separatedTwin = (word: number, axis: number, coordinates: Coordinates): number =>
  gatherTwin(SPREADINGS[coordinates], word >>> axis);
