import type { Command } from 'commander';
import {
  type BatchesRequest,
  type BatchRecord,
  measureBatches,
  measureGrowth,
  profileBatches,
} from '../bench/living/batches.ts';
import { type CommonOptions, finishCommand, option, repeatOption, seedOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { type DynamicSchemeName, dynamicSchemesOption, makeDynamicScheme } from './dynamicSchemes.ts';
import { RunFailure } from './failure.ts';
import { grouped, rate, textTable } from './textTable.ts';
import { parseCopies, parseFactors, parseLoads, parseSizes } from './values.ts';

interface Options extends CommonOptions {
  readonly schemes: readonly DynamicSchemeName[];
  readonly sizes?: readonly number[];
  readonly batches?: readonly number[];
  readonly loads: readonly number[];
  readonly copies: number;
  readonly repeat: number;
  readonly seed: number;
  readonly profile?: boolean;
  readonly growth?: readonly number[];
}

const SIZES = { software: [10_000], real: [10_000_000] };

export function addBatches(program: Command): void {
  const command = program
    .command('batches')
    .description('measure insertion and deletion in tables that live, in GPU time, and check every answer')
    .addOption(dynamicSchemesOption())
    .addOption(option('--sizes <list>', 'keys of the table', parseSizes))
    .addOption(option('--batches <list>', 'items of a batch (default: all of the table, and a tenth)', parseSizes))
    .addOption(option('--loads <list>', 'filled factors', parseLoads).default([0.8], '0.8'))
    .option('--profile', 'time every kernel of a batch by itself instead')
    .addOption(option('--growth <list>', 'measure instead how tables grow by these factors', parseFactors))
    .addOption(option('--copies <n>', 'how often every key occurs in a batch', parseCopies).default(1))
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<Options>(command, async (options, output) => {
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const records: BatchRecord[] = [];
      for (const request of requestsOf(options, SIZES[gpu.info.software ? 'software' : 'real'])) {
        if (options.growth) {
          for (const factor of options.growth) records.push(await measureGrowth(gpu, request, factor));
        } else if (options.profile) output.say(kernelTable(request, await profileBatches(gpu, request)));
        else records.push(...(await measureBatches(gpu, request)));
        output.write(records);
      }
      if (!options.profile) output.say(recordTable(records));
      const wrong = records.reduce((sum, record) => sum + record.wrong, 0);
      if (wrong > 0) throw new RunFailure(`${wrong} answers were wrong`);
    });
  });
}

/** All that is asked for. */
function requestsOf(options: Options, defaultSizes: readonly number[]): BatchesRequest[] {
  const { schemes, sizes = defaultSizes, batches, loads, copies, repeat, seed } = options;
  const promises = copies > 1 ? [false] : options.growth ? [true] : [false, true];
  return schemes.flatMap((name) =>
    sizes.flatMap((items) =>
      (options.growth ? [items] : (batches ?? [items, Math.ceil(items / 10)]))
        .filter((batch) => batch <= items)
        .flatMap((batch) =>
          loads.flatMap((loadFactor) =>
            promises.map((unique) => ({
              scheme: makeDynamicScheme(name),
              items,
              batch,
              loadFactor,
              unique,
              copies,
              repeat,
              seed,
            })),
          ),
        ),
    ),
  );
}

const kernelTable = (
  { items, batch, unique }: BatchesRequest,
  times: Awaited<ReturnType<typeof profileBatches>>,
): string =>
  textTable(
    ['keys', 'batch', 'copies', 'op', 'kernel', 'ms'],
    times.map(({ op, label, medianMs }) => [
      grouped(items),
      grouped(batch),
      unique ? 'none' : 'last wins',
      op,
      label,
      medianMs.toFixed(4),
    ]),
  );

const recordTable = (records: readonly BatchRecord[]): string =>
  textTable(
    ['scheme', 'keys', 'batch', 'copies', 'op', 'median ms', 'min ms', 'rate', 'bytes/key', 'wrong'],
    records.map(({ scheme, items, batch, unique, op, medianMs, minMs, itemsPerSecond, bytesPerKey, wrong }) => [
      scheme,
      grouped(items),
      grouped(batch),
      unique ? 'none' : 'last wins',
      op,
      medianMs.toFixed(3),
      minMs.toFixed(3),
      rate(itemsPerSecond),
      bytesPerKey.toFixed(2),
      grouped(wrong),
    ]),
  );
