/** `hashnest bench grid`: the measurements that `hashnest choose` makes its tables from. */
import type { Command } from 'commander';
import { GRID_LOADS, GRID_SCHEMES, GRID_SHARES, gridConfigurations } from '../bench/grid.ts';
import type { SchemeChoice } from '../bench/schemeChoice.ts';
import { type CommonOptions, finishCommand, holdOption, option, repeatOption, seedOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { measureAndShow } from './measureTables.ts';
import { parseLoads, parseSchemeChoices, parseShares, parseSizes } from './values.ts';

interface Options extends CommonOptions {
  readonly schemes: readonly SchemeChoice[];
  readonly sizes?: readonly number[];
  readonly loads: readonly number[];
  readonly absent: readonly number[];
  readonly repeat: number;
  readonly hold: number;
  readonly seed: number;
}

const SIZES = { software: [1000, 10_000], real: [3, 4, 5, 6, 7, 8].map((power) => 10 ** power) };
/** Enough where one measurement follows the other. */
const HOLD_MS = 10;

export function addBenchGrid(bench: Command): void {
  const command = bench
    .command('grid')
    .description('measure maps of u32 to u32 of every scheme over sizes, loads and shares of absent keys')
    .addOption(
      option('--schemes <list>', 'as for bench', parseSchemeChoices).default(GRID_SCHEMES, 'all that take u32 keys'),
    )
    .addOption(option('--sizes <list>', 'numbers of items (default: 10³ to 10⁸, in software to 10⁴)', parseSizes))
    .addOption(option('--loads <list>', 'load factors', parseLoads).default(GRID_LOADS, GRID_LOADS.join()))
    .addOption(option('--absent <list>', 'shares of absent keys', parseShares).default(GRID_SHARES, GRID_SHARES.join()))
    .addOption(repeatOption(3))
    .addOption(holdOption(HOLD_MS))
    .addOption(seedOption());
  finishCommand<Options>(command, async (options, output) => {
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const { sizes = SIZES[gpu.info.software ? 'software' : 'real'], absent, repeat, hold: holdMs, seed } = options;
      const how = { operations: ['build'], absent, repeat, holdMs, seed, duplicates: 'unique' } as const;
      await measureAndShow(gpu, gridConfigurations({ ...options, sizes }), how, output);
    });
  });
}
