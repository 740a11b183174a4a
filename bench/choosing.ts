/** Which scheme to take, from the measurements of `hashnest bench grid`: as Markdown, in the manner of Table 6.1 of Alcantara 2011. */
import type { BenchRecord } from './benchmark.ts';
import type { HostRecord } from './hostCalls.ts';
import { crossingsOf, mapSizes, TASK_NAMES, taskMs } from './mapCalls.ts';
import { describeScheme } from './schemeChoice.ts';

/** What a table is wanted for: an operation that is to be fast. */
export const NEEDS = { build: 'build', hit: 'present keys', mixed: 'half absent', miss: 'absent keys' } as const;
export type Need = keyof typeof NEEDS;
const NEED_NAMES = Object.keys(NEEDS) as Need[];

/** Bytes of a key and its value. */
export const PAIR_BYTES = 8;
/** The slots an item of plain tables, by whose bytes all tables are compared: loads of 0.5, 0.8, 0.9, 0.95 and 0.99. */
const SPACES = [1 / 0.5, 1 / 0.8, 1 / 0.9, 1 / 0.95, 1 / 0.99];
/** Tables have a few bytes and slots more than their load says. */
const TOLERANCE = 1.01;
/** How often all keys are searched for after one build. */
const SEARCHES = [1, 10, 100];
/** Below, times are told, since rates say little. */
const LARGE = 1_000_000;

/** One table of the grid: what it takes, and how long its operations take. */
export interface GridTable {
  readonly scheme: string;
  /** The scheme and its options. */
  readonly name: string;
  readonly items: number;
  readonly loadFactor: number;
  readonly bytesPerItem: number;
  readonly ms: Readonly<Partial<Record<Need, number>>>;
}

const isMapOfWords = ({
  collection,
  key,
  value,
  copies,
  queries = 'shuffled',
  correct,
  software,
}: BenchRecord): boolean =>
  [collection, key, value, copies, queries].join() === 'map,u32,u32,1,shuffled' && correct && !software;

const needOf = ({ op, absent }: BenchRecord): Need | undefined =>
  op === 'mixed' ? (absent === 0.5 ? 'mixed' : undefined) : NEED_NAMES.find((need) => need === op);

/** The tables that records speak of, as the last record of each operation has them; those of a software GPU, and wrong ones, are left out unless told otherwise. */
export function gridTables(records: readonly BenchRecord[], isTaken = isMapOfWords): GridTable[] {
  const tables = new Map<string, GridTable & { ms: Partial<Record<Need, number>> }>();
  for (const record of records.filter(isTaken)) {
    const { scheme, options, items, loadFactor, tableBytes, medianMs } = record;
    const need = needOf(record);
    if (need === undefined) continue;
    const name = describeScheme(scheme, options);
    const id = `${name} ${items} ${tableBytes}`;
    const table = tables.get(id) ?? { scheme, name, items, loadFactor, bytesPerItem: tableBytes / items, ms: {} };
    table.ms[need] = medianMs;
    tables.set(id, table);
  }
  return [...tables.values()];
}

/** Sizes of the tables, in ascending order. */
const sizesOf = (tables: readonly GridTable[]): number[] =>
  [...new Set(tables.map(({ items }) => items))].sort((a, b) => a - b);

interface Ranked {
  readonly table: GridTable;
  readonly cost: number;
}

/** The best table of each scheme, the best scheme first; tables without such a cost are left out. */
export function ranking(
  tables: readonly GridTable[],
  cost: (table: GridTable) => number | undefined,
): readonly Ranked[] {
  const best = new Map<string, Ranked>();
  for (const table of tables) {
    const its = cost(table);
    if (its === undefined) continue;
    const known = best.get(table.scheme);
    if (!known || its < known.cost) best.set(table.scheme, { table, cost: its });
  }
  return [...best.values()].sort((a, b) => a.cost - b.cost);
}

/** Tables that take no more bytes than a plain one of so many slots an item. */
const within = (tables: readonly GridTable[], slots: number): GridTable[] =>
  tables.filter(({ bytesPerItem }) => bytesPerItem <= slots * PAIR_BYTES * TOLERANCE);

/** Of one build and so many searches for all keys, present ones. */
const totalMs =
  (searches: number) =>
  ({ ms }: GridTable): number | undefined =>
    ms.build === undefined || ms.hit === undefined ? undefined : ms.build + searches * ms.hit;

/** 10⁹ items a second for large tables, microseconds for small ones. */
const speed = (items: number, ms: number): string =>
  items >= LARGE ? (items / ms / 1e6).toFixed(1) : `${(ms * 1000).toPrecision(3)} µs`;

/** The best scheme and the next. */
function cell(ranked: readonly Ranked[], show: (ranked: Ranked) => string): string {
  const [first, second] = ranked;
  if (!first) return '–';
  const named = (one: Ranked) => `\`${one.table.name}\` ${show(one)}`;
  return second ? `**${named(first)}**, ${named(second)}` : `**${named(first)}**`;
}

/** A table in Markdown. */
const markdown = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** `10⁸` for powers of ten, `2,500` for others. */
export const sizeName = (items: number): string => {
  const power = Math.round(Math.log10(items));
  return 10 ** power === items && power > 1
    ? `10${[...String(power)].map((digit) => digits[Number(digit)]).join('')}`
    : items.toLocaleString('en-US');
};

/** For each size, the best by need and by the bytes that a table may take. */
const bySpace = (tables: readonly GridTable[], items: number): string =>
  markdown(
    ['bytes an item, at most', ...Object.values(NEEDS)],
    SPACES.map((slots) => {
      const fitting = within(tables, slots).filter((table) => table.items === items);
      return [
        `${(slots * PAIR_BYTES).toFixed(1)} (load ${(1 / slots).toFixed(2)})`,
        ...NEED_NAMES.map((need) =>
          cell(
            ranking(fitting, ({ ms }) => ms[need]),
            ({ cost }) => speed(items, cost),
          ),
        ),
      ];
    }),
  );

const byTotal = (tables: readonly GridTable[]): string =>
  markdown(
    ['items', ...SEARCHES.map((searches) => `a build and ${searches === 1 ? 'a search' : `${searches} searches`}`)],
    sizesOf(tables).map((items) => [
      sizeName(items),
      ...SEARCHES.map((searches) =>
        cell(
          ranking(
            tables.filter((table) => table.items === items),
            totalMs(searches),
          ),
          ({ table, cost }) => {
            const time = items >= LARGE ? `${cost.toPrecision(3)} ms` : `${(cost * 1000).toPrecision(3)} µs`;
            return `${time} at ${table.bytesPerItem.toFixed(1)} bytes`;
          },
        ),
      ),
    ]),
  );

const byBytes = (tables: readonly GridTable[]): string =>
  markdown(
    ['items', 'fewest bytes an item'],
    sizesOf(tables).map((items) => [
      sizeName(items),
      cell(
        ranking(
          tables.filter((table) => table.items === items),
          ({ bytesPerItem }) => bytesPerItem,
        ),
        ({ cost }) => cost.toFixed(2),
      ),
    ]),
  );

/** How far each scheme is behind the best, over all sizes and spaces: the median of best time over its time. */
function verdicts(tables: readonly GridTable[]): string {
  const shares = new Map<string, Record<Need, number[]>>();
  for (const items of sizesOf(tables)) {
    for (const slots of SPACES) {
      const fitting = within(tables, slots).filter((table) => table.items === items);
      for (const need of NEED_NAMES) {
        const ranked = ranking(fitting, ({ ms }) => ms[need]);
        for (const { table, cost } of ranked) {
          const its = shares.get(table.scheme) ?? { build: [], hit: [], mixed: [], miss: [] };
          its[need].push((ranked[0] as Ranked).cost / cost);
          shares.set(table.scheme, its);
        }
      }
    }
  }
  const percent = (numbers: readonly number[]): string => {
    const sorted = [...numbers].sort((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)];
    return middle === undefined
      ? '–'
      : `${Math.round(100 * middle)}% (best in ${numbers.filter((n) => n === 1).length} of ${numbers.length})`;
  };
  return markdown(
    ['scheme', ...Object.values(NEEDS)],
    [...shares].map(([scheme, its]) => [`\`${scheme}\``, ...NEED_NAMES.map((need) => percent(its[need]))]),
  );
}

const besideMap = (records: readonly HostRecord[]): string => {
  const ms = (who: 'Map' | 'host' | 'GPU', task: string, items: number): string =>
    taskMs(records, who, task, items)?.toPrecision(3) ?? '–';
  const lines = crossingsOf(records).map(({ task, against, items }) => {
    const whom = against === 'host' ? 'whole calls of a `HashMap`' : 'the GPU without transfers';
    return `- **${task}**: a \`Map\` loses to ${whom} ${items === undefined ? 'at none of these sizes' : `from ${sizeName(items)} keys on`}.`;
  });
  return [
    ...lines,
    '',
    markdown(
      ['keys', ...TASK_NAMES.flatMap((task) => [`\`Map\`, ${task}`, `\`HashMap\`, ${task}`, `GPU alone, ${task}`])],
      mapSizes(records).map((items) => [
        sizeName(items),
        ...TASK_NAMES.flatMap((task) => [ms('Map', task, items), ms('host', task, items), ms('GPU', task, items)]),
      ]),
    ),
  ].join('\n');
};

/** All tables of docs/choosing.md that are made from measurements. */
export function choosingTables(tables: readonly GridTable[], beside: readonly HostRecord[] = []): string {
  const parts = [
    '### By size, bytes and need',
    `The best scheme and the next, of all tables that take no more bytes than plain slots at that load. 10⁹ items a second from ${sizeName(LARGE)} items on, microseconds for all items below.`,
    ...sizesOf(tables).flatMap((items) => [`**${sizeName(items)} items**`, bySpace(tables, items)]),
    '### A build and some searches',
    'All keys are searched for so often, all of them present; tables of any size in bytes.',
    byTotal(tables),
    '### Fewest bytes',
    byBytes(tables),
    '### Each scheme',
    'Its share of the best rate: the median over all sizes and bytes above that it can have.',
    verdicts(tables),
    ...(beside.length === 0
      ? []
      : [
          '### Beside a JavaScript `Map`',
          'Milliseconds for all keys, with transfers in the columns of `HashMap`.',
          besideMap(beside),
        ]),
  ];
  return parts.join('\n\n');
}

const BEGIN = '<!-- made by hashnest choose -->';
const END = '<!-- end of what hashnest choose makes -->';

/** A document with other tables between its marks; undefined if it has no marks. */
export function withTables(document: string, tables: string): string | undefined {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) return undefined;
  return `${document.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${document.slice(end)}`;
}
