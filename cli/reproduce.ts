import type { Command } from 'commander';
import { adapterName } from '../bench/benchmark.ts';
import { refusalOf } from '../bench/configurations.ts';
import { attemptedTables, type BuildFailures, buildFailures } from '../bench/figures/buildFailures.ts';
import {
  type CuckooFailures,
  cuckooFailures,
  cuckooTables,
  type SlotsPerItem,
} from '../bench/figures/cuckooFailures.ts';
import type { ManyBuilds } from '../bench/figures/manyBuilds.ts';
import { type TwoLevelRestarts, twoLevelRestarts, twoLevelTables } from '../bench/figures/twoLevelRestarts.ts';
import { randomWords } from '../src/hashing/index.ts';
import { type Gpu, type Scheme, type SchemeName, u32 } from '../src/index.ts';
import type { FunctionCount } from '../src/schemes/cuckoo/plan.ts';
import type { BucketCapacity } from '../src/schemes/twoLevelCuckoo/plan.ts';
import { type CommonOptions, finishCommand, option, schemesOption, seedOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { addDueTable1 } from './dueTable1.ts';
import { RunFailure } from './failure.ts';
import { addGarciaFigures } from './garcia/index.ts';
import { addAtomics } from './li/atomics.ts';
import { addDynamicFigures } from './li/dynamic.ts';
import { addStaticFigures } from './li/static.ts';
import type { Output } from './output.ts';
import { runSteps } from './progress.ts';
import { grouped, textTable } from './textTable.ts';
import {
  parseBuilds,
  parseCapacities,
  parseFunctions,
  parseLoads,
  parseSizes,
  parseSlotsOrLeast,
  parseStash,
} from './values.ts';

interface FigureOptions extends CommonOptions {
  readonly items: readonly number[];
  readonly builds: number;
  readonly seed: number;
}

interface CuckooOptions extends FigureOptions {
  readonly functions: readonly FunctionCount[];
  readonly slots: readonly SlotsPerItem[];
  readonly stash: number;
}

interface TwoLevelOptions extends FigureOptions {
  readonly capacity: readonly BucketCapacity[];
}

interface BuildFailuresOptions extends FigureOptions {
  readonly schemes: readonly SchemeName[];
  readonly loads: readonly number[];
}

/** A line of a figure: statistics of a table that is built many times. */
interface Line<Statistics> {
  readonly title: string;
  readonly scheme: Scheme;
  readonly items: number;
  measure(gpu: Gpu, options: Pick<ManyBuilds, 'builds' | 'random' | 'onProgress'>): Promise<Statistics>;
}

/** What every record has besides its statistics. */
interface Circumstances {
  readonly figure: string;
  readonly seconds: number;
  readonly seed: number;
  readonly adapter: string;
}

export function addReproduce(program: Command): void {
  const reproduce = program
    .command('reproduce')
    .description('repeat statistics and measurements of the papers, with random keys');
  addCuckooFailures(reproduce);
  addTwoLevelRestarts(reproduce);
  addBuildFailures(reproduce);
  addDueTable1(reproduce);
  addAtomics(reproduce);
  addStaticFigures(reproduce);
  addDynamicFigures(reproduce);
  addGarciaFigures(reproduce);
}

function addCuckooFailures(reproduce: Command): void {
  const command = reproduce
    .command('cuckoo-failures')
    .description('how often cuckoo needs its stash, and how often it fails (Alcantara 2011, section 6.1.1)')
    .addOption(option('--items <list>', 'items in each table', parseSizes).default([1000, 10_000], '1000,10000'))
    .addOption(option('--builds <n>', 'builds of each table', parseBuilds).default(100))
    .addOption(option('--functions <list>', 'hash functions', parseFunctions).default([2, 3, 4, 5], '2,3,4,5'))
    .addOption(
      option('--slots <list>', 'slots per item, or least for as few as will do', parseSlotsOrLeast).default(
        ['least', 1.25],
        'least,1.25',
      ),
    )
    .addOption(option('--stash <n>', 'slots of the stash', parseStash).default(101))
    .addOption(seedOption());
  finishCommand<CuckooOptions>(command, async (options, output) => {
    const { functions, slots, items, stash: stashSlots } = options;
    const lines = cuckooTables({ functions, slots, items, stashSlots }).map((table) => ({
      title: `${table.functions} functions, ${table.slots.toFixed(3)} slots an item, ${grouped(table.items)} items`,
      scheme: table.scheme,
      items: table.items,
      measure: (gpu, how) => cuckooFailures(gpu, table, how),
    })) satisfies Line<CuckooFailures>[];
    if (lines.length === 0) {
      command.error(`error: ${slots.join()} slots per item are too few for ${functions.join()} functions`);
    }
    await reproduceFigure(command, options, output, { lines, show: cuckooTable });
  });
}

function addTwoLevelRestarts(reproduce: Command): void {
  const command = reproduce
    .command('two-level-restarts')
    .description('how often twoLevelCuckoo begins again, and its rounds (Alcantara et al. 2009, sections 4.1 and 7)')
    .addOption(option('--items <list>', 'items in each table', parseSizes).default([100_000], '100000'))
    .addOption(option('--builds <n>', 'builds of each table', parseBuilds).default(20))
    .addOption(
      option('--capacity <list>', 'items that a bucket may have: of 512, 1024, 2048', parseCapacities).default(
        [512],
        '512',
      ),
    )
    .addOption(seedOption());
  finishCommand<TwoLevelOptions>(command, async (options, output) => {
    const { capacity: capacities, items } = options;
    const lines = twoLevelTables({ capacities, items }).map((table) => ({
      title: `buckets of at most ${table.capacity}, ${grouped(table.items)} items`,
      scheme: table.scheme,
      items: table.items,
      measure: (gpu, how) => twoLevelRestarts(gpu, table, how),
    })) satisfies Line<TwoLevelRestarts>[];
    await reproduceFigure(command, options, output, { lines, show: twoLevelTable });
  });
}

function addBuildFailures(reproduce: Command): void {
  const command = reproduce
    .command('build-failures')
    .description('how often one attempt to build a table fails, at any load')
    .addOption(schemesOption(['bucketCuckoo'], 'bucketCuckoo'))
    .addOption(option('--loads <list>', 'load factors, for schemes that have one', parseLoads).default([0.95], '0.95'))
    .addOption(option('--items <list>', 'items in each table', parseSizes).default([10_000], '10000'))
    .addOption(option('--builds <n>', 'builds of each table', parseBuilds).default(100))
    .addOption(seedOption());
  finishCommand<BuildFailuresOptions>(command, async (options, output) => {
    const lines = attemptedTables(options).map((table) => ({
      title: `${table.scheme.name}${table.loadFactor === undefined ? '' : ` at ${table.loadFactor}`}, ${grouped(table.items)} items`,
      scheme: table.scheme,
      items: table.items,
      measure: (gpu, how) => buildFailures(gpu, table, how),
    })) satisfies Line<BuildFailures>[];
    await reproduceFigure(command, options, output, { lines, show: buildFailuresTable });
  });
}

async function reproduceFigure<Statistics>(
  command: Command,
  options: FigureOptions,
  output: Output,
  figure: {
    readonly lines: readonly Line<Statistics>[];
    readonly show: (records: readonly (Statistics & Circumstances)[]) => string;
  },
): Promise<void> {
  const { builds, seed } = options;
  for (const { scheme, items } of figure.lines) {
    const refusal = refusalOf({ scheme, collection: 'set', key: u32, items, loadFactor: undefined }, 'unique');
    if (refusal !== undefined) command.error(`error: ${refusal}`);
  }
  await withGpu(options, async (gpu) => {
    output.say(describeGpu(gpu));
    const random = randomWords(seed);
    const records: (Statistics & Circumstances)[] = [];
    const failures = await runSteps(
      figure.lines.map(({ title, measure }) => ({
        title,
        run: async (report) => {
          const started = performance.now();
          const onProgress = (done: number) => report(done, builds, 'builds');
          const statistics = await measure(gpu, { builds, random, onProgress });
          const seconds = (performance.now() - started) / 1000;
          records.push({ figure: command.name(), ...statistics, seconds, seed, adapter: adapterName(gpu) });
          output.keep(records);
          return `${grouped(builds)} builds in ${seconds.toFixed(1)} s`;
        },
      })),
    );
    output.say(figure.show(records));
    output.write(records);
    if (failures.length > 0) {
      throw new RunFailure(failures.map(({ title, error }) => `${title}: ${error.message}`).join(' | '));
    }
  });
}

const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(3)}%`);

const cuckooTable = (records: readonly CuckooFailures[]): string =>
  textTable(
    ['functions', 'slots', 'items', 'builds', 'limit', 'longest', 'need the stash', 'most items', 'fail with it'],
    records.map(({ functions, slots, items, builds, chainLimit, longest, needed, most, failed }) => [
      String(functions),
      `${slots.toFixed(3)} N`,
      grouped(items),
      grouped(builds),
      grouped(chainLimit),
      grouped(longest),
      percent(needed, builds),
      grouped(most),
      percent(failed, builds),
    ]),
  );

const twoLevelTable = (records: readonly TwoLevelRestarts[]): string =>
  textTable(
    [
      'bucket',
      'items',
      'builds',
      'phase one begun again',
      'phase two given up',
      'rounds a bucket',
      'buckets',
      'begun again',
    ],
    records.map(({ capacity, items, builds, begunAgain, gaveUp, rounds, bucketsBuilt, restarts }) => [
      String(capacity),
      grouped(items),
      grouped(builds),
      `${grouped(begunAgain)} (${percent(begunAgain, builds)})`,
      grouped(gaveUp),
      bucketsBuilt === 0 ? '-' : (rounds / bucketsBuilt).toFixed(3),
      grouped(bucketsBuilt),
      `${grouped(restarts)} (${percent(restarts, bucketsBuilt)})`,
    ]),
  );

const buildFailuresTable = (records: readonly BuildFailures[]): string =>
  textTable(
    ['scheme', 'load', 'items', 'builds', 'slots', 'fail', 'need more room', 'most items'],
    records.map(({ scheme, loadFactor, items, builds, capacitySlots, failed, needed, most }) => [
      scheme,
      loadFactor === undefined ? '-' : String(loadFactor),
      grouped(items),
      grouped(builds),
      grouped(capacitySlots),
      percent(failed, builds),
      percent(needed, builds),
      grouped(most),
    ]),
  );
