/**
 * Values of groups, combined on the host in one pass over a column: it is here already, WGSL has neither floats nor integers of 64 bits, which
 * most columns are of, and the numbers of the groups are all that has to come back from the GPU.
 */
import {
  type Data,
  type DataType,
  type Date_,
  DateUnit,
  type Float,
  type Int,
  Precision,
  Type,
  type Union,
  UnionMode,
  Vector,
} from 'apache-arrow';
import { TooLargeError, UnsupportedError } from '../../gpu/index.ts';
import { NO_ROW } from '../../relational/join.wgsl.ts';
import { hasNulls, isValid } from './bits.ts';

/** The group of every row, and how many there are. */
export interface Groups {
  readonly numbers: Uint32Array;
  readonly size: number;
}

/** Values that can be combined. */
export interface ValuesKind {
  readonly isFloat: boolean;
  readonly isSigned: boolean;
  /** Whether a value is two words. */
  readonly isWide: boolean;
}

/** What the values of a column are; throws for types that cannot be combined so, with the name of the column. */
export function valuesKind(type: DataType, combiner: string, name: string): ValuesKind {
  const isOrder = combiner === 'min' || combiner === 'max';
  const found = numberKind(type) ?? (isOrder ? timeKind(type) : undefined);
  if (found) return found;
  const taken = isOrder ? 'numbers, dates and times' : 'numbers';
  throw new UnsupportedError(`${combiner} takes ${taken}, and ${name} is ${type}: cast it`);
}

const WHOLE = { isFloat: false, isSigned: true };

function numberKind(type: DataType): ValuesKind | undefined {
  if (type.typeId === Type.Float) return { isFloat: true, isSigned: true, isWide: false };
  if (type.typeId !== Type.Int) return undefined;
  const { isSigned, bitWidth } = type as Int;
  return { isFloat: false, isSigned, isWide: bitWidth === 64 };
}

function timeKind(type: DataType): ValuesKind | undefined {
  switch (type.typeId) {
    case Type.Date:
      return { ...WHOLE, isWide: (type as Date_).unit !== DateUnit.DAY };
    case Type.Time:
      return { ...WHOLE, isWide: (type as unknown as { bitWidth: number }).bitWidth === 64 };
    case Type.Timestamp:
    case Type.Duration:
      return { ...WHOLE, isWide: true };
    default:
      return undefined;
  }
}

/** Called with the group of a row that has a value, the value (of wide ones the upper word), the lower word, and the row. */
type Visit = (group: number, high: number, low: number, row: number) => void;

/** Visits all values of a column, in the order of the rows. */
function visitValues(vector: Vector, { isWide, isSigned }: ValuesKind, { numbers }: Groups, visit: Visit): void {
  let row = 0;
  for (const data of vector.data) {
    const mayLack = hasNulls(data);
    const { high, low, step } = partsOf(data, isWide, isSigned);
    for (let i = 0; i < data.length; i++, row++) {
      if (mayLack && !isValid(data, i)) continue;
      visit(numbers[row] as number, high[step * i + step - 1] as number, low ? (low[step * i] as number) : 0, row);
    }
  }
}

/** The values of a chunk as numbers: one each, or two words. */
function partsOf(data: Data, isWide: boolean, isSigned: boolean) {
  const { values, length, type } = data;
  if (type.typeId === Type.Float && (type as Float).precision === Precision.HALF) {
    const numbers = new Vector([data]);
    return { high: Float32Array.from({ length }, (_, i) => numbers.get(i) ?? 0), low: undefined, step: 1 };
  }
  if (!isWide) return { high: values as ArrayLike<number>, low: undefined, step: 1 };
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * length);
  return { high: isSigned ? new Int32Array(words.buffer, words.byteOffset, words.length) : words, low: words, step: 2 };
}

/** How many rows every group has; of a column, how many values. */
export function counts({ numbers, size }: Groups, vector?: Vector): Uint32Array<ArrayBuffer> {
  const many = new Uint32Array(size);
  let row = 0;
  for (const data of vector?.data ?? [undefined]) {
    const length = data?.length ?? numbers.length;
    for (let i = 0; i < length; i++, row++) {
      if (data !== undefined && !hasValue(data, i)) continue;
      const group = numbers[row] as number;
      many[group] = (many[group] as number) + 1;
    }
  }
  return many;
}

/** Whether a row of a chunk has a value: also the entry of a dictionary, or the part of a union, that it stands for. */
function hasValue(data: Data, i: number): boolean {
  const { type, children, dictionary, typeIds, values, valueOffsets } = data;
  switch (type.typeId) {
    case Type.Null:
      return false;
    case Type.Dictionary:
      return isValid(data, i) && (dictionary as Vector).isValid(Number(values[i]));
    case Type.Union: {
      const { mode, typeIdToChildIndex } = type as Union;
      const part = children[typeIdToChildIndex[typeIds[i] as number] as number] as Data;
      return hasValue(part, mode === UnionMode.Dense ? (valueOffsets[i] as number) : i);
    }
    default:
      return isValid(data, i);
  }
}

const WORD = 2 ** 32;
/** As far as a number counts without gaps. */
const MOST_HIGH = 2 ** 52;

/** The sums of groups: floats in `high` alone; of integers `high` · 2³² + `low`, exactly. */
export class Sums {
  readonly #high: Float64Array<ArrayBuffer>;
  readonly #low: Float64Array<ArrayBuffer>;

  constructor(
    readonly kind: ValuesKind,
    size: number,
  ) {
    this.#high = new Float64Array(size);
    this.#low = new Float64Array(kind.isFloat ? 0 : size);
  }

  addFloat(group: number, value: number): void {
    this.#high[group] = (this.#high[group] as number) + value;
  }

  /** Adds high · 2³² + low, where low is one word. */
  addWhole(group: number, high: number, low: number): void {
    const sum = (this.#low[group] as number) + low;
    const carry = sum >= WORD ? 1 : 0;
    const upper = (this.#high[group] as number) + high + carry;
    if (Math.abs(upper) > MOST_HIGH) throw new TooLargeError('a sum has more than 64 bits: combine fewer rows', 0);
    this.#low[group] = sum - carry * WORD;
    this.#high[group] = upper;
  }

  /** As numbers, rounded where they are no longer exact. */
  numberOf(group: number): number {
    const high = this.#high[group] as number;
    return this.kind.isFloat ? high : high * WORD + (this.#low[group] as number);
  }

  /** As an array of the type that the column of the result has. Throws if a sum needs more than 64 bits. */
  values(name: string): Float64Array | BigInt64Array | BigUint64Array {
    if (this.kind.isFloat) return this.#high;
    const { isSigned } = this.kind;
    const [least, most] = isSigned ? [-(2 ** 31), 2 ** 31] : [0, WORD];
    const words = new Uint32Array(2 * this.#high.length);
    this.#high.forEach((high, i) => {
      if (high < least || high >= most) throw new TooLargeError(`${name}: a sum has more than 64 bits`, 0);
      words[2 * i] = this.#low[i] as number;
      words[2 * i + 1] = high;
    });
    return isSigned ? new BigInt64Array(words.buffer) : new BigUint64Array(words.buffer);
  }
}

/** The sums of a column, floats in the order of the rows. */
export function sums(vector: Vector, kind: ValuesKind, groups: Groups): Sums {
  const all = new Sums(kind, groups.size);
  visitValues(vector, kind, groups, (group, high, low) => {
    if (kind.isFloat) all.addFloat(group, high);
    else if (kind.isWide) all.addWhole(group, high, low);
    else all.addWhole(group, high < 0 ? -1 : 0, high >>> 0);
  });
  return all;
}

/** Sums by the numbers of values; what has none is anything. */
export const meansOf = (all: Sums, many: Uint32Array): Float64Array =>
  Float64Array.from(many, (count, group) => all.numberOf(group) / count);

/** The first row with the least or the greatest value of every group; `NO_ROW` where there is none. */
export function bestRows(vector: Vector, kind: ValuesKind, groups: Groups, isGreatest: boolean): Uint32Array {
  const rows = new Uint32Array(groups.size).fill(NO_ROW);
  const highs = new Float64Array(groups.size);
  const lows = new Float64Array(groups.size);
  visitValues(vector, kind, groups, (group, high, low, row) => {
    const isFirst = rows[group] === NO_ROW;
    const [bestHigh, bestLow] = [highs[group] as number, lows[group] as number];
    const order = compare(high, bestHigh) || low - bestLow;
    if (!isFirst && (isGreatest ? order <= 0 : order >= 0)) return;
    rows[group] = row;
    highs[group] = high;
    lows[group] = low;
  });
  return rows;
}

/** The order of numbers; NaN is greater than all others. */
function compare(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
