/** What was measured, from the records in `bench/results/`, and the figures of CUDA libraries that stand in the documents. */
import type { BenchRecord } from '../bench/benchmark.ts';
import { type GridTable, gridTables, type Need, PAIR_BYTES } from '../bench/choosing.ts';
import type { HostRecord } from '../bench/hostCalls.ts';
import { mapSizes, taskMs } from '../bench/mapCalls.ts';
import { repository } from './repository.ts';

export const OPERATIONS = { build: 'build', hit: 'present keys', miss: 'absent keys' } as const;
export type Operation = keyof typeof OPERATIONS;

/** The rate of one operation, in 10⁹ items a second. */
export interface Rate {
  readonly name: string;
  readonly items: number;
  readonly operation: Operation;
  readonly rate: number;
}

interface Measured {
  readonly scheme: string;
  readonly collection: string;
  readonly key: string;
  readonly items: number;
  readonly loadFactor: number;
  readonly op: string;
  readonly itemsPerSecond: number;
  readonly medianMs: number;
  readonly correct: boolean;
  readonly software: boolean;
}

const FOLDER = 'bench/results/nvidia-h200';

/** Whose records are taken from which files: each scheme from the last run in which all its answers were right. */
const SOURCES: readonly { readonly files: readonly string[]; readonly schemes: readonly string[] }[] = [
  {
    files: ['maps-u32-1e4-1e7', 'maps-u32-1e8'],
    schemes: ['chaining', 'twoLevelCuckoo', 'cuckoo', 'quadraticProbing', 'doubleHashing'],
  },
  { files: ['maps-u32-1e4-1e7', 'maps-u32-1e8-sorted-and-probing'], schemes: ['linearProbing'] },
  { files: ['second-edition-1e4-1e7', 'second-edition-u32-1e8'], schemes: ['perfect', 'eytzinger', 'sortedArray'] },
  { files: ['bucketCuckoo-u32-1e3-1e8'], schemes: ['bucketCuckoo'] },
];

const recordsOf = (file: string): Measured[] => {
  const records: Measured[] = JSON.parse(repository.read(`${FOLDER}/${file}.json`));
  return records.filter(({ correct, software }) => correct && !software);
};

/** Rates of maps of u32 to u32, of all schemes and sizes. */
export function mapRates(): Rate[] {
  return SOURCES.flatMap(({ files, schemes }) =>
    files
      .flatMap(recordsOf)
      .filter(({ scheme, collection, key }) => schemes.includes(scheme) && collection === 'map' && key === 'u32')
      .filter(({ op }) => op in OPERATIONS)
      .map(({ scheme, items, op, itemsPerSecond }) => ({
        name: scheme,
        items,
        operation: op as Operation,
        rate: itemsPerSecond / 1e9,
      })),
  );
}

const BATCH_FILE = `${FOLDER}/living-batches-1e8.json`;

/** Files of measurements that may still be to come. */
const GRID_FILE = `${FOLDER}/grid-u32.json`;
const MAP_FILE = `${FOLDER}/map-crossing.json`;

/** The files that the plots are made from. */
export const RESULT_FILES = [
  ...[...new Set(SOURCES.flatMap(({ files }) => files)), 'due-table-1'].map((file) => `${FOLDER}/${file}.json`),
  BATCH_FILE,
  ...[GRID_FILE, MAP_FILE].filter(repository.has),
];

const GRID: readonly GridTable[] = repository.has(GRID_FILE)
  ? gridTables(JSON.parse(repository.read(GRID_FILE)) as BenchRecord[])
  : [];

/** The rate of a table of the grid, in 10⁹ items a second. */
export interface GridRate {
  readonly name: string;
  readonly items: number;
  /** Of a plain table of the same bytes. */
  readonly load: number;
  readonly rate: number;
}

/** Rates of one operation, of all tables of the grid; none if it has not been measured. */
export const gridRates = (need: Need): GridRate[] =>
  GRID.flatMap(({ scheme, items, bytesPerItem, ms: { [need]: ms } }) =>
    ms === undefined ? [] : { name: scheme, items, load: PAIR_BYTES / bytesPerItem, rate: items / ms / 1e6 },
  );

/** Keys that are found in a second, by a `Map`, by whole calls, and by the GPU alone; none if that has not been measured. */
export function ratesBesideMap(): { readonly name: string; readonly items: number; readonly rate: number }[] {
  if (!repository.has(MAP_FILE)) return [];
  const records: HostRecord[] = JSON.parse(repository.read(MAP_FILE));
  const names = { Map: 'Map', host: 'HashMap, whole calls', GPU: 'GPU alone' } as const;
  return (Object.keys(names) as (keyof typeof names)[]).flatMap((who) =>
    mapSizes(records).flatMap((items) => {
      const ms = taskMs(records, who, 'get', items);
      return ms === undefined ? [] : { name: names[who], items, rate: (items / ms) * 1000 };
    }),
  );
}

/** Rates of CUDA libraries for 10⁸ pairs, as docs/performance.md has them. */
export function cudaRates(): Rate[] {
  const text = repository.read('docs/performance.md');
  const section = text.slice(text.indexOf('### Beside CUDA libraries'));
  const rows = section
    .slice(0, section.indexOf('\n### ', 1))
    .matchAll(/^\| ([^|]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm);
  const rates = [...rows].flatMap(([, name = '', ...numbers]) =>
    (Object.keys(OPERATIONS) as Operation[]).map((operation, i) => ({
      name: name.replaceAll('`', ''),
      items: 1e8,
      operation,
      rate: Number(numbers[i]),
    })),
  );
  if (rates.length === 0) throw new Error('docs/performance.md has no figures of CUDA libraries');
  return rates;
}

/** Milliseconds of 10⁷ keys of a type, for Table 1 of Due et al. 2025. */
export interface Time {
  readonly name: string;
  readonly key: string;
  readonly operation: 'build' | 'get';
  readonly ms: number;
}

export function dueTimes(): Time[] {
  return recordsOf('due-table-1')
    .filter(({ op }) => op === 'build' || op === 'hit')
    .map(({ scheme, key, op, medianMs }) => ({
      name: scheme,
      key: key === 'utf8' ? 'strings' : key,
      operation: op === 'hit' ? 'get' : 'build',
      ms: medianMs,
    }));
}

/** The paper's own times for the same, as docs/performance.md has them. */
export function paperTimes(): Time[] {
  const rows = repository
    .read('docs/performance.md')
    .matchAll(/^\| paper: ([^|]+) \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \|$/gm);
  return [...rows].flatMap(([, name = '', ...numbers]) => {
    const [u64Build, u64Get, stringBuild, stringGet] = numbers.map(Number) as [number, number, number, number];
    const called = `${name} (A100)`;
    return [
      { name: called, key: 'u64', operation: 'build' as const, ms: u64Build },
      { name: called, key: 'u64', operation: 'get' as const, ms: u64Get },
      { name: called, key: 'strings', operation: 'build' as const, ms: stringBuild },
      { name: called, key: 'strings', operation: 'get' as const, ms: stringGet },
    ];
  });
}

/** The rate of batches against a table that lives, in 10⁹ items a second. */
export interface BatchRate {
  readonly name: string;
  readonly batch: number;
  readonly rate: number;
}

const BATCHES: Readonly<Record<string, string>> = { new: 'insert, new', there: 'insert, there', delete: 'delete' };

/** Batches of unique keys against 10⁸ keys. */
export function batchRates(): BatchRate[] {
  const records: { op: string; unique: boolean; batch: number; itemsPerSecond: number; wrong: number }[] = JSON.parse(
    repository.read(BATCH_FILE),
  );
  return records
    .filter(({ op, unique, wrong }) => op in BATCHES && unique && wrong === 0)
    .map(({ op, batch, itemsPerSecond }) => ({ name: BATCHES[op] as string, batch, rate: itemsPerSecond / 1e9 }));
}
