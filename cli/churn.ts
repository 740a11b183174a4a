import type { Command } from 'commander';
import { type ChurnRecord, churn } from '../bench/living/churn.ts';
import { type CommonOptions, finishCommand, option, seedOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { type DynamicSchemeName, dynamicSchemesOption, makeDynamicScheme } from './dynamicSchemes.ts';
import { RunFailure } from './failure.ts';
import { grouped, rate, textTable } from './textTable.ts';
import { parseSize } from './values.ts';

interface Options extends CommonOptions {
  readonly schemes: readonly DynamicSchemeName[];
  readonly fewest: number;
  readonly most?: number;
  readonly batch: number;
  readonly rounds: number;
  readonly seed: number;
}

export function addChurn(program: Command): void {
  const command = program
    .command('churn')
    .description('take tables that live through many batches, and check every key on the GPU after each')
    .addOption(dynamicSchemesOption())
    .addOption(option('--fewest <n>', 'keys that the table has at least', parseSize).default(10_000))
    .addOption(
      option('--most <n>', 'keys that it grows to (default: as many; a round then replaces a batch)', parseSize),
    )
    .addOption(option('--batch <n>', 'items of a batch', parseSize).default(1_000))
    .addOption(option('--rounds <n>', 'batches', parseSize).default(30))
    .addOption(seedOption());
  finishCommand<Options>(command, async (options, output) => {
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const records: ChurnRecord[] = [];
      for (const name of options.schemes) {
        const { fewest, most = fewest } = options;
        records.push(await churn(gpu, { ...options, scheme: makeDynamicScheme(name), fewest, most }));
        output.write(records);
      }
      output.say(recordTable(records));
      const wrong = records.reduce((sum, record) => sum + record.wrong, 0);
      if (wrong > 0) throw new RunFailure(`${wrong} answers were wrong`);
    });
  });
}

const recordTable = (records: readonly ChurnRecord[]): string =>
  textTable(
    [
      'scheme',
      'keys',
      'batch',
      'rounds',
      'growths',
      'shrinks',
      'answers',
      'wrong',
      'hit',
      'miss',
      'probes',
      'bytes at first, most, last',
    ],
    records.map((record) => [
      record.scheme,
      grouped(record.keys),
      grouped(record.batch),
      grouped(record.rounds),
      grouped(record.growths),
      grouped(record.shrinks),
      grouped(record.answers),
      grouped(record.wrong),
      rate(record.hitsPerSecond),
      rate(record.missesPerSecond),
      `${record.hitProbes.toFixed(3)} / ${record.missProbes.toFixed(3)}`,
      record.bytes.map(grouped).join(' '),
    ]),
  );
