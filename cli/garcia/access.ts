import type { Command } from 'commander';
import { type AccessRecord, measureAccess } from '../../bench/figures/garciaAccess.ts';
import type { SequenceName } from '../../src/index.ts';
import { type CommonOptions, finishCommand, option, seedOption } from '../command.ts';
import { measureLines } from '../figures.ts';
import { grouped, percent, textTable } from '../textTable.ts';
import { parseGroups } from '../values.ts';
import { CurrentPicture, defaultFor, LOADS, loadsOption, sequencesOption, sideOption } from './common.ts';

interface AccessOptions extends CommonOptions {
  readonly side?: number;
  readonly loads: readonly number[];
  readonly sequences: readonly SequenceName[];
  readonly groups: number;
  readonly seed: number;
}

const SIDES = { real: 8192, software: 128 };
const GROUPS = 65_536;

/** Counters of the hardware cannot be read, so both count what the searches touch. */
export function addAccessFigures(reproduce: Command): void {
  addAccess(reproduce, {
    name: 'garcia-figure-8',
    description: 'memory that 32 neighbouring queries share, over the load, in place of Figure 8',
    loads: LOADS,
    show: sharesTable,
    paper: 'The paper has a plot of hits in the first cache: only the coherent sequence has a share worth mentioning.',
  });
  addAccess(reproduce, {
    name: 'garcia-figure-9',
    description: 'memory that 32 neighbouring queries touch, and how much their lengths differ, in place of Figure 9',
    loads: [0.85],
    show: countsTable,
    paper: 'The paper counts requests to the second cache and to memory, and divergent branches, for the fish at 0.85.',
  });
}

function addAccess(
  reproduce: Command,
  figure: {
    readonly name: string;
    readonly description: string;
    readonly loads: readonly number[];
    readonly show: (records: readonly AccessRecord[]) => string;
    readonly paper: string;
  },
): void {
  const command = reproduce
    .command(figure.name)
    .description(`${figure.description} (García et al. 2011)`)
    .addOption(sideOption(SIDES))
    .addOption(loadsOption(figure.loads))
    .addOption(sequencesOption(['coherent', 'random']))
    .addOption(
      option('--groups <n>', 'groups that are looked at, evenly over the picture', parseGroups).default(GROUPS),
    )
    .addOption(seedOption());
  finishCommand<AccessOptions>(command, (options, output) => {
    const { groups, seed } = options;
    return measureLines(command, options, output, {
      lines: (gpu) => {
        const pictures = new CurrentPicture(gpu);
        return options.loads.flatMap((load) =>
          options.sequences.map((sequence) => ({
            title: `${sequence} at ${load}`,
            measure: async () => {
              const items = await pictures.get('fish', defaultFor(gpu, options.side, SIDES));
              return measureAccess(gpu, items, { sequence, load, groups, seed });
            },
          })),
        );
      },
      show: (records) =>
        ['fish, all pixels row by row; averages of a group of 32 queries', figure.show(records), figure.paper].join(
          '\n',
        ),
    });
  });
}

const sharesTable = (records: readonly AccessRecord[]): string =>
  textTable(
    ['sequence', 'load', 'groups', 'probes', 'sectors', 'lines', 'in a sector read already', 'in a line', 'wrong'],
    records.map(({ probes, sectors, lines, ...record }) => [
      record.sequence,
      String(record.load),
      grouped(record.groups),
      probes.toFixed(2),
      sectors.toFixed(2),
      lines.toFixed(2),
      percent(1 - sectors / probes),
      percent(1 - lines / probes),
      grouped(record.wrong),
    ]),
  );

const countsTable = (records: readonly AccessRecord[]): string =>
  textTable(
    [
      'sequence',
      'load',
      'groups',
      'probes',
      'sectors',
      'lines',
      'sectors of all queries',
      'longest less average',
      'wrong',
    ],
    records.map((record) => [
      record.sequence,
      String(record.load),
      grouped(record.groups),
      record.probes.toFixed(2),
      record.sectors.toFixed(2),
      record.lines.toFixed(2),
      grouped(Math.round((record.sectors * record.pixels) / 32)),
      record.divergence.toFixed(3),
      grouped(record.wrong),
    ]),
  );
