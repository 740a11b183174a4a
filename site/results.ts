/** What was measured, from the records in `bench/results/`, and the figures of CUDA libraries that stand in the documents. */
import type { BenchRecord } from '../bench/benchmark.ts';
import { type GridTable, gridTables, type Need, PAIR_BYTES } from '../bench/choosing.ts';
import type { HostRecord } from '../bench/hostCalls.ts';
import { mapSizes, taskMs } from '../bench/mapCalls.ts';
import { repository } from './repository.ts';

const fileOf = (name: string): string => `bench/results/nvidia-h200/${name}.json`;

/** Every scheme over sizes and loads, and what was measured again since: a later file stands for an earlier one. */
const GRID_FILES = ['grid-u32', 'bucketCuckoo-u32-1e3-1e8', 'twoLevelCuckoo-u32-1e7', 'builds-u32-1e3-1e7'].map(fileOf);
const BATCH_FILE = fileOf('living-batches-1e8');
const MAP_FILE = fileOf('map-crossing');
const DUE_FILE = fileOf('due-table-1');

/** The files that the plots are made from. */
export const RESULT_FILES = [...GRID_FILES, DUE_FILE, BATCH_FILE, MAP_FILE];

const recordsOf = <R>(file: string): R[] => JSON.parse(repository.read(file)) as R[];

/** The rate of a table in 10⁹ items a second, for one need. */
export interface Rate {
  readonly name: string;
  readonly items: number;
  readonly need: Need;
  readonly rate: number;
  /** The load at which plain slots would take its bytes. */
  readonly load: number;
}

/** The load at which schemes are compared. */
const USUAL_LOAD = 0.8;

const isNearer = (a: GridTable, b: GridTable): boolean => {
  const distance = ({ bytesPerItem }: GridTable): number => Math.abs(PAIR_BYTES / bytesPerItem - USUAL_LOAD);
  return distance(a) < distance(b);
};

/** Rates of maps of u32 to u32: of all schemes, sizes and loads. */
export const gridRates = (need: Need): Rate[] => ratesOf(GRID, need);

/** The same with one table of a scheme and size: the one whose load is nearest to the usual one. */
export const mapRates = (need: Need): Rate[] => ratesOf(USUAL, need);

const GRID: readonly GridTable[] = gridTables(GRID_FILES.flatMap((file) => recordsOf<BenchRecord>(file)));

const USUAL: readonly GridTable[] = [
  ...GRID.reduce((nearest, table) => {
    const id = `${table.scheme} ${table.items}`;
    const known = nearest.get(id);
    return !known || isNearer(table, known) ? nearest.set(id, table) : nearest;
  }, new Map<string, GridTable>()).values(),
];

function ratesOf(tables: readonly GridTable[], need: Need): Rate[] {
  return tables.flatMap(({ scheme, items, bytesPerItem, ms: { [need]: ms } }) =>
    ms === undefined ? [] : { name: scheme, items, need, rate: items / ms / 1e6, load: PAIR_BYTES / bytesPerItem },
  );
}

/** Keys that are found in a second, by a `Map`, by whole calls, and by the GPU alone. */
export function ratesBesideMap(): { readonly name: string; readonly items: number; readonly rate: number }[] {
  const records = recordsOf<HostRecord>(MAP_FILE);
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
    (['build', 'hit', 'miss'] as const).map((need, i) => ({
      name: name.replaceAll('`', ''),
      items: 1e8,
      need,
      rate: Number(numbers[i]),
      load: USUAL_LOAD,
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
  return recordsOf<BenchRecord>(DUE_FILE)
    .filter(({ op, correct, software }) => (op === 'build' || op === 'hit') && correct && !software)
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
  return recordsOf<{ op: string; unique: boolean; batch: number; itemsPerSecond: number; wrong: number }>(BATCH_FILE)
    .filter(({ op, unique, wrong }) => op in BATCHES && unique && wrong === 0)
    .map(({ op, batch, itemsPerSecond }) => ({ name: BATCHES[op] as string, batch, rate: itemsPerSecond / 1e9 }));
}
