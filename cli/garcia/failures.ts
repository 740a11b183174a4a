import type { Command } from 'commander';
import { DATA_NAMES, type DataName, measureFailures } from '../../bench/figures/garciaFailures.ts';
import type { SequenceName } from '../../src/index.ts';
import { type CommonOptions, finishCommand, option, seedOption } from '../command.ts';
import { measureLines } from '../figures.ts';
import { grouped, textTable } from '../textTable.ts';
import { parseBuilds, parseData, parseSize } from '../values.ts';
import { defaultFor, loadsOption, sequencesOption, sizeOption } from './common.ts';

interface FailuresOptions extends CommonOptions {
  readonly data: readonly DataName[];
  readonly items?: number;
  readonly builds?: number;
  readonly loads: readonly number[];
  readonly sequences: readonly SequenceName[];
  readonly seed: number;
}

const ITEMS = { real: 1_000_000, software: 2000 };
const BUILDS = { real: 100, software: 2 };

export function addFailures(reproduce: Command): void {
  const command = reproduce
    .command('garcia-failures')
    .description(
      'how often robinHood fails, tries again or grows, over kinds of data (García et al. 2011, section 4.1)',
    )
    .addOption(option('--data <list>', `of ${DATA_NAMES.join(', ')}`, parseData).default(DATA_NAMES, DATA_NAMES.join()))
    .addOption(sizeOption('--items <n>', 'keys of each table', ITEMS, parseSize))
    .addOption(sizeOption('--builds <n>', 'builds of each table', BUILDS, parseBuilds))
    .addOption(loadsOption([0.5, 0.8, 0.9, 0.95, 0.99]))
    .addOption(sequencesOption(['coherent', 'random']))
    .addOption(seedOption());
  finishCommand<FailuresOptions>(command, (options, output) =>
    measureLines(command, options, output, {
      lines: (gpu) => {
        const items = defaultFor(gpu, options.items, ITEMS);
        const builds = defaultFor(gpu, options.builds, BUILDS);
        return options.data.flatMap((data) =>
          options.loads.flatMap((load) =>
            options.sequences.map((sequence) => ({
              title: `${data}, ${sequence} at ${load}`,
              measure: (_, report) => {
                const onProgress = (done: number) => report(done, builds, 'builds');
                return measureFailures(gpu, { data, sequence, load, items, builds, seed: options.seed, onProgress });
              },
            })),
          ),
        );
      },
      show: (records) =>
        [
          textTable(
            ['data', 'sequence', 'load', 'keys', 'builds', 'failed', 'retries', 'growths', 'greatest ages', 'wrong'],
            records.map((record) => [
              record.data,
              record.sequence,
              String(record.load),
              grouped(record.items),
              grouped(record.builds),
              grouped(record.failed),
              grouped(record.retries),
              grouped(record.growths),
              `${record.leastGreatestAge} to ${record.greatestAge}`,
              grouped(record.wrong),
            ]),
          ),
          'The paper: no build failed, and no age was above 15, up to a load of 0.99.',
        ].join('\n'),
    }),
  );
}
