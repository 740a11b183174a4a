import type { Command } from 'commander';
import { adapterName } from '../bench/benchmark.ts';
import { hasLoadFactor, makeScheme, makeSchemeOfSlots, refusalOf } from '../bench/configurations.ts';
import { ABSENT } from '../bench/generators.ts';
import { Workload } from '../bench/workload.ts';
import {
  type Gpu,
  type HashFamily,
  HashMap,
  type KeyType,
  type ProbeStats,
  type Scheme,
  type SchemeName,
} from '../src/index.ts';
import {
  type CommonOptions,
  finishCommand,
  hashOption,
  keysOption,
  option,
  refuseHashForKeys,
  schemesOption,
  seedOption,
} from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { type ReportProgress, runSteps } from './progress.ts';
import { counted, grouped, textTable } from './textTable.ts';
import { parseSize, parseSlots } from './values.ts';

interface Options extends CommonOptions {
  readonly items?: number;
  readonly schemes: readonly SchemeName[];
  readonly keys: readonly KeyType[];
  readonly slots: readonly number[];
  readonly hash?: HashFamily;
  readonly seed: number;
}

/** A line of the table: how many probes the searches of one kind took. */
interface StatsRecord extends ProbeStats {
  readonly scheme: string;
  readonly key: string;
  readonly items: number;
  readonly queries: 'present' | 'absent';
  /** Slots per item as asked for; null for schemes that have no choice. */
  readonly slots: number | null;
  readonly capacitySlots: number;
  readonly hash: string;
  readonly attempts: number;
  readonly adapter: string;
}

const ITEMS = { software: 100_000, real: 10_000_000 };
/** Absent keys pass through the host; more of them would not change the statistics. */
const MOST_ABSENT = 10_000_000;
/** The schemes of the dissertation's table. */
const DISSERTATION: readonly SchemeName[] = ['linearProbing', 'quadraticProbing', 'doubleHashing'];
const WITHIN = [50, 80, 90, 99, 100] as const;

export function addStats(program: Command): void {
  const command = program
    .command('stats')
    .description('count the probes of searches, as in Table 3.2 of the dissertation of Alcantara (2011)')
    .addOption(option('--items <n>', 'items in each table (default: 10⁷, in software 10⁵)', parseSize))
    .addOption(schemesOption(DISSERTATION, DISSERTATION.join()))
    .addOption(keysOption())
    .addOption(option('--slots <list>', 'slots per item', parseSlots).default([1.05, 1.25, 2], '1.05,1.25,2'))
    .addOption(hashOption())
    .addOption(seedOption());
  finishCommand<Options>(command, async (options, output) => {
    refuseHashForKeys(command, options);
    refuseSlots(command, options);
    await withGpu(options, async (gpu) => {
      output.say(describeGpu(gpu));
      const items = options.items ?? ITEMS[gpu.info.software ? 'software' : 'real'];
      const records: StatsRecord[] = [];
      const failures = await runSteps(
        options.keys.map((key) => ({
          title: `${grouped(items)} ${key.name} keys`,
          run: (report) => countAll(gpu, { ...options, items, key }, records, report),
        })),
      );
      output.say(statsTable(records));
      output.write(records);
      if (failures.length > 0) {
        throw new RunFailure(failures.map(({ title, error }) => `${title}: ${error.message}`).join(' | '));
      }
    });
  });
}

/** The tables to build: schemes that cannot be told their slots once. */
const tablesOf = ({ schemes, slots, hash }: Options, items: number) =>
  schemes.flatMap((name) =>
    (hasLoadFactor(name) ? slots : [null]).map((perItem) => ({
      slots: perItem,
      scheme: perItem === null ? makeScheme(name, { hash }) : makeSchemeOfSlots(name, { slots: perItem, items, hash }),
    })),
  );

function refuseSlots(command: Command, options: Options): void {
  const items = options.items ?? ITEMS.software;
  for (const key of options.keys) {
    for (const { scheme } of tablesOf(options, items)) {
      const refusal = refusalOf({ scheme, collection: 'map', key, items, loadFactor: undefined }, 'unique');
      if (refusal !== undefined) command.error(`error: ${refusal}`);
    }
  }
}

async function countAll(
  gpu: Gpu,
  options: Options & { readonly items: number; readonly key: KeyType },
  records: StatsRecord[],
  report: ReportProgress,
): Promise<string> {
  const { items, key, seed } = options;
  const tables = tablesOf(options, items);
  const workload = await Workload.create(gpu, { items, key, seed });
  try {
    const absent = await absentKeys(gpu, workload, key);
    for (const [i, { scheme, slots }] of tables.entries()) {
      report(i, tables.length, `${scheme.name}${slots === null ? '' : `, ${slots} slots an item`}`);
      records.push(...(await countProbes(gpu, workload, { key, scheme, slots, absent, seed })));
    }
  } finally {
    workload.destroy();
  }
  return counted(tables.length, 'table');
}

/** Keys that are not in the table, in the form that `stats` takes. */
async function absentKeys(gpu: Gpu, workload: Workload, key: KeyType): Promise<unknown> {
  await workload.ask(ABSENT);
  const { queries, queryContext, items } = workload;
  const [words, context] = await gpu.run(() => {}, [
    { buffer: queries, bytes: Math.min(items, MOST_ABSENT) * key.words * 4 },
    ...(queryContext ? [{ buffer: queryContext, bytes: queryContext.size }] : []),
  ]);
  return key.decode(new Uint32Array(words as ArrayBuffer), context && new Uint8Array(context));
}

async function countProbes(
  gpu: Gpu,
  { input, items }: Workload,
  options: { key: KeyType; scheme: Scheme; slots: number | null; absent: unknown; seed: number },
): Promise<StatsRecord[]> {
  const { key, scheme, slots, absent, seed } = options;
  const map = await HashMap.from(gpu, input, { key, scheme, duplicates: 'unique', seed });
  try {
    const stats = await map.stats({ absent });
    return (['present', 'absent'] as const).map((queries) => ({
      scheme: scheme.name,
      key: key.name,
      items,
      queries,
      slots,
      capacitySlots: map.capacitySlots,
      hash: map.table.plan.family.name,
      attempts: map.report.attempts,
      adapter: adapterName(gpu),
      ...stats[queries],
    }));
  } finally {
    map.destroy();
  }
}

/** The dissertation's arrangement: first the searches that find their key, then those that do not. */
const statsTable = (records: readonly StatsRecord[]): string =>
  textTable(
    ['queries failed', 'scheme', 'key', 'slots', 'avg', ...WITHIN.map((percent) => `${percent}%`)],
    (['present', 'absent'] as const).flatMap((kind) =>
      records
        .filter(({ queries }) => queries === kind)
        .map(({ scheme, key, slots, items, capacitySlots, average, within }) => [
          kind === 'present' ? 'none' : 'all',
          scheme,
          key,
          `${(slots ?? capacitySlots / items).toFixed(2)} N`,
          average.toFixed(2),
          ...WITHIN.map((percent) => grouped(within[percent])),
        ]),
    ),
  );
