/** How the values of a key become one. */
import { InvalidInputError, refuse, requireMembers, UnsupportedError } from '../../gpu/index.ts';
import { type ValueType, valueTypes, wordsOfValue } from '../../table/values.ts';
import { kept, Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';

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
 * const moments = { accumulator: 'vec2f', identity: [0, 0],
 *   lift: wgsl`fn lift(v: f32) -> vec2f { return vec2f(v, v * v); }`,
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

/**
 * The combiners that have a name:
 * - `'count'`: how many items the key has. It needs no values.
 * - `'sum'`: in the type of the values. **A sum of u32 or i32 values wraps around at 2³², without an error**; take `'sum64'` for those that
 *   may be greater. f32 values are added in a fixed order.
 * - `'sum64'`: the exact sum of u32 or i32 values, as a `BigUint64Array` or `BigInt64Array`; of u64 and i64 values, modulo 2⁶⁴. In
 *   shaders a `vec2u(low, high)`.
 * - `'mean'`: the exact sum of u32 or i32 values, or the `'sum'` of f32 values, divided by their number, as f32: right to a few units in
 *   the last place.
 * - `'min'`, `'max'`: in the type of the values.
 */
export type CombinerName = 'count' | 'sum' | 'sum64' | 'mean' | 'min' | 'max';

/** A combiner, ready for use. */
export interface Combiner {
  /** What results are: as shaders see them, and the type of one component. */
  readonly result: { readonly type: AccumulatorType; readonly scalar: ValueType; readonly words: 1 | 2 | 4 };
  /** Words of an accumulator. */
  readonly words: 1 | 2 | 4;
  /** As words. */
  readonly identity: readonly number[];
  /** Whether each value counts as 1. */
  readonly counts?: boolean;
  /** How it is done: by atomics where no order can change the outcome, else by folding in order. */
  readonly way: AtomicWay | FoldWay;
  /** WGSL: `(accumulator) -> result`, where these are not the same. */
  readonly finish?: Wgsl;
}

/** Combining by atomics. */
export interface AtomicWay {
  /** The type of the words of accumulators. */
  readonly cell: 'u32' | 'i32';
  /** The WGSL type that values are combined in before they are added. */
  readonly sum: 'u32' | 'i32' | 'vec2u' | 'vec3u';
  /** From an expression of the values' type to one of that type. */
  lift(value: WgslPart): WgslPart;
  /** WGSL: `(a: sum, b: sum) -> sum`. */
  readonly combine: Wgsl;
  /** Statements that add an expression of that type to an accumulator, whose words are `cell(i)`. */
  add(cell: (i: number) => WgslPart, sum: WgslPart): WgslPart;
}

/** Combining in order. */
export interface FoldWay {
  readonly accumulator: AccumulatorType;
  readonly lift?: Wgsl | undefined;
  readonly combine: Wgsl;
}

/** Whether a combiner does without an order. */
export const isAtomic = (way: AtomicWay | FoldWay): way is AtomicWay => 'cell' in way;

const NAMES: readonly CombinerName[] = ['count', 'sum', 'sum64', 'mean', 'min', 'max'];

type ScalarName = 'u32' | 'i32' | 'f32';
type PlainName = 'sum' | 'min' | 'max';

const ENDS: Readonly<Record<ScalarName, { readonly least: number; readonly greatest: number }>> = {
  u32: { least: 0, greatest: 0xffff_ffff },
  i32: { least: -(2 ** 31), greatest: 2 ** 31 - 1 },
  f32: { least: Number.NEGATIVE_INFINITY, greatest: Number.NaN },
};

/** Checks a combiner for values of that type; `undefined` if there are no values. */
export function resolveCombiner(combine: CombinerName | CustomCombiner, value: ValueType | undefined): Combiner {
  if (combine === 'count') return COUNT;
  const isName = NAMES.includes(combine as CombinerName);
  if (!isName && (typeof combine !== 'object' || combine === null)) {
    refuse('combine', `${NAMES.join(', ')} or a combiner of your own`, combine);
  }
  if (!value) throw new InvalidInputError('there are no values to combine; only count can do without');
  return isName ? named(value, combine as Named) : custom(combine as CustomCombiner, value);
}

type Named = Exclude<CombinerName, 'count'>;

/** The same object for the same name and type: kernels are found by it. */
const named = kept((type: ValueType, name: Named): Combiner => {
  if (name === 'sum64') return wideSum(type);
  return name === 'mean' ? mean(type) : plain(name, type);
});

const isScalar = (name: ValueType['name']): name is ScalarName => name in ENDS;

const refuseType = (name: CombinerName, type: ValueType): never => {
  throw new UnsupportedError(`the ${name} of ${type.name} values needs a combiner of your own: { combine: { … } }`);
};

const resultOf = (type: AccumulatorType, scalar: ValueType, words: 1 | 2 | 4): Combiner['result'] => ({
  type,
  scalar,
  words,
});

const COUNT: Combiner = {
  result: resultOf('u32', valueTypes.u32, 1),
  words: 1,
  identity: [0],
  counts: true,
  way: {
    cell: 'u32',
    sum: 'u32',
    lift: () => '1u',
    combine: wgsl`fn combine(a: u32, b: u32) -> u32 { return a + b; }`,
    add: (cell, sum) => wgsl`atomicAdd(&${cell(0)}, ${sum});`,
  },
};

const ATOMICS = { sum: 'atomicAdd', min: 'atomicMin', max: 'atomicMax' } as const;

/** WGSL: floats in their order, by their bits: `min` and `max` of WGSL may give anything where there is a NaN. */
const rank = wgsl`
fn rank(value: f32) -> i32 {
  let bits = bitcast<i32>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) { return 0x7fffffff; }
  return bits ^ ((bits >> 31u) & 0x7fffffff);
}`;

/** WGSL: `(a, b)` to their sum, the least or the greatest, and what it begins with. */
export function plainCombiner(name: PlainName, type: ValueType) {
  if (!isScalar(type.name)) return refuseType(name, type);
  const { least, greatest } = ENDS[type.name];
  const ofFloats = wgsl`select(b, a, ${rank}(a) ${name === 'min' ? '<' : '>'} ${rank}(b))`;
  const expression = name === 'sum' ? 'a + b' : type.name === 'f32' ? ofFloats : `${name}(a, b)`;
  return {
    scalar: type.name,
    identity: wordsOfValue({ sum: 0, min: greatest, max: least }[name], type),
    combine: wgsl`fn combine(a: ${type.name}, b: ${type.name}) -> ${type.name} { return ${expression}; }`,
  };
}

function plain(name: PlainName, type: ValueType): Combiner {
  const { scalar, identity, combine } = plainCombiner(name, type);
  // There are no atomics for f32, and its sums depend on the order.
  const way: Combiner['way'] =
    scalar === 'f32'
      ? { accumulator: 'f32', combine }
      : {
          cell: scalar,
          sum: scalar,
          lift: (value) => value,
          combine,
          add: (cell, sum) => wgsl`${ATOMICS[name]}(&${cell(0)}, ${sum});`,
        };
  return { result: resultOf(scalar, type, 1), words: 1, identity, way };
}

/** WGSL: the two words of a value as a 64-bit integer. */
const LIFTED: Readonly<Record<string, (value: WgslPart) => WgslPart>> = {
  u32: (value) => wgsl`vec2u(${value}, 0u)`,
  i32: (value) => wgsl`vec2u(bitcast<u32>(${value}), select(0u, 0xffffffffu, ${value} < 0))`,
  u64: (value) => value,
  i64: (value) => value,
};

/** Adds to 64 bits in two words. Every addition sees the low word before it, so each carry is seen by exactly one. */
const addWide = (cell: (i: number) => WgslPart, sum: WgslPart): WgslPart => wgsl`
  let wide = ${sum};
  let before = atomicAdd(&${cell(0)}, wide.x);
  let high = wide.y + u32(before + wide.x < before);
  if (high != 0u) { atomicAdd(&${cell(1)}, high); }`;

const sumWide = wgsl`
fn sumWide(a: vec2u, b: vec2u) -> vec2u {
  let low = a.x + b.x;
  return vec2u(low, a.y + b.y + u32(low < a.x));
}`;

function wideSum(type: ValueType): Combiner {
  const lifted = LIFTED[type.name] ?? refuseType('sum64', type);
  const scalar = type.name.startsWith('i') ? valueTypes.i64 : valueTypes.u64;
  return {
    result: resultOf('vec2u', scalar, 2),
    words: 2,
    identity: [0, 0],
    way: { cell: 'u32', sum: 'vec2u', lift: lifted, combine: sumWide, add: addWide },
  };
}

/** A sum in the first two words, or in the first as f32, and how many values there were in the third. */
function mean(type: ValueType): Combiner {
  if (!isScalar(type.name)) return refuseType('mean', type);
  const common = { result: resultOf('f32', valueTypes.f32, 1), words: 4, identity: [0, 0, 0, 0] } as const;
  if (type.name === 'f32') {
    return {
      ...common,
      way: {
        accumulator: 'vec4u',
        lift: wgsl`fn lift(value: f32) -> vec4u { return vec4u(bitcast<u32>(value), 0u, 1u, 0u); }`,
        combine: wgsl`
fn combine(a: vec4u, b: vec4u) -> vec4u {
  return vec4u(bitcast<u32>(bitcast<f32>(a.x) + bitcast<f32>(b.x)), 0u, a.z + b.z, 0u);
}`,
      },
      finish: wgsl`fn finish(sum: vec4u) -> f32 { return bitcast<f32>(sum.x) / f32(sum.z); }`,
    };
  }
  const lifted = LIFTED[type.name] as (value: WgslPart) => WgslPart;
  const isNegative = type.name === 'i32' ? '(sum.y >> 31u) == 1u' : 'false';
  return {
    ...common,
    way: {
      cell: 'u32',
      sum: 'vec3u',
      lift: (value) => wgsl`vec3u(${lifted(value)}, 1u)`,
      combine: wgsl`fn combine(a: vec3u, b: vec3u) -> vec3u { return vec3u(${sumWide}(a.xy, b.xy), a.z + b.z); }`,
      add: (cell, sum) => wgsl`${addWide(cell, wgsl`${sum}.xy`)} atomicAdd(&${cell(2)}, ${sum}.z);`,
    },
    finish: wgsl`
fn finish(sum: vec4u) -> f32 {
  let negative = ${isNegative};
  // The two's complement: a carry into the high word only where the low one is 0.
  let low = select(sum.x, 0u - sum.x, negative);
  let high = select(sum.y, ~sum.y + u32(sum.x == 0u), negative);
  let size = f32(high) * 4294967296.0 + f32(low);
  return select(size, -size, negative) / f32(sum.z);
}`,
  };
}

/** A letter, or a number of components and a letter. */
const ACCUMULATOR = /^(?:([uif])32|vec([24])([uif]))$/;

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
    result: resultOf(accumulator, scalar, words),
    words,
    identity: components.flatMap((n) => wordsOfValue(n, scalar, 'identity')),
    way: { accumulator, lift, combine },
  };
}
