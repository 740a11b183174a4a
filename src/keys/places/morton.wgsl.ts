import { refuse } from '../../gpu/arguments.ts';
import { within } from '../../gpu/calls.ts';
import { InvalidInputError } from '../../gpu/errors.ts';
import { join, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { fromWords, wordAt, wordsType } from '../words.wgsl.ts';
import { interleaved, interleavedTwin, separated, separatedTwin } from './interleave.wgsl.ts';
import { type Coordinates, LEAST, type Numbering, type PlaceOrder, placeOrder } from './order.ts';

/** What happens to each coordinate before its bits are interleaved. Done twice, it must undo itself. */
interface Turning {
  readonly turn: (coordinate: WgslPart) => WgslPart;
  readonly turnTwin: (coordinate: number) => number;
}

/** Bits of each coordinate of a one-word place. */
const mostBits = (coordinates: Coordinates): number => Math.floor(32 / coordinates);

const axesOf = (coordinates: Coordinates): readonly string[] => ['x', 'y', 'z', 'w'].slice(0, coordinates);

/** An order by interleaved bits. */
function interleaving(
  about: Pick<Numbering, 'name' | 'options' | 'withOptions' | 'sizes'>,
  { turn, turnTwin }: Turning,
): PlaceOrder {
  const turned = (coordinates: Coordinates, from: (axis: number) => WgslPart): Wgsl =>
    join(
      axesOf(coordinates).map((axis, i) => wgsl`let ${axis} = ${turn(from(i))};`),
      '\n  ',
    );
  return placeOrder({
    ...about,
    place: (coordinates) => wgsl`
fn place(at: vec${coordinates}u) -> u32 {
  ${turned(coordinates, (axis) => `at[${axis}]`)}
  return ${interleaved(0, axesOf(coordinates))};
}`,
    point: (coordinates) => wgsl`
fn point(number: u32) -> vec${coordinates}u {
  ${turned(coordinates, (axis) => separated('number', axis, coordinates))}
  return vec${coordinates}u(${axesOf(coordinates).join(', ')});
}`,
    placeTwin: (point) => interleavedTwin(0, point.map(turnTwin)),
    pointTwin: (place, coordinates) =>
      axesOf(coordinates).map((_, axis) => turnTwin(separatedTwin(place, axis, coordinates))),
    wide: (coordinates) => wgsl`
fn place(key: ${wordsType(coordinates)}) -> ${wordsType(coordinates)} {
  ${turned(coordinates, (axis) => wgsl`(${wordAt(coordinates, 'key', axis)} ^ ${LEAST}u)`)}
  return ${fromWords(axesOf(coordinates).map((_, word) => interleaved(word, axesOf(coordinates))))};
}`,
    wideTwin: (point) => {
      const all = point.map(turnTwin);
      return point.map((_, word) => interleavedTwin(word, all));
    },
  });
}

/**
 * Morton order: the bits of the coordinates in turn, x lowest. Points that are near in any direction mostly have near
 * places. A place is one word for pictures up to 65,536² and volumes up to 1,024³.
 * @example
 * const pixels = morton.of(2);
 * pixels.place(3, 5); // 39, in bits 100111
 * pixels.point(39); // [3, 5]
 */
export const morton: PlaceOrder = interleaving(
  {
    name: 'morton',
    options: {},
    withOptions: () => morton,
    sizes: (coordinates) => axesOf(coordinates).map(() => 2 ** mostBits(coordinates)),
  },
  { turn: (coordinate) => coordinate, turnTwin: (coordinate) => coordinate },
);

/**
 * Morton order of coordinates whose bits, the lowest so many, are reversed first: neighbours are as far from each other as
 * can be. It is there to measure what order is worth (the bit-reversal permutation of García et al. 2011, section 4.2).
 * Higher bits, which only wide keys have, stay where they are.
 * @param bits of each coordinate, from 1 to 32
 * @example
 * const pixels = bitReversed(10).of(2); // of a picture of 1,024²
 */
export function bitReversed(bits: number): PlaceOrder {
  within('bitReversed', () => {
    if (!(Number.isInteger(bits) && bits >= 1 && bits <= 32)) refuse('bits', 'a whole number from 1 to 32', bits);
  });
  const kept = 2 ** 32 - 2 ** bits;
  const reversed = wgsl`
fn reversed(coordinate: u32) -> u32 {
  return (coordinate & ${kept}u) | reverseBits(coordinate << ${32 - bits}u);
}`;
  return interleaving(
    {
      name: 'bitReversed',
      options: { bits },
      withOptions: (saved) => bitReversed(saved.bits as number),
      sizes: (coordinates) => {
        const most = mostBits(coordinates);
        if (bits <= most) return axesOf(coordinates).map(() => 2 ** bits);
        throw new InvalidInputError(
          `a place of ${coordinates} coordinates of ${bits} bits takes more than a word; at most ${most} bits fit`,
        );
      },
    },
    {
      turn: (coordinate) => wgsl`${reversed}(${coordinate})`,
      turnTwin: (coordinate) => {
        let low = 0;
        for (let bit = 0; bit < bits; bit++) low = (low << 1) | ((coordinate >>> bit) & 1);
        return ((coordinate & kept) | low) >>> 0;
      },
    },
  );
}
