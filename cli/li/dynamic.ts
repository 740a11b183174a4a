import type { Command } from 'commander';
import {
  type DynamicLine,
  type DynamicRecord,
  measureDynamic,
  PAPER_SCALABILITY,
  warmUp,
} from '../../bench/figures/liDynamic.ts';
import { SET_NAMES, type SetName } from '../../bench/living/dataSets.ts';
import { CONTENDER_NAMES, CONTENDERS, type ContenderName } from '../../bench/living/tables.ts';
import type { Gpu } from '../../src/index.ts';
import { type CommonOptions, finishCommand, option, seedOption } from '../command.ts';
import { type Line, measureLines, millions } from '../figures.ts';
import type { ReportProgress } from '../progress.ts';
import { grouped, percent, textTable } from '../textTable.ts';
import { parseContenders, parseRuns, parseSize } from '../values.ts';
import { scaleFor, scaleOption, setsOption, UPPER, uniqueFlag } from './common.ts';

/** Table II: α, r. */
const LOWER = [0.3, 0.35, 0.4, 0.45, 0.5];
const RATIOS = [0.1, 0.2, 0.3, 0.4, 0.5];
const DEFAULTS = { lowest: 0.5, highest: 0.85, ratio: 0.2 };

interface DynamicOptions extends CommonOptions {
  readonly scale?: number;
  readonly unique?: boolean;
  readonly sets: readonly SetName[];
  readonly schemes: readonly ContenderName[];
  readonly runs: number;
  readonly batch?: number;
  readonly seed: number;
}

/** What one figure has that another has not. */
interface DynamicFigure {
  readonly name: string;
  readonly description: string;
  readonly schemes: readonly ContenderName[];
  readonly sets?: readonly SetName[];
  readonly runs?: number;
  /** What is varied: every line is one of these. */
  readonly points: readonly { readonly label: string; readonly change: (line: DynamicLine) => DynamicLine }[];
  readonly show: (records: readonly DynamicShown[]) => string;
}

type DynamicShown = DynamicRecord & { readonly point: string };

const BATCH = 1_000_000;
/** A software GPU takes longer for a batch than for its items. */
const SOFTWARE_BATCHES = 10;

const over = (label: string, values: readonly number[], change: (value: number) => Partial<DynamicLine>) =>
  values.map((value) => ({
    label: `${label} ${value}`,
    change: (line: DynamicLine): DynamicLine => ({ ...line, ...change(value) }),
  }));
const asItIs: DynamicFigure['points'] = [{ label: '', change: (line) => line }];
const shares = [0.2, 0.4, 0.6, 0.8, 1];

const DYNAMIC_FIGURES: readonly DynamicFigure[] = [
  {
    name: 'li-figure-10',
    description: 'the dynamic workload over r, deletions for every insertion, Figure 10',
    schemes: CONTENDER_NAMES,
    points: over('r', RATIOS, (ratio) => ({ ratio })),
    show: (records) =>
      `${RATES}\n${ratesTable(records)}\nThe paper has a plot; in its text, DyCuckoo has 2 to 6 times the rate of Slab.`,
  },
  {
    name: 'li-figure-11',
    description: 'the filled factor after every batch of the dynamic workload, Figure 11',
    schemes: CONTENDER_NAMES,
    runs: 5,
    points: asItIs,
    show: (records) =>
      `${filledTable(records)}\nThe paper has a plot; in its text, DyCuckoo stays within 50% and 85%. --json has every batch.`,
  },
  {
    name: 'li-figure-12',
    description: 'the dynamic workload over the size of batches, Figure 12',
    schemes: CONTENDER_NAMES,
    points: shares.map((share) => ({
      label: `batch ${share * 10}e5`,
      change: (line) => ({ ...line, batch: Math.max(1, Math.round(line.batch * share)) }),
    })),
    show: (records) =>
      `${RATES}\n${ratesTable(records)}\nThe paper has a plot; in its text, failed insertions make an outlier in LINE at 6e5.`,
  },
  {
    name: 'li-figure-13',
    description: 'time of upsizing, downsizing and the rest over the lower bound, Figure 13',
    schemes: ['dyCuckoo', 'regionCuckoo'],
    points: over('alpha', LOWER, (lowest) => ({ lowest })),
    show: (records) =>
      `${TIMES}\n${splitTable(records)}\nThe paper has a plot; in its text, downsizing is dearer than upsizing.`,
  },
  {
    name: 'li-figure-14',
    description: 'time of upsizing, downsizing and the rest over the upper bound, Figure 14',
    schemes: ['dyCuckoo', 'regionCuckoo'],
    points: over('beta', UPPER, (highest) => ({ highest })),
    show: (records) =>
      `${TIMES}\n${splitTable(records)}\nThe paper has a plot; in its text, resizing is small beside the rest, which grows with beta.`,
  },
  {
    name: 'li-table-4',
    description: 'the dynamic workload over the number of pairs, Table IV',
    schemes: CONTENDER_NAMES,
    sets: ['RAND'],
    points: shares.map((share) => ({
      label: `${share * 10}e7`,
      change: (line) => ({ ...line, scale: line.scale * share }),
    })),
    show: (records) => `${RATES}\n${ratesTable(records)}\n${scalabilityTable()}`,
  },
];

export function addDynamicFigures(reproduce: Command): void {
  for (const { name, description, schemes, sets = SET_NAMES, runs = 1, points, show } of DYNAMIC_FIGURES) {
    const command = reproduce
      .command(name)
      .description(`${description} (Li et al. 2021)`)
      .addOption(scaleOption())
      .option(...uniqueFlag)
      .addOption(setsOption(sets))
      .addOption(
        option('--schemes <list>', `of ${CONTENDER_NAMES.join(', ')}`, parseContenders).default(
          schemes,
          schemes.join(),
        ),
      )
      .addOption(option('--batch <n>', 'insertions of a batch (default: 10⁶ times the scale)', parseSize))
      .addOption(option('--runs <n>', 'how often all is done; five times in the paper', parseRuns).default(runs))
      .addOption(seedOption());
    finishCommand<DynamicOptions>(command, (options, output) =>
      measureLines(command, options, output, {
        lines: (gpu) => dynamicLines(gpu, options, points),
        show,
      }),
    );
  }
}

function dynamicLines(
  gpu: Gpu,
  options: DynamicOptions,
  points: DynamicFigure['points'],
): readonly Line<DynamicShown>[] {
  const { runs, seed, unique = false } = options;
  const scale = scaleFor(gpu, options.scale);
  const batch = options.batch ?? Math.max(1, Math.round(BATCH * scale * (gpu.info.software ? SOFTWARE_BATCHES : 1)));
  const warm = new Set<string>();
  return options.sets.flatMap((set) =>
    options.schemes.flatMap((scheme) =>
      points.map(({ label, change }) => ({
        title: [set, scheme, label].filter(Boolean).join(', '),
        measure: async (_: Gpu, report: ReportProgress) => {
          const contender = CONTENDERS[scheme];
          const line = change({ contender, set, scale, unique, batch, runs, seed, ...DEFAULTS });
          // A software GPU has nothing to be compared with.
          if (!gpu.info.software && !warm.has(scheme)) await warmUp(gpu, line);
          warm.add(scheme);
          const measured = await measureDynamic(gpu, line, (done, all) => report(done, all, 'batches'));
          return { ...measured, point: label };
        },
      })),
    ),
  );
}

const TIMES = [
  'insert, find, delete, and the rest, which is their sum: GPU time of the batches in milliseconds, wall time if the device has no timestamps',
  'up, down: GPU time of what resizing submits / wall time of all that the host does for it, in milliseconds',
].join('\n');
const RATES = `${TIMES}\nGPU rate: 10⁶ operations a second over GPU time, resizing included; wall rate: with the wall time of resizing`;

const gpuAndWall = ({ gpuMs, wallMs }: DynamicRecord['upsize']): string =>
  `${gpuMs === undefined ? '-' : gpuMs.toFixed(2)} / ${wallMs.toFixed(2)}`;

const ratesTable = (records: readonly DynamicShown[]): string =>
  textTable(
    [
      'set',
      'scheme',
      'point',
      'pairs',
      'batch',
      'GPU rate',
      'wall rate',
      'insert',
      'find',
      'delete',
      'up',
      'down',
      'again',
      'wrong',
    ],
    records.map((record) => [
      record.set,
      record.scheme,
      record.point,
      grouped(record.pairs),
      grouped(record.batch),
      millions(record.perSecondGpu),
      millions(record.perSecondWall),
      record.insertMs.toFixed(2),
      record.findMs.toFixed(2),
      record.deleteMs.toFixed(2),
      gpuAndWall(record.upsize),
      gpuAndWall(record.downsize),
      grouped(record.again),
      grouped(record.wrong),
    ]),
  );

const splitTable = (records: readonly DynamicShown[]): string =>
  textTable(
    ['set', 'scheme', 'point', 'pairs', 'up', 'down', 'rest', 'least filled', 'most filled', 'wrong'],
    records.map((record) => [
      record.set,
      record.scheme,
      record.point,
      grouped(record.pairs),
      gpuAndWall(record.upsize),
      gpuAndWall(record.downsize),
      record.batchesMs.toFixed(2),
      percent(record.lowestFilled),
      percent(record.highestFilled),
      grouped(record.wrong),
    ]),
  );

/** Batches of a run that are shown. */
const SHOWN = 10;

/** The filled factor at some of the batches of every run. */
const filledTable = (records: readonly DynamicShown[]): string =>
  textTable(
    [
      'set',
      'scheme',
      'run',
      ...Array.from({ length: SHOWN }, (_, i) => `${((i + 1) * 100) / SHOWN}%`),
      'least',
      'most',
    ],
    records.flatMap((record) =>
      Array.from({ length: record.runs }, (_, run) => {
        const batches = record.trace.filter((batch) => batch.run === run);
        const filled = batches.filter(({ size }) => size > 0).map((batch) => batch.filled);
        return [
          record.set,
          record.scheme,
          String(run + 1),
          ...Array.from({ length: SHOWN }, (_, i) =>
            percent(batches[Math.ceil(((i + 1) * batches.length) / SHOWN) - 1]?.filled ?? 0),
          ),
          percent(Math.min(...filled)),
          percent(Math.max(...filled)),
        ];
      }),
    ),
  );

const scalabilityTable = (): string =>
  textTable(
    ['paper, 10⁶/s', ...shares.map((share) => `${share * 10}e7`)],
    PAPER_SCALABILITY.map(({ name, rates }) => [`${name} (Titan V)`, ...rates.map(String)]),
  );
