import type { Command } from 'commander';
import { makeScheme } from '../bench/configurations.ts';
import { type KernelTime, profileBuild } from '../bench/profile.ts';
import { Workload } from '../bench/workload.ts';
import { HashMap, type KeyType, type SchemeName } from '../src/index.ts';
import { type CommonOptions, finishCommand, keysOption, option, schemesOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { grouped, textTable } from './textTable.ts';
import { parseSize } from './values.ts';

interface Options extends CommonOptions {
  readonly items: number;
  readonly schemes: readonly SchemeName[];
  readonly keys: readonly KeyType[];
  readonly load: string;
}

interface ProfileRecord extends KernelTime {
  readonly scheme: string;
  readonly key: string;
  readonly items: number;
}

export function addProfile(program: Command): void {
  const command = program
    .command('profile')
    .description('time every kernel of a build by itself')
    .addOption(option('--items <n>', 'items in each table', parseSize).default(1_000_000))
    .addOption(schemesOption(['bucketCuckoo'], 'bucketCuckoo'))
    .addOption(keysOption())
    .option('--load <f>', 'load factor, for schemes that have one', '0.8');
  finishCommand<Options>(command, async (options, output) => {
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const records: ProfileRecord[] = [];
      for (const key of options.keys) {
        const workload = await Workload.create(gpu, { items: options.items, key });
        for (const name of options.schemes) {
          const scheme = makeScheme(name, { loadFactor: Number(options.load) });
          const map = await HashMap.from(gpu, workload.input, { key, scheme, duplicates: 'unique' });
          const kernels = await profileBuild(gpu, map, workload);
          records.push(...kernels.map((time) => ({ scheme: name, key: key.name, items: options.items, ...time })));
          map.destroy();
        }
        workload.destroy();
      }
      output.say(
        textTable(
          ['scheme', 'key', 'items', 'kernel', 'ms'],
          records.map(({ scheme, key, items, label, medianMs }) => [
            scheme,
            key,
            grouped(items),
            label,
            medianMs.toFixed(4),
          ]),
        ),
      );
      output.write(records);
    });
  });
}
