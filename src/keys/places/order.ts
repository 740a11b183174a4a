/**
 * Orders of points: every point gets a number, its place, such that neighbours have near ones. Tables that keep what is near
 * together need that (García et al. 2011, section 4.2).
 */
import { arrayKind, refuse, requireAttached } from '../../gpu/arguments.ts';
import { within } from '../../gpu/calls.ts';
import { InvalidInputError } from '../../gpu/errors.ts';
import { kept, type Wgsl } from '../../wgsl/index.ts';

/** How many coordinates points can have. */
export type Coordinates = 2 | 3 | 4;

/** The coordinates of a point, whole numbers from 0 on. */
export type Point<N extends Coordinates> = N extends 2
  ? [x: number, y: number]
  : N extends 3
    ? [x: number, y: number, z: number]
    : [x: number, y: number, z: number, w: number];

/** Points whose coordinates are unsigned and so small that a place is one word: a key of type `u32`. */
export interface Places<N extends Coordinates = Coordinates> {
  readonly coordinates: N;
  /** For each coordinate, how many values it can have: they are below that. */
  readonly sizes: readonly number[];
  /** The place of a point. Throws `InvalidInputError` for coordinates that reach their size. */
  place(...point: Point<N>): number;
  /** The point of a place: the inverse. Throws `InvalidInputError` for places that no point has. */
  point(place: number): Point<N>;
  /** The places of many points, whose coordinates lie in a row. */
  places(points: Uint32Array | Int32Array): Uint32Array<ArrayBuffer>;
  /** And back. */
  points(places: Uint32Array): Uint32Array<ArrayBuffer>;
  /** The same in WGSL, with `vec2u`, `vec3u` or `vec4u` as points. Nothing is checked there: coordinates must be below their sizes. */
  readonly wgsl: {
    /** WGSL `place`: `(at: vec2u) -> u32`. */
    readonly place: Wgsl;
    /** WGSL `point`: `(number: u32) -> vec2u`. */
    readonly point: Wgsl;
  };
}

/** Keys of 32-bit signed coordinates: all of them have a place, and it has several words, the least significant first. */
export interface WidePlaces {
  /** Words of a place. */
  readonly words: number;
  /** WGSL: from the words of a key to those of its place, `(key: wordsType(coordinates)) -> wordsType(words)`. */
  readonly place: Wgsl;
  /** Bit-identical to `place`. */
  twin(key: readonly number[]): number[];
}

/** An order of points. */
export interface PlaceOrder {
  readonly name: string;
  /** What it was made with, as JSON: saved tables carry it. */
  readonly options: Readonly<Record<string, number>>;
  /** The same order with the options of a saved table, which may be anything. */
  withOptions(options: Readonly<Record<string, unknown>>): PlaceOrder;
  /**
   * The places of points of so many coordinates, one word each.
   * @example
   * const pixels = morton.of(2);
   * const key = pixels.place(640, 480);
   */
  of<N extends Coordinates>(coordinates: N): Places<N>;
  /**
   * The places of keys that declare so many `coordinates`, for schemes. Coordinates are counted from −2³¹ on, so that
   * neighbours across 0 are neighbours like others.
   */
  wide(coordinates: Coordinates): WidePlaces;
}

/** What makes an order. Points are as many numbers as they have coordinates; arguments are checked already. */
export interface Numbering extends Pick<PlaceOrder, 'name' | 'options' | 'withOptions'> {
  /** How many values each coordinate can have, so that places are one word. Throws where there are no such places. */
  sizes(coordinates: Coordinates): readonly number[];
  /** The two functions of `Places.wgsl`. */
  place(coordinates: Coordinates): Wgsl;
  point(coordinates: Coordinates): Wgsl;
  placeTwin(point: readonly number[]): number;
  pointTwin(place: number, coordinates: Coordinates): number[];
  /** What `WidePlaces.place` is, and its twin. Throws for points that the order does not know. */
  wide(coordinates: Coordinates): Wgsl;
  /** From coordinates that are counted from −2³¹ on. */
  wideTwin(point: readonly number[]): number[];
}

/** Adding it to a signed coordinate, modulo 2³², counts from the least one on. It only turns the first bit round. */
export const LEAST = 0x8000_0000;

const AXES = ['x', 'y', 'z', 'w'];

/** An order by what makes it. WGSL is made once for every number of coordinates. */
export function placeOrder(numbering: Numbering): PlaceOrder {
  const { name, options, withOptions } = numbering;
  const places = kept((of: Numbering, coordinates: Coordinates) => placesOf(of, coordinates));
  const wide = kept(
    (of: Numbering, coordinates: Coordinates): WidePlaces => ({
      words: coordinates,
      place: of.wide(coordinates),
      twin: (key) => of.wideTwin(key.map((word) => (word ^ LEAST) >>> 0)),
    }),
  );
  return {
    name,
    options,
    withOptions,
    of: <N extends Coordinates>(coordinates: N) =>
      within(`${name}.of`, () => {
        requireCoordinates(coordinates);
        return places(numbering, coordinates) as unknown as Places<N>;
      }),
    wide: (coordinates) =>
      within(`${name}.wide`, () => {
        requireCoordinates(coordinates);
        return wide(numbering, coordinates);
      }),
  };
}

function placesOf(numbering: Numbering, coordinates: Coordinates): Places<Coordinates> {
  const { name } = numbering;
  const sizes = numbering.sizes(coordinates);
  const count = sizes.reduce((product, size) => product * size, 1);
  const placeTwin = (point: readonly number[]): number => {
    for (const [axis, size] of sizes.entries()) requireBelow(AXES[axis] as string, size, point[axis]);
    return numbering.placeTwin(point);
  };
  const pointTwin = (place: number): number[] => {
    requireBelow('place', count, place);
    return numbering.pointTwin(place, coordinates);
  };
  return {
    coordinates,
    sizes,
    place: (...point: number[]) =>
      within(`${name}.place`, () => {
        if (point.length !== coordinates) {
          throw new InvalidInputError(`a point has ${coordinates} coordinates, not ${point.length}`);
        }
        return placeTwin(point);
      }),
    point: (place) => within(`${name}.point`, () => pointTwin(place) as Point<Coordinates>),
    places: (points) =>
      within(`${name}.places`, () => {
        requireArray(points, 'points', ['Uint32Array', 'Int32Array']);
        if (points.length % coordinates !== 0) {
          throw new InvalidInputError(`points of ${coordinates} coordinates cannot be ${points.length} numbers`);
        }
        const places = new Uint32Array(points.length / coordinates);
        for (let i = 0; i < places.length; i++) {
          places[i] = placeTwin([...points.subarray(i * coordinates, (i + 1) * coordinates)]);
        }
        return places;
      }),
    points: (places) =>
      within(`${name}.points`, () => {
        requireArray(places, 'places', ['Uint32Array']);
        const points = new Uint32Array(places.length * coordinates);
        for (let i = 0; i < places.length; i++) points.set(pointTwin(places[i] as number), i * coordinates);
        return points;
      }),
    wgsl: { place: numbering.place(coordinates), point: numbering.point(coordinates) },
  };
}

function requireCoordinates(coordinates: unknown): void {
  if (![2, 3, 4].includes(coordinates as number)) refuse('coordinates', '2, 3 or 4', coordinates);
}

function requireBelow(name: string, size: number, value: unknown): void {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < size) return;
  refuse(name, `a whole number below ${size}`, value);
}

function requireArray(array: unknown, name: string, kinds: readonly string[]): void {
  if (!kinds.includes(arrayKind(array) as string)) refuse(name, `a ${kinds.join(' or ')}`, array);
  requireAttached(array, name);
}
