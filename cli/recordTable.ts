import type { BenchRecord } from '../bench/benchmark.ts';
import { describeScheme } from '../bench/schemeChoice.ts';
import { grouped, rate, textTable } from './textTable.ts';

/** `build`, `hit`, `mixed 0.5`, `miss sorted`. */
const describeOperation = ({ op, absent, queries }: BenchRecord): string =>
  [op, ...(absent === undefined ? [] : [absent]), ...(queries === 'sorted' ? [queries] : [])].join(' ');

const COLUMNS: Readonly<Record<string, (record: BenchRecord) => string>> = {
  scheme: ({ scheme, options }) => describeScheme(scheme, options),
  holds: ({ collection }) => collection,
  key: ({ key }) => key,
  value: ({ value }) => value,
  items: ({ items }) => grouped(items),
  copies: ({ copies }) => grouped(copies),
  load: ({ loadFactor }) => loadFactor.toFixed(2),
  bytes: ({ tableBytes }) => grouped(tableBytes),
  op: describeOperation,
  'median ms': ({ medianMs }) => medianMs.toFixed(4),
  'min ms': ({ minMs }) => minMs.toFixed(4),
  rate: ({ itemsPerSecond }) => rate(itemsPerSecond),
  timer: ({ timer, timestampsQuantised }) => (timestampsQuantised ? `${timer}, rounded` : timer),
  correct: ({ correct }) => (correct ? 'yes' : 'NO'),
};

/** Measurements for people. */
export const recordTable = (records: readonly BenchRecord[]): string =>
  textTable(
    Object.keys(COLUMNS),
    records.map((record) => Object.values(COLUMNS).map((cell) => cell(record))),
  );
