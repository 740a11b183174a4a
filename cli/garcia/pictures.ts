import type { Command } from 'commander';
import {
  measurePicture,
  type PictureMeasurement,
  pictureOf,
  tableOfPicture,
} from '../../bench/figures/garciaPictures.ts';
import { type SeriesName, schemeAt } from '../../bench/figures/garciaSeries.ts';
import { keysInSlots, pixelsAsPicture } from '../../bench/figures/garciaSlots.ts';
import { type Gpu, robinHood, type SequenceName } from '../../src/index.ts';
import { type CommonOptions, finishCommand, option, repeatOption, seedOption } from '../command.ts';
import { measureLines, millions } from '../figures.ts';
import { grouped, textTable } from '../textTable.ts';
import { parsePictures } from '../values.ts';
import {
  CurrentPicture,
  type Default,
  defaultFor,
  LOADS,
  loadsOption,
  pngOption,
  savePicture,
  sequencesOption,
  seriesOption,
  sideOption,
} from './common.ts';

interface RebuiltOptions extends CommonOptions {
  readonly side?: number;
  readonly loads: readonly number[];
  readonly sequences: readonly SequenceName[];
  readonly png?: string;
  readonly repeat: number;
  readonly seed: number;
}

const FLOWER: Default<number> = { real: 3820, software: 96 };

export function addPictureFigures(reproduce: Command): void {
  addRebuiltPicture(reproduce);
  addOverLoad(reproduce, {
    name: 'garcia-figure-6',
    description: 'building from pictures over the load, Figure 6',
    operation: 'build',
    paper: 'The paper (GTX 480), fish at 0.85: coherent 368 M/s, random 142.',
  });
  addOverLoad(reproduce, {
    name: 'garcia-figure-7',
    description: 'reading all pixels over the load, Figure 7',
    operation: 'read',
    paper: 'The paper (GTX 480), fish at 0.85: coherent 5,324 M/s, all others below 1,000.',
  });
}

type Rebuilt = PictureMeasurement & { readonly sequence: SequenceName; readonly load: number };

function addRebuiltPicture(reproduce: Command): void {
  const command = reproduce
    .command('garcia-figure-1')
    .description('a sparse picture in a table, and back, Figure 1 (García et al. 2011)')
    .addOption(sideOption(FLOWER))
    .addOption(loadsOption([0.99]))
    .addOption(sequencesOption(['random', 'coherent']))
    .addOption(pngOption('the picture, its pixels’ coordinates as colours, and these in the order of each table'))
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<RebuiltOptions>(command, (options, output) =>
    measureLines(command, options, output, {
      lines: (gpu) => {
        const pictures = new CurrentPicture(gpu);
        return options.loads.flatMap((load) =>
          options.sequences.map((sequence) => ({
            title: `${sequence} at ${load}`,
            measure: () => measureRebuilt(gpu, pictures, options, { sequence, load }),
          })),
        );
      },
      show: (records) =>
        [
          `GPU time, median of ${options.repeat}; every pixel is compared with what it was`,
          textTable(
            ['sequence', 'pixels', 'stored', 'load', 'bytes', 'bytes of all', 'build ms', 'read ms', 'age', 'wrong'],
            records.map((record) => [
              record.sequence,
              grouped(record.pixels),
              grouped(record.items),
              record.loadFactor.toFixed(3),
              grouped(record.tableBytes),
              grouped(4 * record.pixels),
              (record.buildMs ?? 0).toFixed(3),
              (record.readMs ?? 0).toFixed(3),
              grouped(record.longest),
              grouped(record.wrong),
            ]),
          ),
          'The paper (GTX 480), flower, 3.7 M of 3820² at 0.99: build 15 ms, read 3.5 ms, coherent.',
        ].join('\n'),
    }),
  );
}

async function measureRebuilt(
  gpu: Gpu,
  pictures: CurrentPicture,
  { side, png, repeat, seed }: RebuiltOptions,
  { sequence, load }: { readonly sequence: SequenceName; readonly load: number },
): Promise<Rebuilt> {
  const items = await pictures.get('flower', defaultFor(gpu, side, FLOWER));
  const scheme = robinHood({ sequence, loadFactor: load });
  const measured = await measurePicture(gpu, items, { scheme, operations: ['build', 'read'], repeat, seed });
  if (png !== undefined) {
    const { picture, places } = items;
    const table = await tableOfPicture(gpu, items, { scheme, seed });
    try {
      const keys = await keysInSlots(table.image.map.table);
      const coordinates = new Uint32Array(picture.pixels.length).fill(0xffffffff);
      for (const place of places) coordinates[place] = place;
      savePicture(png, 'figure-1-picture', () => picture);
      savePicture(png, 'figure-1-coordinates', () => pixelsAsPicture(coordinates, picture.width, picture));
      savePicture(png, `figure-1-${sequence}-${load}`, () => pixelsAsPicture(keys, picture.width, picture));
    } finally {
      table.destroy();
    }
  }
  return { sequence, load, ...measured };
}

interface OverLoadOptions extends CommonOptions {
  readonly side?: number;
  readonly pictures: readonly ('random' | 'fish')[];
  readonly loads: readonly number[];
  readonly series: readonly SeriesName[];
  readonly repeat: number;
  readonly seed: number;
}

const FISH: Default<number> = { real: 8192, software: 96 };
const SERIES: readonly SeriesName[] = ['coherent', 'random', 'stride', 'cuckoo', 'twoLevelCuckoo', 'bucketCuckoo'];

type OverLoad = PictureMeasurement & {
  readonly picture: 'random' | 'fish';
  readonly series: SeriesName;
  readonly load: number;
};

function addOverLoad(
  reproduce: Command,
  figure: {
    readonly name: string;
    readonly description: string;
    readonly operation: 'build' | 'read';
    readonly paper: string;
  },
): void {
  const { operation } = figure;
  const command = reproduce
    .command(figure.name)
    .description(`${figure.description} (García et al. 2011)`)
    .addOption(sideOption(FISH))
    .addOption(option('--pictures <list>', 'of random, fish', parsePictures).default(['random', 'fish'], 'random,fish'))
    .addOption(loadsOption(LOADS))
    .addOption(seriesOption(SERIES))
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<OverLoadOptions>(command, (options, output) => {
    const { repeat, seed } = options;
    return measureLines(command, options, output, {
      lines: (gpu) => {
        const pictures = new CurrentPicture(gpu);
        const side = defaultFor(gpu, options.side, FISH);
        return options.pictures.flatMap((picture) =>
          options.loads.flatMap((load) =>
            options.series.flatMap((series) => {
              const scheme = schemeAt(series, load, pictureOf(picture, side).filled);
              if (!scheme) return [];
              return {
                title: `${picture}, ${series} at ${load}`,
                measure: async (): Promise<OverLoad> => {
                  const items = await pictures.get(picture, side);
                  const request = { scheme, operations: [operation], repeat, seed };
                  return { picture, series, load, ...(await measurePicture(gpu, items, request)) };
                },
              };
            }),
          ),
        );
      },
      show: (records) =>
        [`GPU time, median of ${repeat}; pixels row by row`, overLoadTable(records, operation), figure.paper].join(
          '\n',
        ),
    });
  });
}

const overLoadTable = (records: readonly OverLoad[], operation: 'build' | 'read'): string =>
  textTable(
    [
      'picture',
      'series',
      'keys',
      'asked load',
      'load',
      operation === 'build' ? 'builds M/s' : 'reads M/s',
      'failed',
      'wrong',
    ],
    records.map((record) => [
      record.picture,
      record.series,
      grouped(record.items),
      String(record.load),
      record.loadFactor.toFixed(3),
      millions(operation === 'build' ? record.buildsPerSecond : record.readsPerSecond),
      grouped(record.failed),
      grouped(record.wrong),
    ]),
  );
