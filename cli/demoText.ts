/** The demonstration's tables as text. */
import type { DemoCollection } from './demoAnswers.ts';
import type { DemoRecord } from './demoTable.ts';
import { grouped, rate, textTable } from './textTable.ts';

interface Column {
  readonly name: string;
  of(record: DemoRecord): string;
}

const CLASSES: Readonly<Record<DemoCollection, string>> = {
  map: 'HashMap',
  set: 'HashSet',
  keyIndex: 'KeyIndex',
  multiMap: 'MultiMap',
  aggregate: 'Aggregate',
};

const key: Column = { name: 'key', of: (record) => record.key };
const items: Column = { name: 'items', of: (record) => grouped(record.items) };
const bytes: Column = { name: 'bytes', of: (record) => grouped(record.tableBytes) };
const outcome: readonly Column[] = [
  { name: 'build', of: ({ rates }) => rate(rates.build) },
  { name: 'hits', of: ({ rates }) => rate(rates.hit) },
  { name: 'misses', of: ({ rates }) => rate(rates.miss) },
  { name: 'correct', of: ({ correct }) => (correct ? 'yes' : 'NO') },
];

const SCHEME_COLUMNS: readonly Column[] = [
  { name: 'scheme', of: ({ scheme }) => scheme },
  { name: 'holds', of: ({ collection }) => collection },
  key,
  items,
  { name: 'load', of: ({ loadFactor }) => loadFactor.toFixed(2) },
  bytes,
  { name: 'bytes/key', of: ({ bytesPerKey }) => bytesPerKey.toFixed(1) },
  { name: 'probes present', of: ({ averageProbes }) => averageProbes.present.toFixed(2) },
  { name: 'probes absent', of: ({ averageProbes }) => averageProbes.absent.toFixed(2) },
  ...outcome,
];

const COLLECTION_COLUMNS: readonly Column[] = [
  { name: 'collection', of: ({ collection }) => CLASSES[collection] },
  key,
  { name: 'value', of: ({ value = '' }) => value },
  items,
  { name: 'keys', of: ({ keys }) => grouped(keys) },
  bytes,
  ...outcome,
];

const textOf = (columns: readonly Column[], records: readonly DemoRecord[]): string =>
  textTable(
    columns.map(({ name }) => name),
    records.map((record) => columns.map(({ of }) => of(record))),
  );

export const schemesText = (records: readonly DemoRecord[]): string => textOf(SCHEME_COLUMNS, records);
export const collectionsText = (records: readonly DemoRecord[]): string => textOf(COLLECTION_COLUMNS, records);
