import type { Command } from 'commander';
import { type AgesRecord, measureAges } from '../../bench/figures/garciaAges.ts';
import { tableOfPicture } from '../../bench/figures/garciaPictures.ts';
import { maximumAges, maximumAgesAsPicture, readSlotWords, shareAlike } from '../../bench/figures/garciaSlots.ts';
import { type Gpu, robinHood, type SequenceName } from '../../src/index.ts';
import { type CommonOptions, finishCommand, seedOption } from '../command.ts';
import { measureLines } from '../figures.ts';
import { grouped, percent, textTable } from '../textTable.ts';
import { parseSize } from '../values.ts';
import {
  CurrentPicture,
  defaultFor,
  loadsOption,
  pngOption,
  savePicture,
  sequencesOption,
  sideOption,
  sizeOption,
} from './common.ts';

interface AgesOptions extends CommonOptions {
  readonly items?: number;
  readonly loads: readonly number[];
  readonly sequences: readonly SequenceName[];
  readonly seed: number;
}

interface MapOptions extends CommonOptions {
  readonly side?: number;
  readonly loads: readonly number[];
  readonly sequences: readonly SequenceName[];
  readonly png?: string;
  readonly seed: number;
}

const ITEMS = { real: 2 ** 20, software: 2 ** 12 };
const SIDES = { real: 4096, software: 128 };

/** Ages that have a row of their own. */
const SHOWN_AGES = 16;

export function addAgeFigures(reproduce: Command): void {
  addHistogram(reproduce);
  addMaximumAges(reproduce);
}

function addHistogram(reproduce: Command): void {
  const command = reproduce
    .command('garcia-figure-3')
    .description('histogram of ages, with evictions and without, Figure 3 (García et al. 2011)')
    .addOption(sizeOption('--items <n>', 'keys, of a universe of 16 times as many', ITEMS, parseSize))
    .addOption(loadsOption([0.8, 0.9, 0.99]))
    .addOption(sequencesOption(['random', 'stride', 'coherent']))
    .addOption(seedOption());
  finishCommand<AgesOptions>(command, (options, output) => {
    const { loads, sequences, seed } = options;
    const least = Math.min(...loads);
    return measureLines(command, options, output, {
      lines: (gpu) =>
        loads.flatMap((load) =>
          // Without evictions some keys of a full table never find a slot.
          (load === least ? [false, true] : [true]).flatMap((evict) =>
            sequences.map((sequence) => ({
              title: `${sequence} at ${load}${evict ? '' : ' without evictions'}`,
              measure: () =>
                measureAges(gpu, { items: defaultFor(gpu, options.items, ITEMS), load, sequence, evict, seed }),
            })),
          ),
        ),
      show: (records) =>
        [
          agesTable(records),
          histogramTable(records.filter(({ load }) => load === least)),
          'The paper: 2²⁰ keys at 0.8, greatest age 46 without evictions and 5 with them; random sequence.',
        ].join('\n'),
    });
  });
}

const agesTable = (records: readonly AgesRecord[]): string =>
  textTable(
    ['sequence', 'evictions', 'load', 'keys', 'slots', 'average age', 'greatest age', 'attempts', 'wrong'],
    records.map((record) => [
      record.sequence,
      record.evict ? 'yes' : 'no',
      String(record.load),
      grouped(record.items),
      grouped(record.slots),
      record.averageAge.toFixed(3),
      grouped(record.greatestAge),
      grouped(record.attempts),
      grouped(record.wrong),
    ]),
  );

/** Ages as rows, tables as columns. */
function histogramTable(records: readonly AgesRecord[]): string {
  const greatest = Math.max(0, ...records.map(({ greatestAge }) => greatestAge));
  const rows = Array.from({ length: Math.min(greatest, SHOWN_AGES) }, (_, i) => [
    String(i + 1),
    ...records.map(({ ages }) => grouped(ages[i] ?? 0)),
  ]);
  const rest = ['more', ...records.map(({ ages }) => grouped(ages.slice(SHOWN_AGES).reduce((sum, n) => sum + n, 0)))];
  return textTable(
    ['age', ...records.map(({ sequence, evict }) => `${sequence}${evict ? '' : ', no evictions'}`)],
    greatest > SHOWN_AGES ? [...rows, rest] : rows,
  );
}

interface MaximumAgesRecord {
  readonly sequence: SequenceName;
  readonly load: number;
  readonly items: number;
  readonly slots: number;
  /** Shares of slots with the maximum ages 0, 1, 2, 3 and above. */
  readonly shares: readonly number[];
  /** Share of slots whose neighbour has the same maximum age. */
  readonly alike: number;
  readonly wrong: number;
}

function addMaximumAges(reproduce: Command): void {
  const command = reproduce
    .command('garcia-figure-4')
    .description('maximum ages of all slots as a picture, Figure 4 (García et al. 2011)')
    .addOption(sideOption(SIDES))
    .addOption(loadsOption([0.8]))
    .addOption(sequencesOption(['random', 'coherent']))
    .addOption(pngOption('the maximum ages of each table, and the picture'))
    .addOption(seedOption());
  finishCommand<MapOptions>(command, (options, output) =>
    measureLines(command, options, output, {
      lines: (gpu) => {
        const pictures = new CurrentPicture(gpu);
        return options.loads.flatMap((load) =>
          options.sequences.map((sequence) => ({
            title: `${sequence} at ${load}`,
            measure: () => measureMaximumAges(gpu, pictures, options, { sequence, load }),
          })),
        );
      },
      show: (records) =>
        [
          textTable(
            ['sequence', 'load', 'keys', 'slots', '0', '1', '2', '3', 'above', 'like the next', 'wrong'],
            records.map((record) => [
              record.sequence,
              String(record.load),
              grouped(record.items),
              grouped(record.slots),
              ...record.shares.map(percent),
              percent(record.alike),
              grouped(record.wrong),
            ]),
          ),
          'Shares of slots by their maximum age. The paper has two pictures, of a table of two dimensions.',
        ].join('\n'),
    }),
  );
}

async function measureMaximumAges(
  gpu: Gpu,
  pictures: CurrentPicture,
  { side, seed, png }: MapOptions,
  { sequence, load }: { readonly sequence: SequenceName; readonly load: number },
): Promise<MaximumAgesRecord> {
  const items = await pictures.get('test1', defaultFor(gpu, side, SIDES));
  const table = await tableOfPicture(gpu, items, { scheme: robinHood({ sequence, loadFactor: load }), seed });
  try {
    const { image, output } = table;
    await gpu.run((encoder) => image.encodeUnpack(encoder, { output }));
    const ages = maximumAges(await readSlotWords(image.map.table));
    const counts = [0, 0, 0, 0, 0];
    for (const age of ages) counts[Math.min(age, 4)] = (counts[Math.min(age, 4)] as number) + 1;
    savePicture(png, 'figure-4-picture', () => items.picture);
    savePicture(png, `figure-4-${sequence}-${load}`, () => maximumAgesAsPicture(ages, image.width));
    return {
      sequence,
      load,
      items: items.input.count,
      slots: ages.length,
      shares: counts.map((slots) => slots / ages.length),
      alike: shareAlike(ages),
      wrong: await table.wrongPixels(),
    };
  } finally {
    table.destroy();
  }
}
