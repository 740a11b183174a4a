import type { Command } from 'commander';
import { makePainting, measurePaint } from '../../bench/figures/garciaPaint.ts';
import type { SequenceName } from '../../src/index.ts';
import { once } from '../../src/wgsl/index.ts';
import { type CommonOptions, finishCommand, repeatOption, seedOption } from '../command.ts';
import { measureLines } from '../figures.ts';
import { grouped, textTable } from '../textTable.ts';
import { defaultFor, loadsOption, sequencesOption, sideOption } from './common.ts';

interface PaintOptions extends CommonOptions {
  readonly side?: number;
  readonly loads: readonly number[];
  readonly sequences: readonly SequenceName[];
  readonly repeat: number;
  readonly seed: number;
}

const SIDES = { real: 4096, software: 64 };

const PAPER = textTable(
  ['paper (GTX 480), 4096²', 'sequence', 'load', 'build ms', 'frames a second'],
  [
    ['1 M texels, 389,586 queries', '-', '0.5', '3', '446'],
    ['', 'random', '0.8', '7', '299'],
    ['', 'coherent', '0.8', '3', '375'],
    ['', '-', '0.99', '10', '237'],
  ],
);

export function addPaint(reproduce: Command): void {
  const command = reproduce
    .command('garcia-figure-11')
    .description('painting on a sparse atlas, and a view of it, Figure 11 (García et al. 2011)')
    .addOption(sideOption(SIDES))
    .addOption(loadsOption([0.5, 0.8, 0.99]))
    .addOption(sequencesOption(['coherent', 'random']))
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<PaintOptions>(command, (options, output) => {
    const { repeat, seed } = options;
    return measureLines(command, options, output, {
      lines: (gpu) => {
        const painting = once(() => makePainting(defaultFor(gpu, options.side, SIDES), seed));
        return options.loads.flatMap((load) =>
          options.sequences.map((sequence) => ({
            title: `${sequence} at ${load}`,
            measure: () => measurePaint(gpu, painting(), { sequence, load, repeat, seed }),
          })),
        );
      },
      show: (records) =>
        [
          `GPU time, median of ${repeat}; a stroke is recorded, and the table built anew with it`,
          textTable(
            ['sequence', 'load', 'atlas', 'texels', 'bytes', 'dabs', 'stroke ms', 'queries', 'frame ms', 'wrong'],
            records.map((record) => [
              record.sequence,
              record.loadFactor.toFixed(3),
              `${record.side}²`,
              grouped(record.texels),
              grouped(record.tableBytes),
              grouped(record.dabs),
              record.strokeMs.toFixed(4),
              grouped(record.queries),
              record.frameMs.toFixed(4),
              grouped(record.wrong),
            ]),
          ),
          PAPER,
        ].join('\n'),
    });
  });
}
