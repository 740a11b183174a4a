/** How columns of Apache Arrow become keys: which type is which, and the words of their rows. */
import {
  type Data,
  type DataType,
  type Date_,
  DateUnit,
  type Decimal,
  type Dictionary,
  type Float,
  type Int,
  type Interval,
  IntervalUnit,
  Precision,
  type Time,
  type Timestamp,
  TimeUnit,
  Type,
  Vector,
} from 'apache-arrow';
import { InvalidInputError, UnsupportedError } from '../../gpu/index.ts';
import {
  bytes as byteStrings,
  type ContextPieces,
  f32,
  i32,
  i64,
  type KeyType,
  spelledAlike,
  u32,
  u64,
  utf8,
  writeSlices,
} from '../../keys/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { bitAt, hasNulls, isValid } from './bits.ts';
import { float64, fourWords, int128, int256, twoWords } from './wideKeys.wgsl.ts';

/** What a type of Arrow is as a key. */
interface ArrowKey {
  readonly key: KeyType;
  /** Columns are compared if they are of one kind: Int8 with Int32, Utf8 with LargeUtf8 and dictionaries of them, but no Int32 with a date. */
  readonly kind: string;
  /** The words of the rows of a chunk; strings add their bytes to the context. */
  read(data: Data, context: ContextPieces): Uint32Array;
}

const unitName = (unit: TimeUnit): string => TimeUnit[unit].toLowerCase();

/** What a type is as a key, without regard to dictionaries; undefined for lists and other types that are none. */
function plainKey(type: DataType): ArrowKey | undefined {
  // biome-ignore lint/suspicious/noExplicitAny: a key type of one kind of arrays among those of others.
  const of = (kind: string, key: KeyType<any>, read: ArrowKey['read'] = words): ArrowKey => ({ key, kind, read });
  switch (type.typeId) {
    case Type.Int: {
      const { bitWidth, isSigned } = type as Int;
      if (bitWidth === 64) return isSigned ? of('int64', i64) : of('uint64', u64);
      return isSigned ? of('int', i32, widened(Int32Array)) : of('uint', u32, widened(Uint32Array));
    }
    case Type.Float: {
      const { precision } = type as Float;
      if (precision === Precision.DOUBLE) return of('float64', float64, doubles);
      return of('float', f32, precision === Precision.HALF ? halves : singles);
    }
    case Type.Bool:
      return of('bool', u32, ({ values, offset, length }) =>
        Uint32Array.from({ length }, (_, i) => bitAt(values, offset + i)),
      );
    case Type.Date: {
      const isDays = (type as Date_).unit === DateUnit.DAY;
      return isDays ? of('date in days', i32) : of('date in milliseconds', i64);
    }
    case Type.Time: {
      const { unit, bitWidth } = type as Time;
      return of(`time in ${unitName(unit)}s`, bitWidth === 32 ? i32 : i64);
    }
    case Type.Timestamp: {
      // With a time zone it is a point in time, whichever the zone.
      const { unit, timezone } = type as Timestamp;
      return of(`timestamp in ${unitName(unit)}s${timezone ? ' of UTC' : ''}`, i64);
    }
    case Type.Duration:
      return of(`duration in ${unitName((type as { unit?: TimeUnit }).unit as TimeUnit)}s`, i64);
    case Type.Interval: {
      const { unit } = type as Interval;
      if (unit === IntervalUnit.YEAR_MONTH) return of('interval in months', i32);
      return unit === IntervalUnit.DAY_TIME ? of('interval of days', twoWords) : of('interval of months', fourWords);
    }
    case Type.Decimal: {
      const { scale, bitWidth } = type as Decimal;
      const key = { 128: int128, 256: int256 }[bitWidth];
      return key && of(`decimal of ${bitWidth} bits with ${scale} digits behind the point`, key);
    }
    case Type.Utf8:
    case Type.LargeUtf8:
      return of('text', utf8, slices);
    case Type.Utf8View:
      return of('text', utf8, views);
    case Type.Binary:
    case Type.LargeBinary:
      return of('bytes', byteStrings, slices);
    case Type.BinaryView:
      return of('bytes', byteStrings, views);
    case Type.FixedSizeBinary:
      return of('bytes', byteStrings, fixedSlices);
    default:
      return undefined;
  }
}

/** The type of the values of a column: of a dictionary's entries, where there is one. */
export const valueTypeOf = (type: DataType): DataType =>
  type.typeId === Type.Dictionary ? (type as Dictionary).dictionary : type;

/** What a column is as a key. Throws `UnsupportedError` for types that are no keys, with the name of the column. */
export function arrowKey(type: DataType, name: string): ArrowKey {
  const found = plainKey(valueTypeOf(type));
  if (found) return found;
  throw new UnsupportedError(
    `${name} is ${type}: lists, structs, maps, unions, nulls and decimals of other than 128 or 256 bits are no keys`,
  );
}

/** Throws unless it is a vector of Arrow. */
export function requireVector(vector: unknown, name: string): void {
  if (Vector.isVector(vector)) return;
  throw new InvalidInputError(
    `${name} must be a Vector of Apache Arrow, not ${vector === null ? 'null' : typeof vector}`,
  );
}

/** Throws unless the arrays of a chunk are as long as its rows need: whoever transfers an array leaves an empty one. */
export function requireMemory(data: Data, name: string): void {
  const { type, values, valueOffsets, nullBitmap, offset, length, stride } = data;
  const hasOffsets = [Type.Utf8, Type.LargeUtf8, Type.Binary, Type.LargeBinary].includes(type.typeId);
  const elements = type.typeId === Type.Bool ? Math.ceil((offset + length) / 8) : length * stride;
  const isWhole =
    length === 0 ||
    ((hasOffsets ? valueOffsets?.length > length : values?.length >= elements) &&
      (!hasNulls(data) || nullBitmap.length >= Math.ceil((offset + length) / 8)));
  if (!isWhole) throw new InvalidInputError(`${name}: a chunk of ${length} rows has not the memory for them`);
}

/** The same memory as words, where a value is one word or more. */
const words: ArrowKey['read'] = ({ values, length, stride }) => {
  const width = (values.BYTES_PER_ELEMENT * stride) / WORD_BYTES;
  return new Uint32Array(values.buffer, values.byteOffset, length * width);
};

/** Integers of 32 bits as they lie, and copies of shorter ones. */
const widened =
  (array: typeof Int32Array | typeof Uint32Array): ArrowKey['read'] =>
  (data, context) => {
    const { values, length } = data;
    if (values.BYTES_PER_ELEMENT === 4) return words(data, context);
    return new Uint32Array(array.from(values.subarray(0, length)).buffer);
  };

/** Numbers are the same as in a `Map`: −0 is 0, and every NaN is every other. */
const singles: ArrowKey['read'] = ({ values, length }) => spelledAlike(values.subarray(0, length));

const halves: ArrowKey['read'] = (data) => {
  const numbers = new Vector([data]);
  return spelledAlike(Float32Array.from({ length: data.length }, (_, i) => numbers.get(i) ?? 0));
};

const doubles: ArrowKey['read'] = (data, context) => {
  const given = words(data, context);
  const { values, length } = data;
  const isOther = (i: number) => Object.is(values[i], -0) || Number.isNaN(values[i]);
  let spelled: Uint32Array | undefined;
  for (let i = 0; i < length; i++) {
    if (!isOther(i)) continue;
    spelled ??= given.slice();
    spelled[2 * i] = 0;
    spelled[2 * i + 1] = Number.isNaN(values[i]) ? 0x7ff8_0000 : 0;
  }
  return spelled ?? given;
};

const slices: ArrowKey['read'] = ({ values, valueOffsets, length }, context) => {
  const written = new Uint32Array(2 * length);
  if (length > 0) writeSlices({ bytes: values, offsets: valueOffsets.subarray(0, length + 1) }, written, context);
  return written;
};

const fixedSlices: ArrowKey['read'] = ({ values, length, stride }, context) => {
  const start = context.add(values.subarray(0, length * stride));
  return Uint32Array.from({ length: 2 * length }, (_, i) => (i % 2 === 0 ? start + (i / 2) * stride : stride));
};

/** Bytes of a view: the length, and then up to twelve bytes, or the first four, the number of a buffer and an offset there. */
const VIEW_BYTES = 16;
const INLINE_BYTES = 12;

const views: ArrowKey['read'] = (data, context) => {
  const { values, length, variadicBuffers } = data;
  const start = context.add(values.subarray(0, length * VIEW_BYTES));
  const starts = variadicBuffers.map((buffer) => context.add(buffer));
  const view = new DataView(values.buffer, values.byteOffset, length * VIEW_BYTES);
  const written = new Uint32Array(2 * length);
  for (let i = 0; i < length; i++) {
    // Nobody says what stands where there is no value.
    if (!isValid(data, i)) continue;
    const at = i * VIEW_BYTES;
    const bytes = view.getInt32(at, true);
    const [buffer, offset] = [view.getInt32(at + 8, true), view.getInt32(at + 12, true)];
    const isInline = bytes <= INLINE_BYTES;
    if (bytes < 0 || !(isInline || (offset >= 0 && offset + bytes <= (variadicBuffers[buffer]?.length ?? 0)))) {
      throw new InvalidInputError(`a view of ${bytes} bytes reaches past its buffer`);
    }
    written[2 * i] = isInline ? start + at + 4 : (starts[buffer] as number) + offset;
    written[2 * i + 1] = bytes;
  }
  return written;
};
