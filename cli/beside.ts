import type { Command } from 'commander';
import { adapterName } from '../bench/benchmark.ts';
import {
  type BesideRecord,
  LIBRARIES,
  type Library,
  type Listener,
  TASKS,
  type Task,
} from '../bench/beside/contest.ts';
import { DATA, WORKLOADS } from '../bench/beside/workloads.ts';
import { type CommonOptions, finishCommand, option, repeatOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { oneLine } from './output.ts';
import { grouped, textTable } from './textTable.ts';
import { parseKinds, parseLibraries, parseSeconds, parseSizes, parseTasks } from './values.ts';

interface Options extends CommonOptions {
  readonly only: readonly Task[];
  readonly data: readonly string[];
  readonly sizes?: readonly number[];
  readonly without: readonly Library[];
  readonly repeat: number;
  readonly seconds: number;
}

/** On a software GPU everything is slow, and says nothing. */
const SOFTWARE_SIZES = [2000];

interface Measured extends BesideRecord {
  readonly adapter: string;
  readonly software: boolean;
}

export function addBeside(program: Command): void {
  const command = program
    .command('beside')
    .description('measure the library beside others, on the same data, and check every answer')
    .addOption(option('--only <list>', `of ${TASKS.join(', ')}`, parseTasks).default(TASKS, TASKS.join()))
    .addOption(option('--data <list>', `of ${DATA.join(', ')}`, parseKinds).default(DATA, 'all'))
    .addOption(option('--sizes <list>', 'rows, particles or corners (default: two sizes for each task)', parseSizes))
    .addOption(option('--without <list>', `of ${LIBRARIES.join(', ')}`, parseLibraries).default([], 'nobody'))
    .addOption(repeatOption())
    .addOption(option('--seconds <n>', 'no further pass of a contestant after so long', parseSeconds).default(20));
  finishCommand<Options>(command, async (options, output) => {
    const records: Measured[] = [];
    const failures: string[] = [];
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const { software } = gpu.info;
      for (const { task, data, asks, sizes: usual, contest } of WORKLOADS) {
        if (!options.only.includes(task) || !options.data.includes(data)) continue;
        for (const size of options.sizes ?? (software ? SOFTWARE_SIZES : usual)) {
          const title = `${task}, ${data}, n = ${grouped(size)}`;
          output.say(`\n${title}: ${asks}`);
          const listener: Listener = {
            measured: (record) => {
              records.push({ ...record, adapter: adapterName(gpu), software });
              output.keep(records);
              output.say(`  ${record.contestant}: ${record.medianMs.toFixed(3)} ms`);
              if (record.wrong > 0) failures.push(`${title}: ${record.contestant}: ${grouped(record.wrong)} wrong`);
            },
            leftOut: (contestant, why) => output.say(`  left out: ${contestant}: ${why}`),
            failed: (contestant, error) => {
              output.complain(`  failed: ${contestant}: ${oneLine(error)}`);
              failures.push(`${title}: ${contestant}: ${oneLine(error)}`);
            },
          };
          await contest(gpu, size, options, listener);
        }
      }
    });
    output.say(`\n${recordTable(records)}`);
    output.write(records);
    if (failures.length > 0) throw new RunFailure(failures.join('; '));
  });
}

const recordTable = (records: readonly Measured[]): string =>
  textTable(
    ['task', 'data', 'n', 'contestant', 'clock', 'median ms', 'min ms', 'runs', 'parts', 'correct'],
    records.map(({ task, data, size, contestant, clock, medianMs, minMs, runs, parts, wrong }) => [
      task,
      data,
      grouped(size),
      contestant,
      clock,
      medianMs.toFixed(3),
      minMs.toFixed(3),
      grouped(runs),
      partsText(parts),
      wrong === 0 ? 'yes' : 'NO',
    ]),
  );

/** Of what has several parts, the median of each. */
function partsText(parts: BesideRecord['parts']): string {
  const all = Object.entries(parts);
  return all.length < 2 ? '' : all.map(([name, ms]) => `${name} ${ms.toFixed(3)}`).join(', ');
}
