import type { Command } from 'commander';
import { type BenchRecord, OPERATIONS, type Operation } from '../bench/benchmark.ts';
import { COLLECTIONS, type CollectionName, configurationsOf, makeScheme, refusalOf } from '../bench/configurations.ts';
import {
  type Duplicates,
  type HashFamily,
  type KeyType,
  type SchemeName,
  type ValueType,
  valueTypes,
} from '../src/index.ts';
import { addBenchHost } from './benchHost.ts';
import {
  type CommonOptions,
  finishCommand,
  hashOption,
  keysOption,
  option,
  refuseHashForKeys,
  repeatOption,
  schemesOption,
  seedOption,
} from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { measureTables } from './measureTables.ts';
import { grouped, rate, textTable } from './textTable.ts';
import {
  parseCollections,
  parseCopies,
  parseDuplicates,
  parseLoads,
  parseOperations,
  parseSizes,
  parseValue,
  SCHEME_NAMES,
  VALUE_NAMES,
} from './values.ts';

interface Options extends CommonOptions {
  readonly schemes: readonly SchemeName[];
  readonly collections: readonly CollectionName[];
  readonly keys: readonly KeyType[];
  readonly values: ValueType;
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
const DEFAULT_OPERATIONS: readonly Operation[] = ['build', 'hit', 'miss'];

export function addBench(program: Command): void {
  const command = program
    .command('bench')
    .description('measure building and searching, in GPU time, and check every answer')
    .addOption(schemesOption(SCHEME_NAMES, 'all'))
    .addOption(option('--collections <list>', `of ${COLLECTIONS.join(', ')}`, parseCollections).default(['map'], 'map'))
    .addOption(keysOption())
    .addOption(option('--values <type>', `values of maps: ${VALUE_NAMES}`, parseValue).default(valueTypes.u32, 'u32'))
    .addOption(option('--sizes <list>', 'numbers of items (default: up to 10⁷, in software up to 10⁵)', parseSizes))
    .addOption(
      option('--loads <list>', 'load factors, for schemes that have one', parseLoads).default([0.5, 0.8], '0.5,0.8'),
    )
    .addOption(
      option(
        '--ops <list>',
        `of ${OPERATIONS.join(', ')}: has asks for present keys without their values`,
        parseOperations,
      ).default(DEFAULT_OPERATIONS, DEFAULT_OPERATIONS.join()),
    )
    .addOption(repeatOption())
    .addOption(
      option('--duplicates <policy>', 'what maps and sets do about copies of a key', parseDuplicates).default('unique'),
    )
    .addOption(option('--copies <n>', 'how often every key occurs', parseCopies).default(1))
    .addOption(hashOption())
    .addOption(seedOption())
    .enablePositionalOptions();
  addBenchHost(command);
  finishCommand<Options>(command, async (options, output) => {
    refuseHashForKeys(command, options);
    refuseLoads(command, options);
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const configurations = configurationsFor(options, SIZES[gpu.info.software ? 'software' : 'real']);
      const { records, failures } = await measureTables(
        gpu,
        configurations,
        { ...options, operations: options.ops },
        output,
      );
      output.say(recordTable(records));
      output.write(records);
      if (failures.length > 0) throw new RunFailure(`${failures.length} went wrong: ${failures.join(' | ')}`);
    });
  });
}

const configurationsFor = (options: Options, sizes: readonly number[]) =>
  configurationsOf({ ...options, value: options.values, sizes: options.sizes ?? sizes });

/** Refuses a load that a scheme cannot have, if both were asked for; among the defaults it is merely left out. */
function refuseLoads(command: Command, options: Options): void {
  if (['schemes', 'loads'].some((name) => command.getOptionValueSource(name) !== 'cli')) return;
  for (const configuration of configurationsFor(options, SIZES.software)) {
    const refusal = refusalOf(configuration, options.duplicates);
    const ofAnyLoad = { ...configuration, scheme: makeScheme(configuration.scheme.name as SchemeName) };
    if (refusal !== undefined && refusalOf(ofAnyLoad, options.duplicates) === undefined) {
      command.error(`error: ${refusal}`);
    }
  }
}

const recordTable = (records: readonly BenchRecord[]): string =>
  textTable(
    [
      'scheme',
      'holds',
      'key',
      'value',
      'items',
      'load',
      'bytes',
      'op',
      'median ms',
      'min ms',
      'rate',
      'timer',
      'correct',
    ],
    records.map((record) => [
      record.scheme,
      record.collection,
      record.key,
      record.value,
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
