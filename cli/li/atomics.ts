import type { Command } from 'commander';
import { adapterName } from '../../bench/benchmark.ts';
import { type AtomicsRecord, measureAtomics } from '../../bench/figures/liAtomics.ts';
import { type CommonOptions, finishCommand, option, repeatOption, seedOption } from '../command.ts';
import { describeGpu, withGpu } from '../device.ts';
import { RunFailure } from '../failure.ts';
import { grouped, rate, textTable } from '../textTable.ts';
import { parseSize, parseSizes } from '../values.ts';

interface AtomicsOptions extends CommonOptions {
  readonly operations?: number;
  readonly conflicts: readonly number[];
  readonly repeat: number;
  readonly seed: number;
}

const CONFLICTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16_384];

export function addAtomics(reproduce: Command): void {
  const command = reproduce
    .command('li-figure-5')
    .description('atomic operations that conflict, against reads side by side (Li et al. 2021, Figure 5)')
    .addOption(option('--operations <n>', 'operations of a pass (default: 2²⁴, in software 2¹⁴)', parseSize))
    .addOption(
      option('--conflicts <list>', 'operations at one address', parseSizes).default(CONFLICTS, CONFLICTS.join()),
    )
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<AtomicsOptions>(command, async (options, output) => {
    const { conflicts, repeat } = options;
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const operations = options.operations ?? (gpu.info.software ? 1 << 14 : 1 << 24);
      const records = await measureAtomics(gpu, { operations, conflicts, repeat });
      output.say(`GPU time, median of ${repeat}; ${grouped(operations)} operations. The paper has a plot only.`);
      output.say(atomicsTable(records));
      output.write(records.map((record) => ({ ...record, figure: command.name(), adapter: adapterName(gpu) })));
      const wrong = records.reduce((sum, record) => sum + record.wrong, 0);
      if (wrong > 0) throw new RunFailure(`${wrong} addresses hold what none of their operations wrote`);
    });
  });
}

function atomicsTable(records: readonly AtomicsRecord[]): string {
  const operations = [...new Set(records.map(({ op }) => op))];
  return textTable(
    ['conflicts', ...operations],
    [...new Set(records.map(({ conflicts }) => conflicts))].map((conflicts) => [
      grouped(conflicts),
      ...operations.map((op) => {
        const found = records.find((record) => record.op === op && record.conflicts === conflicts);
        return found ? rate(found.perSecond) : '-';
      }),
    ]),
  );
}
