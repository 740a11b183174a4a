import type { Command } from 'commander';
import { measureVolume, type VolumeRecord } from '../../bench/figures/garciaVolumes.ts';
import { makeVolume, VOLUME_KINDS, type VolumeKind, type Voxels } from '../../bench/pictures/volumes.ts';
import type { SequenceName } from '../../src/index.ts';
import { type CommonOptions, finishCommand, option, repeatOption, seedOption } from '../command.ts';
import { measureLines, millions } from '../figures.ts';
import { grouped, textTable } from '../textTable.ts';
import { parseSlices, parseVolumeSide, parseVolumes } from '../values.ts';
import { defaultFor, loadsOption, sequencesOption, sizeOption } from './common.ts';

interface VolumesOptions extends CommonOptions {
  readonly side?: number;
  readonly volumes: readonly VolumeKind[];
  readonly loads: readonly number[];
  readonly sequences: readonly SequenceName[];
  readonly slices: number;
  readonly repeat: number;
  readonly seed: number;
}

const SIDES = { real: 512, software: 24 };

export function addVolumes(reproduce: Command): void {
  const command = reproduce
    .command('garcia-figure-12')
    .description('voxels, and slices at random orientations, Figure 12 (García et al. 2011)')
    .addOption(sizeOption('--side <n>', 'width, height and depth of the volumes', SIDES, parseVolumeSide))
    .addOption(
      option('--volumes <list>', `of ${VOLUME_KINDS.join(', ')}`, parseVolumes).default(
        VOLUME_KINDS,
        VOLUME_KINDS.join(),
      ),
    )
    .addOption(loadsOption([0.8, 0.99]))
    .addOption(sequencesOption(['coherent', 'random']))
    .addOption(option('--slices <n>', 'slices', parseSlices).default(8))
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<VolumesOptions>(command, (options, output) => {
    const { slices, repeat, seed } = options;
    return measureLines(command, options, output, {
      lines: (gpu) => {
        const side = defaultFor(gpu, options.side, SIDES);
        let current: (Voxels & { readonly kind: VolumeKind }) | undefined;
        const voxelsOf = (kind: VolumeKind): Voxels => {
          if (current?.kind !== kind) current = { kind, ...makeVolume({ kind, side }) };
          return current;
        };
        return options.volumes.flatMap((volume) =>
          options.loads.flatMap((load) =>
            options.sequences.map((sequence) => ({
              title: `${volume}, ${sequence} at ${load}`,
              measure: async () => {
                const request = { sequence, load, slices, repeat, seed };
                return { volume, ...(await measureVolume(gpu, voxelsOf(volume), request)) };
              },
            })),
          ),
        );
      },
      show: (records) =>
        [`GPU time, median of ${repeat}; voxels layer by layer, row by row`, volumesTable(records), PAPER].join('\n'),
    });
  });
}

const PAPER = textTable(
  ['paper (GTX 480), 512³', 'keys', 'load', 'builds M/s', 'queries M/s'],
  [
    ['armadillo', '9.2 M', '0.8', '280', '1905'],
    ['armadillo', '9.2 M', '0.99', '254', '1182'],
    ['hairy', '24 M', '0.8', '455', '1736'],
    ['hairy', '24 M', '0.99', '182', '1208'],
  ],
);

const volumesTable = (records: readonly (VolumeRecord & { readonly volume: VolumeKind })[]): string =>
  textTable(
    [
      'volume',
      'sequence',
      'side',
      'keys',
      'load',
      'builds M/s',
      'queries of a slice',
      'queries M/s',
      'failed',
      'wrong',
    ],
    records.map((record) => [
      record.volume,
      record.sequence,
      grouped(record.side),
      grouped(record.items),
      record.loadFactor.toFixed(3),
      millions(record.buildsPerSecond),
      grouped(Math.round(record.queries)),
      millions(record.queriesPerSecond),
      grouped(record.failed),
      grouped(record.wrong),
    ]),
  );
