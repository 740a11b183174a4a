import type { Command } from 'commander';
import { type BenchRecord, benchmark, OPERATIONS, type Operation } from '../bench/benchmark.ts';
import {
  COLLECTIONS,
  type CollectionName,
  type Configuration,
  configurationsOf,
  describeConfiguration,
  refusalOf,
} from '../bench/configurations.ts';
import { Workload } from '../bench/workload.ts';
import type { Duplicates, Gpu, HashFamily, KeyType, SchemeName } from '../src/index.ts';
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
import { counted, grouped, rate, textTable } from './textTable.ts';
import {
  parseCollections,
  parseCopies,
  parseDuplicates,
  parseLoads,
  parseOperations,
  parseRepeat,
  parseSizes,
  SCHEME_NAMES,
} from './values.ts';

interface Options extends CommonOptions {
  readonly schemes: readonly SchemeName[];
  readonly collections: readonly CollectionName[];
  readonly keys: readonly KeyType[];
  readonly sizes?: readonly number[];
  readonly loads: readonly number[];
  readonly ops: readonly Operation[];
  readonly repeat: number;
  readonly duplicates: Duplicates;
  readonly copies: number;
  readonly hash?: HashFamily;
  readonly seed: number;
}

const SIZES = { software: [10_000, 100_000], real: [10_000, 1_000_000, 10_000_000] };

export function addBench(program: Command): void {
  const command = program
    .command('bench')
    .description('measure building and searching, in GPU time, and check every answer')
    .addOption(schemesOption(SCHEME_NAMES, 'all'))
    .addOption(option('--collections <list>', `of ${COLLECTIONS.join(', ')}`, parseCollections).default(['map'], 'map'))
    .addOption(keysOption())
    .addOption(option('--sizes <list>', 'numbers of items (default: up to 10⁷, in software up to 10⁵)', parseSizes))
    .addOption(
      option('--loads <list>', 'load factors, for schemes that have one', parseLoads).default([0.5, 0.8], '0.5,0.8'),
    )
    .addOption(option('--ops <list>', `of ${OPERATIONS.join(', ')}`, parseOperations).default(OPERATIONS, 'all'))
    .addOption(option('--repeat <n>', 'measured passes for each operation', parseRepeat).default(7))
    .addOption(
      option('--duplicates <policy>', 'what maps and sets do about copies of a key', parseDuplicates).default('unique'),
    )
    .addOption(option('--copies <n>', 'how often every key occurs', parseCopies).default(1))
    .addOption(hashOption())
    .addOption(seedOption());
  finishCommand<Options>(command, async (options, output) => {
    refuseHashForKeys(command, options);
    refuseLoads(command, options);
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const sizes = options.sizes ?? SIZES[gpu.info.software ? 'software' : 'real'];
      const configurations: Configuration[] = [];
      for (const configuration of configurationsOf({ ...options, sizes })) {
        const refusal = refusalOf(configuration, options.duplicates);
        if (refusal === undefined) configurations.push(configuration);
        else output.say(`skipped: ${describeConfiguration(configuration)}: ${refusal}`);
      }
      const records: BenchRecord[] = [];
      const failures: string[] = [];
      await runSteps(
        byWorkload(configurations).map((group) => ({
          title: `${group[0]?.key.name} ${grouped(group[0]?.items ?? 0)}`,
          run: (report) =>
            measureGroup(gpu, group, options, { records, failures, report, keep: () => output.keep(records) }),
        })),
      );
      for (const { correct, error, ...record } of records) {
        if (!correct)
          failures.push(`${record.scheme} ${record.collection} ${record.key} ${record.items} ${record.op}: ${error}`);
      }
      output.say(recordTable(records));
      output.write(records);
      if (failures.length > 0) throw new RunFailure(`${failures.length} went wrong: ${failures.join(' | ')}`);
    });
  });
}

/** Refuses a load that a scheme cannot have, if both were asked for; among the defaults it is merely left out. */
function refuseLoads(command: Command, options: Options): void {
  if (['schemes', 'loads'].some((name) => command.getOptionValueSource(name) !== 'cli')) return;
  for (const configuration of configurationsOf({ ...options, sizes: options.sizes ?? SIZES.software })) {
    const refusal = refusalOf(configuration, options.duplicates);
    if (refusal !== undefined) command.error(`error: ${refusal}`);
  }
}

/** Neighbours of the same key type and size share their items. */
function byWorkload(configurations: readonly Configuration[]): Configuration[][] {
  const groups = new Map<string, Configuration[]>();
  for (const configuration of configurations) {
    const name = `${configuration.key.name}/${configuration.items}`;
    groups.set(name, [...(groups.get(name) ?? []), configuration]);
  }
  return [...groups.values()];
}

async function measureGroup(
  gpu: Gpu,
  group: readonly Configuration[],
  options: Options,
  results: { records: BenchRecord[]; failures: string[]; report: ReportProgress; keep: () => void },
): Promise<string> {
  const { records, failures, report, keep } = results;
  const { key, items } = group[0] as Configuration;
  const failedBefore = failures.length;
  const { ops: operations, repeat, duplicates, seed, copies } = options;
  let workload: Workload | undefined;
  try {
    workload = await Workload.create(gpu, { items, key, seed, copies });
    for (const [i, configuration] of group.entries()) {
      const name = describeConfiguration(configuration);
      try {
        const bench = { operations, repeat, duplicates, seed };
        records.push(
          ...(await benchmark(gpu, workload, configuration, bench, (op) => report(i, group.length, `${name} ${op}`))),
        );
        keep();
      } catch (error) {
        // What one table cannot do says nothing about the others.
        gpu.assertAlive();
        failures.push(`${name}: ${(error as Error).message}`);
      }
    }
  } catch (error) {
    failures.push(`${key.name} ${items}: ${(error as Error).message}`);
    throw error;
  } finally {
    workload?.destroy();
  }
  const failed = failures.length - failedBefore;
  if (failed > 0) throw new Error(`${failed} of ${group.length} could not be measured`);
  return counted(group.length, 'table');
}

const recordTable = (records: readonly BenchRecord[]): string =>
  textTable(
    ['scheme', 'holds', 'key', 'items', 'load', 'bytes', 'op', 'median ms', 'min ms', 'rate', 'timer', 'correct'],
    records.map((record) => [
      record.scheme,
      record.collection,
      record.key,
      grouped(record.items),
      record.loadFactor.toFixed(2),
      grouped(record.tableBytes),
      record.op,
      record.medianMs.toFixed(4),
      record.minMs.toFixed(4),
      rate(record.itemsPerSecond),
      record.timestampsQuantised ? `${record.timer}, rounded` : record.timer,
      record.correct ? 'yes' : 'NO',
    ]),
  );
