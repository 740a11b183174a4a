import type { Command } from 'commander';
import {
  DUE_ITEMS,
  DUE_KEYS,
  DUE_OPERATIONS,
  DUE_SCHEMES,
  type DueRow,
  dueConfigurations,
  dueRows,
  PAPER_ROWS,
  paperTimes,
} from '../bench/figures/dueTable1.ts';
import type { SchemeName } from '../src/index.ts';
import { type CommonOptions, finishCommand, option, repeatOption, schemesOption, seedOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { measureTables } from './measureTables.ts';
import { grouped, textTable } from './textTable.ts';
import { parseSize } from './values.ts';

interface Options extends CommonOptions {
  readonly items?: number;
  readonly schemes: readonly SchemeName[];
  readonly repeat: number;
  readonly seed: number;
}

const SOFTWARE_ITEMS = 10_000;

export function addDueTable1(reproduce: Command): void {
  const command = reproduce
    .command('due-table-1')
    .description('construction, lookup and membership with u64 and string keys (Due et al. 2025, Table 1)')
    .addOption(option('--items <n>', 'items in each table (default: 10⁷, in software 10⁴)', parseSize))
    .addOption(schemesOption(DUE_SCHEMES, DUE_SCHEMES.join()))
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<Options>(command, async (options, output) => {
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const { schemes, repeat, seed, items = gpu.info.software ? SOFTWARE_ITEMS : DUE_ITEMS } = options;
      const how = { operations: DUE_OPERATIONS, duplicates: 'unique', repeat, seed } as const;
      const { records, failures } = await measureTables(gpu, dueConfigurations(items, schemes), how, output);
      output.say(`milliseconds, median of ${repeat}; ${grouped(items)} items here, ${grouped(DUE_ITEMS)} in the paper`);
      output.say(dueTable(dueRows(records)));
      output.write(records);
      if (failures.length > 0) throw new RunFailure(`${failures.length} went wrong: ${failures.join(' | ')}`);
    });
  });
}

const COLUMNS: Readonly<Record<(typeof DUE_OPERATIONS)[number], string>> = { build: 'build', hit: 'get', has: 'has' };

/** Rows of this library, then those of the paper. */
function dueTable(rows: readonly DueRow[]): string {
  const columns = DUE_KEYS.flatMap(({ name }) => DUE_OPERATIONS.map((op) => `${name} ${COLUMNS[op]}`));
  return textTable(
    ['implementation', ...columns, 'as fast as the paper'],
    [
      ...rows.map(({ scheme, times, paper, isAsFast }) => [
        scheme,
        ...times.map((ms) => (ms === undefined ? '-' : ms.toFixed(2))),
        paper === undefined
          ? ''
          : `${isAsFast === undefined ? 'not comparable' : isAsFast ? 'yes' : 'NO'}: ${paper.name}`,
      ]),
      ...PAPER_ROWS.map((row) => [`${row.name} (A100)`, ...paperTimes(row).map((ms) => ms.toFixed(2)), '']),
    ],
  );
}
