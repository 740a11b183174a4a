/** How the values of a key become one. */
import { InvalidInputError, refuse, requireMembers, UnsupportedError } from '../../gpu/index.ts';
import { type ValueType, valueTypes, wordsOfValue } from '../../table/values.ts';
import { Wgsl, wgsl } from '../../wgsl/index.ts';

/** WGSL types that values may be combined in: one, two or four words. */
export type AccumulatorType = 'u32' | 'i32' | 'f32' | `vec${2 | 4}${'u' | 'i' | 'f'}`;

/** The array that results of such a type come back in, `vec2f` as two numbers a key. */
export type AccumulatorArray<T extends AccumulatorType> = T extends 'f32' | `vec${2 | 4}f`
  ? Float32Array
  : T extends 'i32' | `vec${2 | 4}i`
    ? Int32Array
    : Uint32Array;

/**
 * A combiner of your own. Values are combined in the order of the input, in pieces of fixed length, and the pieces in
 * order too: the same input has the same result every time, whether or not the function is associative.
 * @example
 * const mean = { accumulator: 'vec2f', identity: [0, 0],
 *   lift: wgsl`fn lift(v: f32) -> vec2f { return vec2f(v, 1.0); }`,
 *   combine: wgsl`fn add(a: vec2f, b: vec2f) -> vec2f { return a + b; }` } as const;
 */
export interface CustomCombiner<T extends AccumulatorType = AccumulatorType> {
  readonly accumulator: T;
  /** What every piece of 256 values begins with: a number for each component. */
  readonly identity: number | readonly number[];
  /** WGSL: `(value) -> accumulator`. Default: the value itself, which must then be of that type. */
  readonly lift?: Wgsl;
  /** WGSL: `(a: accumulator, b: accumulator) -> accumulator`. */
  readonly combine: Wgsl;
}

/** The combiners that have a name. A `sum` of u32 or i32 values wraps around at 2³², without an error. */
export type CombinerName = 'count' | 'sum' | 'min' | 'max';

/** A combiner, ready for use. */
export interface Combiner {
  readonly accumulator: AccumulatorType;
  /** The type of one component. */
  readonly scalar: ValueType;
  readonly words: 1 | 2 | 4;
  /** As words. */
  readonly identity: readonly number[];
  /** The atomic function that does it, for combiners that no order can change. */
  readonly atomic?: 'atomicAdd' | 'atomicMin' | 'atomicMax';
  /** Whether each value counts as 1. */
  readonly counts?: boolean;
  readonly lift?: Wgsl | undefined;
  readonly combine: Wgsl;
}

const ATOMICS = { count: 'atomicAdd', sum: 'atomicAdd', min: 'atomicMin', max: 'atomicMax' } as const;

type ScalarName = 'u32' | 'i32' | 'f32';

const ENDS: Readonly<Record<ScalarName, { readonly least: number; readonly greatest: number }>> = {
  u32: { least: 0, greatest: 0xffff_ffff },
  i32: { least: -(2 ** 31), greatest: 2 ** 31 - 1 },
  f32: { least: Number.NEGATIVE_INFINITY, greatest: Number.POSITIVE_INFINITY },
};

/** Checks a combiner for values of that type; `undefined` if there are no values. */
export function resolveCombiner(combine: CombinerName | CustomCombiner, value: ValueType | undefined): Combiner {
  if (combine === 'count') return named('count', valueTypes.u32);
  const isName = typeof combine === 'string' && Object.hasOwn(ATOMICS, combine);
  if (!isName && (typeof combine !== 'object' || combine === null)) {
    refuse('combine', 'count, sum, min, max or a combiner of your own', combine);
  }
  if (!value) throw new InvalidInputError('there are no values to combine; only count can do without');
  return isName ? named(combine, value) : custom(combine as CustomCombiner, value);
}

/** A letter, or a number of components and a letter. */
const ACCUMULATOR = /^(?:([uif])32|vec([24])([uif]))$/;

const isScalar = (name: ValueType['name']): name is ScalarName => name in ENDS;

function named(name: CombinerName, type: ValueType): Combiner {
  if (!isScalar(type.name)) {
    throw new UnsupportedError(`the ${name} of ${type.name} values needs a combiner of your own: { combine: { … } }`);
  }
  const { least, greatest } = ENDS[type.name];
  const identity = { count: 0, sum: 0, min: greatest, max: least }[name];
  const expression = { count: 'a + b', sum: 'a + b', min: 'min(a, b)', max: 'max(a, b)' }[name];
  return {
    accumulator: type.name,
    scalar: type,
    words: 1,
    identity: wordsOfValue(identity, type),
    // There are no atomics for f32, and its sums depend on the order.
    ...(type.name !== 'f32' && { atomic: ATOMICS[name] }),
    counts: name === 'count',
    combine: wgsl`fn combine(a: ${type.name}, b: ${type.name}) -> ${type.name} { return ${expression}; }`,
  };
}

function custom(combiner: CustomCombiner, value: ValueType): Combiner {
  requireMembers(combiner, 'combine', ['accumulator', 'identity', 'lift', 'combine']);
  const { accumulator, identity, lift, combine } = combiner;
  const [, one, width, ofMany] = ACCUMULATOR.exec(typeof accumulator === 'string' ? accumulator : '') ?? [];
  const letter = one ?? ofMany;
  if (!letter) refuse('accumulator', 'u32, i32, f32, vec2f or the like', accumulator);
  const scalar = valueTypes[`${letter as 'u' | 'i' | 'f'}32`];
  const words = width ? (Number(width) as 2 | 4) : 1;
  const { length } = Array.isArray(identity) ? identity : [identity];
  if (length !== words) {
    throw new InvalidInputError(`the identity has ${length} numbers, a ${accumulator} has ${words}`);
  }
  const components = Array.isArray(identity) ? Array.from(identity) : [identity as number];
  for (const [name, part] of Object.entries({ combine, lift })) {
    const isOptional = name === 'lift' && part === undefined;
    if (!isOptional && !(part instanceof Wgsl && part.declares)) {
      throw new InvalidInputError(`${name} must be a WGSL function, written with the template wgsl`);
    }
  }
  if (!lift && accumulator !== value.shaderType) {
    throw new InvalidInputError(`values of ${value.name} need a function \`lift\` to become ${accumulator}`);
  }
  return {
    accumulator,
    scalar,
    words,
    identity: components.flatMap((n) => wordsOfValue(n, scalar, 'identity')),
    lift,
    combine,
  };
}
