/**
 * Table 1 of Due et al. 2025, section 4: construction from unique keys, lookup and membership of every key, for 64-bit
 * integers and for strings of 5 to 25 characters, with 32-bit values. Times are milliseconds.
 */
import { type KeyType, type SchemeName, u64, utf8 } from '../../src/index.ts';
import type { BenchRecord, Operation } from '../benchmark.ts';
import { type Configuration, makeScheme } from '../configurations.ts';

/** The items that the paper's times are for. */
export const DUE_ITEMS = 10_000_000;

/** The paper's columns, for either type of key: construction, lookup and membership. */
export const DUE_OPERATIONS = ['build', 'hit', 'has'] as const satisfies readonly Operation[];
export const DUE_KEYS: readonly KeyType[] = [u64, utf8];

/** A time for every operation. */
type Times = readonly [build: number, hit: number, has: number];

/** A row of the paper, measured on an A100. */
export interface PaperRow {
  readonly name: string;
  readonly times: Readonly<Record<string, Times>>;
  /** The scheme that does the same here. */
  readonly scheme?: SchemeName;
}

export const PAPER_ROWS: readonly PaperRow[] = [
  { name: 'Futhark, hash maps', scheme: 'perfect', times: { u64: [18.3, 3.3, 1.6], utf8: [33.2, 4.3, 2.8] } },
  { name: 'Futhark, binary search', scheme: 'sortedArray', times: { u64: [40.9, 6.2, 5.8], utf8: [83.0, 5.7, 5.8] } },
  { name: 'Futhark, Eytzinger', scheme: 'eytzinger', times: { u64: [42.3, 4.3, 2.4], utf8: [85.3, 5.3, 5.3] } },
  { name: 'cuCollections', times: { u64: [2.7, 1.1, 0.9], utf8: [2.7, 1.3, 1.2] } },
];

/** The paper's own, and others beside them. */
export const DUE_SCHEMES: readonly SchemeName[] = [
  'perfect',
  'sortedArray',
  'eytzinger',
  'linearProbing',
  'cuckoo',
  'twoLevelCuckoo',
  'bucketCuckoo',
  'chaining',
];

/** The tables to measure: maps with the defaults of their scheme. */
export const dueConfigurations = (items: number, names: readonly SchemeName[]): Configuration[] =>
  DUE_KEYS.flatMap((key) =>
    names.map((name) => ({ scheme: makeScheme(name), collection: 'map' as const, key, items, loadFactor: undefined })),
  );

/** One line of the table. */
export interface DueRow {
  readonly scheme: string;
  /** By key type and operation, in the order of the columns; undefined where nothing was measured. */
  readonly times: readonly (number | undefined)[];
  /** The row of the paper that it is held against, and whether no time is longer; undefined if that cannot be said. */
  readonly paper: PaperRow | undefined;
  readonly isAsFast: boolean | undefined;
}

/** Arranges measurements as the paper does, and compares those of the paper's number of items with it. */
export function dueRows(records: readonly BenchRecord[]): DueRow[] {
  const names = [...new Set(records.map(({ scheme }) => scheme))];
  return names.map((scheme) => {
    const own = records.filter((record) => record.scheme === scheme);
    const times = DUE_KEYS.flatMap((key) =>
      DUE_OPERATIONS.map((op) => own.find((record) => record.key === key.name && record.op === op)?.medianMs),
    );
    const paper = PAPER_ROWS.find((row) => row.scheme === scheme);
    const isComparable = own.every(({ items, software }) => items === DUE_ITEMS && !software);
    return { scheme, times, paper, isAsFast: paper && isComparable ? areAsShort(times, paperTimes(paper)) : undefined };
  });
}

/** A row of the paper in the order of the columns. */
export const paperTimes = ({ times }: PaperRow): number[] => DUE_KEYS.flatMap(({ name }) => times[name] ?? []);

const areAsShort = (times: readonly (number | undefined)[], limits: readonly number[]): boolean =>
  limits.every((limit, i) => (times[i] ?? Number.POSITIVE_INFINITY) <= limit);
