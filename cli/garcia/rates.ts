import type { Command } from 'commander';
import { type BenchRecord, benchmark } from '../../bench/benchmark.ts';
import { type SeriesName, schemeAt } from '../../bench/figures/garciaSeries.ts';
import { Workload } from '../../bench/workload.ts';
import { type Gpu, u32 } from '../../src/index.ts';
import { type CommonOptions, finishCommand, repeatOption, seedOption } from '../command.ts';
import { measureLines, millions } from '../figures.ts';
import { grouped, textTable } from '../textTable.ts';
import { parseSizes } from '../values.ts';
import { defaultFor, loadsOption, seriesOption, sizeOption } from './common.ts';

interface RatesOptions extends CommonOptions {
  readonly sizes?: readonly number[];
  readonly loads: readonly number[];
  readonly series: readonly SeriesName[];
  readonly repeat: number;
  readonly seed: number;
}

const SIZES = { real: [1, 2, 4, 8, 16, 32].map((millions) => millions * 1_000_000), software: [1000, 4000] };

const SERIES: readonly SeriesName[] = [
  'coherent',
  'random',
  'stride',
  'coherent/noReject',
  'random/noReject',
  'cuckoo',
  'twoLevelCuckoo',
  'bucketCuckoo',
];

interface RatesRecord {
  readonly series: SeriesName;
  readonly load: number;
  readonly items: number;
  readonly loadFactor: number;
  readonly buildMs: number;
  readonly buildsPerSecond: number;
  readonly findMs: number;
  readonly findsPerSecond: number;
  readonly tableBytes: number;
  readonly error?: string;
  readonly wrong: number;
}

export function addRates(reproduce: Command): void {
  const command = reproduce
    .command('garcia-figure-5')
    .description('building and searching over the number of random keys, Figure 5 (García et al. 2011)')
    .addOption(sizeOption('--sizes <list>', 'keys', SIZES, parseSizes))
    .addOption(loadsOption([0.8]))
    .addOption(seriesOption(SERIES))
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<RatesOptions>(command, (options, output) =>
    measureLines(command, options, output, {
      lines: (gpu) => {
        const workloads = new CurrentWorkload(gpu, options.seed);
        return defaultFor(gpu, options.sizes, SIZES).flatMap((items) =>
          options.loads.flatMap((load) =>
            options.series
              .filter((series) => schemeAt(series, load, items))
              .map((series) => ({
                title: `${series}, ${grouped(items)} keys at ${load}`,
                measure: async () => measureRates(gpu, await workloads.get(items), options, { series, load }),
              })),
          ),
        );
      },
      show: (records) =>
        [
          `GPU time, median of ${options.repeat}; keys of all 32-bit words, in no order; all keys are searched for, in another order`,
          textTable(
            ['series', 'keys', 'asked load', 'load', 'builds M/s', 'finds M/s', 'bytes/key', 'wrong'],
            records.map((record) => [
              record.series,
              grouped(record.items),
              String(record.load),
              record.loadFactor.toFixed(3),
              millions(record.buildsPerSecond),
              millions(record.findsPerSecond),
              (record.tableBytes / record.items).toFixed(2),
              record.error ?? grouped(record.wrong),
            ]),
          ),
          'The paper (GTX 480), 16 M keys at 0.8: builds 249 M/s, Alcantara 2011 318, Alcantara et al. 2009 268. 32 M keys at 0.99: builds 112, finds 241.',
        ].join('\n'),
    }),
  );
}

/** The workload of one size at a time. */
class CurrentWorkload {
  #current: Workload | undefined;

  constructor(
    readonly gpu: Gpu,
    readonly seed: number,
  ) {}

  async get(items: number): Promise<Workload> {
    if (this.#current?.items === items) return this.#current;
    this.#current?.destroy();
    this.#current = undefined;
    this.#current = await Workload.create(this.gpu, { items, key: u32, seed: this.seed });
    return this.#current;
  }
}

async function measureRates(
  gpu: Gpu,
  workload: Workload,
  { repeat, seed }: RatesOptions,
  { series, load }: { readonly series: SeriesName; readonly load: number },
): Promise<RatesRecord> {
  const { items } = workload;
  const scheme = schemeAt(series, load, items);
  if (!scheme) throw new Error(`${series} does not reach a load of ${load}`);
  const configuration = { scheme, collection: 'map', key: u32, items, loadFactor: load } as const;
  const records = await benchmark(gpu, workload, configuration, {
    operations: ['build', 'hit'],
    repeat,
    duplicates: 'unique',
    seed,
  });
  const [build, find] = records as [BenchRecord, BenchRecord];
  const errors = [...new Set(records.flatMap(({ error }) => error ?? []))];
  return {
    series,
    load,
    items,
    loadFactor: find.loadFactor,
    buildMs: build.medianMs,
    buildsPerSecond: build.itemsPerSecond,
    findMs: find.medianMs,
    findsPerSecond: find.itemsPerSecond,
    tableBytes: find.tableBytes,
    ...(errors.length > 0 && { error: errors.join('; ') }),
    wrong: records.filter(({ correct }) => !correct).length,
  };
}
