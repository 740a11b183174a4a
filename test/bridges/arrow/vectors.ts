/** Vectors of every type, cut into chunks, sliced, with nulls and with dictionaries, from numbers that tell which value is meant. */
import {
  Binary,
  BinaryView,
  Bool,
  type DataType,
  DateDay,
  DateMillisecond,
  Decimal,
  Dictionary,
  DurationMicrosecond,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  IntervalDayTime,
  IntervalMonthDayNano,
  IntervalYearMonth,
  LargeBinary,
  LargeList,
  LargeUtf8,
  List,
  Map_,
  Null,
  Struct,
  Table,
  TimeNanosecond,
  TimeSecond,
  TimestampMillisecond,
  TimestampNanosecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Utf8View,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';

/** A type of vectors with some values, all different; in their order, if there is one. */
export interface Kind {
  readonly name: string;
  readonly type: DataType;
  readonly values: readonly unknown[];
  readonly isOrdered: boolean;
}

const kind = (type: DataType, values: readonly unknown[], isOrdered = true): Kind => ({
  name: String(type),
  type,
  values,
  isOrdered,
});

const words = (...all: number[][]) => all.map((one) => Uint32Array.from(one));
const bytes = (...all: number[][]) => all.map((one) => Uint8Array.from(one));
const TEXTS = ['', 'a', 'a longer text, which is no part of its view', 'ab', 'é', '\u{1f600}'];
const BYTES = bytes([], [0], [0, 0], [1, ...Array<number>(20).fill(7)], [255]);
const DAY = 86_400_000;

/** Types that are keys. */
export const KEY_KINDS: readonly Kind[] = [
  kind(new Int8(), [-128, -1, 0, 1, 127]),
  kind(new Int16(), [-32_768, -1, 0, 1, 32_767]),
  kind(new Int32(), [-(2 ** 31), -1, 0, 1, 2 ** 31 - 1]),
  kind(new Int64(), [-(2n ** 63n), -1n, 0n, 2n ** 32n, 2n ** 63n - 1n]),
  kind(new Uint8(), [0, 1, 128, 254, 255]),
  kind(new Uint16(), [0, 1, 2 ** 15, 65_534, 65_535]),
  kind(new Uint32(), [0, 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1]),
  kind(new Uint64(), [0n, 1n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n]),
  kind(new Float16(), [Number.NEGATIVE_INFINITY, -1.5, 0, 0.25, Number.POSITIVE_INFINITY]),
  kind(new Float32(), [Number.NEGATIVE_INFINITY, -1.5, 0, 2 ** -140, Number.NaN]),
  kind(new Float64(), [Number.NEGATIVE_INFINITY, -1.5, 0, 5e-324, 1 + 2 ** -52, Number.NaN]),
  kind(new Bool(), [false, true]),
  kind(
    new DateDay(),
    [-5, 0, 1, 20_000].map((day) => new Date(day * DAY)),
  ),
  kind(
    new DateMillisecond(),
    [-5, 0, 1, 20_000].map((day) => new Date(day * DAY)),
  ),
  kind(new TimeSecond(), [0, 1, 59, 86_399]),
  kind(new TimeNanosecond(), [0n, 1n, 2n ** 32n, 86_399_999_999_999n]),
  kind(new TimestampMillisecond(), [-1, 0, 1, 2 ** 40]),
  kind(new TimestampNanosecond('Europe/Oslo'), [-1000, 0, 1, 2 ** 40]),
  kind(new DurationMicrosecond(), [-(2n ** 40n), 0n, 1n, 2n ** 40n]),
  kind(
    new IntervalYearMonth(),
    [
      [0, 1],
      [1, 0],
      [2, 3],
    ].map((one) => Int32Array.from(one)),
    true,
  ),
  kind(
    new IntervalDayTime(),
    [
      [0, 1],
      [1, 0],
      [-1, 5],
    ].map((one) => Int32Array.from(one)),
    false,
  ),
  kind(
    new IntervalMonthDayNano(),
    [
      [0, 1, 0, 0],
      [1, 0, 0, 0],
      [0, 0, 0, 1],
    ].map((one) => Int32Array.from(one)),
    false,
  ),
  kind(new Decimal(2, 30), words([0, 0, 0, 2 ** 31], [2 ** 32 - 1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0])),
  kind(
    new Decimal(2, 60, 256),
    words([0, 0, 0, 0, 0, 0, 0, 2 ** 31], [1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0]),
  ),
  kind(new Utf8(), TEXTS),
  kind(new LargeUtf8(), TEXTS),
  kind(new Utf8View(), TEXTS),
  kind(new Binary(), BYTES),
  kind(new LargeBinary(), BYTES),
  kind(new BinaryView(), BYTES),
  kind(new FixedSizeBinary(3), bytes([0, 0, 0], [0, 0, 1], [1, 0, 0], [255, 255, 255])),
];

const item = new Field('item', new Int32());
const entries = new Field(
  'entries',
  new Struct([new Field('key', new Utf8()), new Field('value', new Int32())]),
) as ConstructorParameters<typeof Map_>[0];

/** Types that are no keys, but go with the rows. */
export const OTHER_KINDS: readonly Kind[] = [
  kind(new List(item), [[], [1], [1, 2]]),
  kind(new LargeList(item), [[], [1], [1, 2]]),
  kind(new FixedSizeList(2, item), [
    [1, 2],
    [3, 4],
  ]),
  kind(new Struct([new Field('a', new Int32()), new Field('b', new Utf8())]), [
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ]),
  kind(new Map_(entries), [new Map([['a', 1]]), new Map()]),
  kind(new Null(), [null]),
];

/** Which value stands in a row, by its number; null where there is none. */
export type Cells = readonly (number | null)[];

/** How a vector lies in memory. */
export interface Layout {
  /** Where chunks end, as parts of the whole. */
  readonly cuts: readonly number[];
  /** Rows before and behind each chunk that are sliced off. */
  readonly before: number;
  readonly behind: number;
  /** Whether rows are entries of dictionaries: of one for all chunks, or of one for each. */
  readonly dictionary: 'none' | 'one' | 'each';
}

export const layouts: fc.Arbitrary<Layout> = fc.record({
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
  before: fc.integer({ min: 0, max: 9 }),
  behind: fc.integer({ min: 0, max: 2 }),
  dictionary: fc.constantFrom('none', 'none', 'one', 'each'),
});

/** Cells of a kind, some of them null. */
export const cellsOf = ({ values }: Kind, maxLength = 40): fc.Arbitrary<Cells> =>
  fc
    .boolean()
    .chain((hasNulls) => fc.array(fc.option(fc.nat(values.length - 1), { freq: hasNulls ? 4 : 1e9 }), { maxLength }));

/** A vector of these cells. */
export function vectorOf({ type, values }: Kind, cells: Cells, layout?: Partial<Layout>): Vector {
  const { cuts = [], before = 0, behind = 0, dictionary = 'none' } = layout ?? {};
  const made = (some: Cells) =>
    vectorFromArray(
      some.map((cell) => (cell === null ? null : values[cell])) as never[],
      dictionary === 'none' ? type : new Dictionary(type, new Int8()),
    );
  const pad = (rows: number): Cells => Array.from({ length: rows }, (_, i) => (i % 3 === 2 ? null : i % values.length));
  const ends = [...cuts.map((cut) => Math.floor(cut * cells.length)), cells.length].sort((a, b) => a - b);
  const [first, ...others] = ends.map((end, i) => {
    const part = cells.slice(ends[i - 1] ?? 0, end);
    return { part, padded: [...pad(before), ...part, ...pad(behind)] };
  });
  const parts = [first, ...others].flatMap((one) => one ?? []);
  if (dictionary !== 'one') {
    const [head, ...tail] = parts.map(({ part, padded }) => made(padded).slice(before, before + part.length)) as [
      Vector,
    ];
    return head.concat(...tail);
  }
  const whole = made(parts.flatMap(({ padded }) => padded));
  let at = 0;
  const [head, ...tail] = parts.map(({ part, padded }) => {
    const slice = whole.slice(at + before, at + before + part.length);
    at += padded.length;
    return slice;
  }) as [Vector];
  return head.concat(...tail);
}

/** A table of vectors by name; chunks stay where they are. */
export const tableOf = (columns: Readonly<Record<string, Vector>>): Table => new Table(columns as never);

/** A value as a text that no other has. */
export function text(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (ArrayBuffer.isView(value)) return `[${[...(value as Uint8Array)]}]`;
  if (typeof value === 'object') return JSON.stringify(value);
  return `${typeof value} ${Object.is(value, -0) ? '-0' : value}`;
}

/** The texts of the values of a vector. */
export const textsOf = (vector: Vector | null): string[] =>
  Array.from({ length: vector?.length ?? 0 }, (_, i) => text(vector?.get(i)));
