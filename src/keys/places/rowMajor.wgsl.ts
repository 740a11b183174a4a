import { refuse } from '../../gpu/arguments.ts';
import { within } from '../../gpu/calls.ts';
import { InvalidInputError } from '../../gpu/errors.ts';
import { multiplyHigh } from '../../hashing/index.ts';
import { join, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { fromWords, wordAt, wordsType } from '../words.wgsl.ts';
import { type Coordinates, LEAST, type PlaceOrder, placeOrder } from './order.ts';

const MOST = 2 ** 32;

const NAMES = ['width', 'height', 'depth'];

/**
 * Row by row: x + width · y, in space x + width · (y + height · z), and so on. Points that are near in a row have near
 * places. Sizes are needed for all coordinates but the last; a place is one word if all of them together have at most 2³²
 * points. Keys of signed coordinates may lie beyond the sizes, but two keys that are further apart than these may share a place.
 * @example
 * const pixels = rowMajor(640, 480).of(2);
 * pixels.place(3, 2); // 1283
 */
export function rowMajor(width: number, height?: number, depth?: number): PlaceOrder {
  const given = [width, height, depth];
  const all = given.slice(
    0,
    1 +
      Math.max(
        0,
        given.findLastIndex((size) => size !== undefined),
      ),
  ) as number[];
  for (const [i, size] of all.entries()) {
    if (Number.isInteger(size) && size >= 1 && size < MOST) continue;
    within('rowMajor', () => refuse(NAMES[i] as string, `a whole number from 1 to ${MOST - 1}`, size));
  }
  /** The sizes that places of so many coordinates are made with. */
  const factors = (coordinates: Coordinates): readonly number[] => {
    if (all.length >= coordinates - 1) return all.slice(0, coordinates - 1);
    const missing = NAMES.slice(all.length, coordinates - 1).join(' and a ');
    throw new InvalidInputError(
      `points of ${coordinates} coordinates need a ${missing}: rowMajor(${NAMES.slice(0, coordinates - 1).join(', ')})`,
    );
  };
  return placeOrder({
    name: 'rowMajor',
    options: Object.fromEntries(all.map((size, i) => [NAMES[i] as string, size])),
    withOptions: (saved) => rowMajor(saved.width as number, saved.height as number, saved.depth as number),
    sizes: (coordinates) => {
      const rows = factors(coordinates);
      const size = all[coordinates - 1] ?? Math.floor(MOST / product(rows));
      const points = product(rows) * size;
      if (points >= 1 && points <= MOST) return [...rows, size];
      throw new InvalidInputError(
        `${all.slice(0, coordinates).join(' × ')} points are more than 2^32, and their places more than a word`,
      );
    },
    place: (coordinates) => wgsl`
fn place(at: vec${coordinates}u) -> u32 {
  return ${factors(coordinates).reduceRight(
    (rest: string, size, axis) => `at[${axis}] + ${size}u * (${rest})`,
    `at[${coordinates - 1}]`,
  )};
}`,
    point: (coordinates) => {
      const rests = factors(coordinates).map((size, axis) => `let rest${axis + 1} = rest${axis} / ${size}u;`);
      const axes = [...factors(coordinates).map((size, axis) => `rest${axis} % ${size}u`), `rest${coordinates - 1}`];
      return wgsl`
fn point(rest0: u32) -> vec${coordinates}u {
  ${rests.join('\n  ')}
  return vec${coordinates}u(${axes.join(', ')});
}`;
    },
    placeTwin: (point) => point.reduceRight((rest, coordinate, axis) => coordinate + (all[axis] as number) * rest),
    pointTwin: (place, coordinates) => {
      let rest = place;
      const point = factors(coordinates).map((size) => {
        const coordinate = rest % size;
        rest = (rest - coordinate) / size;
        return coordinate;
      });
      return [...point, rest];
    },
    wide: (coordinates) => wide(coordinates, factors(coordinates)),
    wideTwin: (point) => {
      const place = point
        .map(BigInt)
        .reduceRight((rest, coordinate, axis) => coordinate + BigInt(all[axis] as number) * rest);
      return point.map((_, word) => Number(BigInt.asUintN(32, place >> BigInt(32 * word))));
    },
  });
}

const product = (numbers: readonly number[]): number => numbers.reduce((all, number) => all * number, 1);

/** WGSL: a word times another and a word more, as `vec2u(low, high)`; that always fits. */
const timesPlus = wgsl`
fn timesPlus(a: u32, b: u32, carry: u32) -> vec2u {
  let low = a * b + carry;
  return vec2u(low, ${multiplyHigh}(a, b) + u32(low < carry));
}`;

/** The same sum in as many words as there are coordinates: with every coordinate it becomes one word longer. */
function wide(coordinates: Coordinates, sizes: readonly number[]): Wgsl {
  const coordinate = (axis: number) => wgsl`(${wordAt(coordinates, 'key', axis)} ^ ${LEAST}u)`;
  const lines = sizes.flatMap((_, i) => {
    const axis = sizes.length - 1 - i;
    return Array.from({ length: i + 1 }, (_, word) => {
      const carry = word === 0 ? coordinate(axis) : wgsl`product.y`;
      return wgsl`product = ${timesPlus}(w${word}, ${sizes[axis] as number}u, ${carry});
  w${word} = product.x;`;
    }).concat(wgsl`var w${i + 1} = product.y;`);
  });
  return wgsl`
fn place(key: ${wordsType(coordinates)}) -> ${wordsType(coordinates)} {
  var product = vec2u();
  var w0 = ${coordinate(coordinates - 1)};
  ${join(lines, '\n  ')}
  return ${fromWords(Array.from({ length: coordinates }, (_, word) => `w${word}`))};
}`;
}
