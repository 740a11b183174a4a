import type { Command } from 'commander';
import { OPERATIONS, type Operation } from '../bench/benchmark.ts';
import { HOLD_MS } from '../bench/clocks.ts';
import { COLLECTIONS, type CollectionName, configurationsOf, makeScheme, refusalOf } from '../bench/configurations.ts';
import { QUERY_ORDERS, type QueryOrder } from '../bench/generators.ts';
import type { SchemeChoice } from '../bench/schemeChoice.ts';
import { requireSortable } from '../bench/workload.ts';
import { type Duplicates, type HashFamily, type KeyType, type ValueType, valueTypes } from '../src/index.ts';
import { addBenchGrid } from './benchGrid.ts';
import { addBenchHost } from './benchHost.ts';
import {
  type CommonOptions,
  finishCommand,
  hashOption,
  holdOption,
  keysOption,
  option,
  refuseHashForKeys,
  repeatOption,
  schemeChoicesOption,
  seedOption,
} from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { measureAndShow } from './measureTables.ts';
import {
  parseCollections,
  parseCopiesList,
  parseDenseLoads,
  parseDuplicates,
  parseOperations,
  parseQueryOrders,
  parseShares,
  parseSizes,
  parseValue,
  SCHEME_NAMES,
  VALUE_NAMES,
} from './values.ts';

interface Options extends CommonOptions {
  readonly schemes: readonly SchemeChoice[];
  readonly collections: readonly CollectionName[];
  readonly keys: readonly KeyType[];
  readonly values: ValueType;
  readonly sizes?: readonly number[];
  readonly loads: readonly number[];
  readonly ops: readonly Operation[];
  readonly absent?: readonly number[];
  readonly queries: readonly QueryOrder[];
  readonly hold: number;
  readonly repeat: number;
  readonly duplicates: Duplicates;
  readonly copies: readonly number[];
  readonly hash?: HashFamily;
  readonly seed: number;
}

const SIZES = { software: [10_000, 100_000], real: [10_000, 1_000_000, 10_000_000] };
const DEFAULT_OPERATIONS: readonly Operation[] = ['build', 'hit', 'miss'];

export function addBench(program: Command): void {
  const command = program
    .command('bench')
    .description('measure building and searching, in GPU time, and check every answer')
    .addOption(schemeChoicesOption(SCHEME_NAMES, 'all'))
    .addOption(option('--collections <list>', `of ${COLLECTIONS.join(', ')}`, parseCollections).default(['map'], 'map'))
    .addOption(keysOption())
    .addOption(option('--values <type>', `values of maps: ${VALUE_NAMES}`, parseValue).default(valueTypes.u32, 'u32'))
    .addOption(option('--sizes <list>', 'numbers of items (default: up to 10⁷, in software up to 10⁵)', parseSizes))
    .addOption(
      option('--loads <list>', 'load factors, for schemes that have one', parseDenseLoads).default(
        [0.5, 0.8],
        '0.5,0.8',
      ),
    )
    .addOption(
      option(
        '--ops <list>',
        `of ${OPERATIONS.join(', ')}: has asks for present keys without their values, retrieve (of multiMap) for all values`,
        parseOperations,
      ).default(DEFAULT_OPERATIONS, DEFAULT_OPERATIONS.join()),
    )
    .addOption(
      option(
        '--absent <list>',
        'further searches, in which this share of the keys is absent: 0 is hit, 1 is miss',
        parseShares,
      ),
    )
    .addOption(
      option(
        '--queries <list>',
        `order of the keys that are searched for, of ${QUERY_ORDERS.join(', ')}: sorted is by key, for u32`,
        parseQueryOrders,
      ).default(['shuffled'], 'shuffled'),
    )
    .addOption(repeatOption())
    .addOption(holdOption(HOLD_MS))
    .addOption(
      option('--duplicates <policy>', 'what maps and sets do about copies of a key', parseDuplicates).default('unique'),
    )
    .addOption(option('--copies <list>', 'how often every key occurs', parseCopiesList).default([1], '1'))
    .addOption(hashOption())
    .addOption(seedOption())
    .enablePositionalOptions();
  addBenchGrid(command);
  addBenchHost(command);
  finishCommand<Options>(command, async (options, output) => {
    refuseHashForKeys(command, options);
    refuseTables(command, options);
    refuseSorting(command, options);
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const configurations = configurationsFor(options, SIZES[gpu.info.software ? 'software' : 'real']);
      const how = { ...options, operations: options.ops, holdMs: options.hold };
      await measureAndShow(gpu, configurations, how, output);
    });
  });
}

const configurationsFor = (options: Options, sizes: readonly number[]) =>
  configurationsOf({ ...options, value: options.values, sizes: options.sizes ?? sizes });

/**
 * Refuses a load that a scheme cannot have, if both were asked for, and options in brackets with which there is no table at all.
 * Among the defaults such loads are merely left out.
 */
function refuseTables(command: Command, options: Options): void {
  const areGiven = ['schemes', 'loads'].every((name) => command.getOptionValueSource(name) === 'cli');
  for (const choice of options.schemes) {
    const tables = configurationsFor({ ...options, schemes: [choice] }, SIZES.software);
    const refusals = tables.flatMap((table) => {
      const asUsual = { ...table, scheme: makeScheme(choice.name) };
      return refusalOf(asUsual, options.duplicates) === undefined ? (refusalOf(table, options.duplicates) ?? []) : [];
    });
    const isHopeless = choice.options !== undefined && refusals.length === tables.length;
    if (refusals.length > 0 && (areGiven || isHopeless)) command.error(`error: ${refusals[0]}`);
  }
}

function refuseSorting(command: Command, { queries, keys }: Options): void {
  try {
    if (queries.includes('sorted')) keys.forEach(requireSortable);
  } catch (error) {
    command.error(`error: ${(error as Error).message}`);
  }
}
