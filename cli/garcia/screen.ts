import type { Command } from 'commander';
import { pictureOf } from '../../bench/figures/garciaPictures.ts';
import { measureScreen, ORDER_NAMES, type OrderName } from '../../bench/figures/garciaScreen.ts';
import { makePicture, type Picture } from '../../bench/pictures/index.ts';
import type { SequenceName } from '../../src/index.ts';
import { once } from '../../src/wgsl/index.ts';
import { type CommonOptions, finishCommand, option, repeatOption, seedOption } from '../command.ts';
import { measureLines, millions } from '../figures.ts';
import { grouped, textTable } from '../textTable.ts';
import { parseAngles, parseOrders, parseScreen } from '../values.ts';
import { defaultFor, LOADS, loadsOption, sequencesOption, sideOption, sizeOption } from './common.ts';

interface ScreenOptions extends CommonOptions {
  readonly side?: number;
  readonly screen?: number;
  readonly angles: number;
  readonly orders: readonly OrderName[];
  readonly sequences: readonly SequenceName[];
  readonly loads: readonly number[];
  readonly repeat: number;
  readonly seed: number;
}

const SIDES = { real: 8192, software: 128 };
const SCREENS = { real: 1024, software: 64 };

export function addScreen(reproduce: Command): void {
  const command = reproduce
    .command('garcia-figure-10')
    .description(
      'a picture that is turned by a fragment shader, over the order of keys, Figure 10 (García et al. 2011)',
    )
    .addOption(sideOption(SIDES))
    .addOption(sizeOption('--screen <n>', 'width and height of the screen', SCREENS, parseScreen))
    .addOption(option('--angles <n>', 'angles of a whole turn', parseAngles).default(16))
    .addOption(
      option('--orders <list>', `of ${ORDER_NAMES.join(', ')}`, parseOrders).default(ORDER_NAMES, ORDER_NAMES.join()),
    )
    .addOption(sequencesOption(['coherent', 'random']))
    .addOption(loadsOption(LOADS))
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<ScreenOptions>(command, (options, output) => {
    const { angles, repeat, seed } = options;
    return measureLines(command, options, output, {
      lines: (gpu) => {
        const picture = once((): Picture => makePicture(pictureOf('fish', defaultFor(gpu, options.side, SIDES))));
        const screen = defaultFor(gpu, options.screen, SCREENS);
        return options.orders.flatMap((order) =>
          options.loads.flatMap((load) =>
            options.sequences.map((sequence) => ({
              title: `${order}, ${sequence} at ${load}`,
              measure: () => measureScreen(gpu, picture(), { order, sequence, load, screen, angles, repeat, seed }),
            })),
          ),
        );
      },
      show: (records) =>
        [
          `GPU time, median of ${repeat}; fish, a pixel of the picture to a pixel of the screen, ${angles} angles`,
          textTable(
            ['order', 'sequence', 'keys', 'load', 'queries', 'frame ms', 'queries M/s', 'wrong'],
            records.map((record) => [
              record.order,
              record.sequence,
              grouped(record.items),
              record.loadFactor.toFixed(3),
              grouped(Math.round(record.queries)),
              record.frameMs.toFixed(4),
              millions(record.queriesPerSecond),
              grouped(record.wrong),
            ]),
          ),
          'The paper has a plot: with the coherent sequence Morton order is fastest, then rows, then bit reversal; with the random one all are alike.',
        ].join('\n'),
    });
  });
}
