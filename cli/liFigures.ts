/** `hashnest reproduce li-…`: figures and tables of Li et al. 2021. */
import type { Command } from 'commander';
import { adapterName } from '../bench/benchmark.ts';
import { type AtomicsRecord, measureAtomics } from '../bench/figures/liAtomics.ts';
import {
  type DynamicLine,
  type DynamicRecord,
  measureDynamic,
  PAPER_SCALABILITY,
  warmUp,
} from '../bench/figures/liDynamic.ts';
import { measureStatic, PAPER_PROBES, type StaticRecord, type StaticRequest } from '../bench/figures/liStatic.ts';
import { SET_NAMES, type SetName } from '../bench/living/dataSets.ts';
import {
  CONTENDER_NAMES,
  CONTENDERS,
  type Contender,
  type ContenderName,
  STATIC_NAMES,
  type StaticName,
  staticContender,
  subtables,
} from '../bench/living/tables.ts';
import type { Gpu } from '../src/index.ts';
import { type CommonOptions, finishCommand, option, repeatOption, seedOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import type { Output } from './output.ts';
import { type ReportProgress, runSteps } from './progress.ts';
import { grouped, rate, textTable } from './textTable.ts';
import {
  parseContenders,
  parseLoads,
  parseRuns,
  parseScale,
  parseSets,
  parseSize,
  parseSizes,
  parseStaticContenders,
  parseSubtables,
} from './values.ts';

/** A line of a figure. */
interface Line<Measured> {
  readonly title: string;
  measure(gpu: Gpu, report: ReportProgress): Promise<Measured>;
}

export function addLiFigures(reproduce: Command): void {
  addAtomics(reproduce);
  addStaticFigures(reproduce);
  addDynamicFigures(reproduce);
}

/** Measures all lines; those that fail, or give wrong answers, make the command fail at the end. */
async function measureLines<Measured extends { readonly wrong: number }>(
  command: Command,
  options: CommonOptions & { readonly seed: number },
  output: Output,
  figure: {
    readonly lines: (gpu: Gpu) => readonly Line<Measured>[];
    readonly show: (records: readonly Measured[], gpu: Gpu) => string;
  },
): Promise<void> {
  await withGpu({ ...options, measures: true }, async (gpu) => {
    output.say(describeGpu(gpu));
    const timer = gpu.device.features.has('timestamp-query') ? 'timestamp' : 'wall';
    const common = { figure: command.name(), seed: options.seed, adapter: adapterName(gpu), timer };
    const records: (Measured & typeof common)[] = [];
    const failures = await runSteps(
      figure.lines(gpu).map(({ title, measure }) => ({
        title,
        run: async (report) => {
          const started = performance.now();
          const measured = await measure(gpu, report);
          records.push({ ...measured, ...common });
          output.keep(records);
          if (measured.wrong > 0) throw new Error(`${grouped(measured.wrong)} answers were wrong`);
          return `${((performance.now() - started) / 1000).toFixed(1)} s`;
        },
      })),
    );
    output.say(figure.show(records, gpu));
    output.write(records);
    if (failures.length > 0) {
      throw new RunFailure(failures.map(({ title, error }) => `${title}: ${error.message}`).join(' | '));
    }
  });
}

/** The scale that is used if none is named. */
const SCALES = { software: 0.0005, real: 0.1 };
const scaleOption = () =>
  option('--scale <x>', 'share of the sizes of Table I (default: 0.1, in software 0.0005)', parseScale);
const scaleFor = (gpu: Gpu, scale: number | undefined): number =>
  scale ?? SCALES[gpu.info.software ? 'software' : 'real'];
const uniqueFlag = ['--unique', 'of every key one pair only'] as const;
const setsOption = (sets: readonly SetName[]) =>
  option('--sets <list>', `of ${SET_NAMES.join(', ')}`, parseSets).default(sets, sets.join());
const millions = (perSecond: number | undefined): string =>
  perSecond === undefined ? '-' : (perSecond / 1e6).toFixed(1);
const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

interface AtomicsOptions extends CommonOptions {
  readonly operations?: number;
  readonly conflicts: readonly number[];
  readonly repeat: number;
  readonly seed: number;
}

const CONFLICTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16_384];

function addAtomics(reproduce: Command): void {
  const command = reproduce
    .command('li-figure-5')
    .description('atomic operations that conflict, against reads side by side (Li et al. 2021, Figure 5)')
    .addOption(option('--operations <n>', 'operations of a pass (default: 2²⁴, in software 2¹⁴)', parseSize))
    .addOption(
      option('--conflicts <list>', 'operations at one address', parseSizes).default(CONFLICTS, CONFLICTS.join()),
    )
    .addOption(repeatOption())
    .addOption(seedOption());
  finishCommand<AtomicsOptions>(command, async (options, output) => {
    const { conflicts, repeat } = options;
    await withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const operations = options.operations ?? (gpu.info.software ? 1 << 14 : 1 << 24);
      const records = await measureAtomics(gpu, { operations, conflicts, repeat });
      output.say(`GPU time, median of ${repeat}; ${grouped(operations)} operations. The paper has a plot only.`);
      output.say(atomicsTable(records));
      output.write(records.map((record) => ({ ...record, figure: command.name(), adapter: adapterName(gpu) })));
      const wrong = records.reduce((sum, record) => sum + record.wrong, 0);
      if (wrong > 0) throw new RunFailure(`${wrong} addresses hold what none of their operations wrote`);
    });
  });
}

function atomicsTable(records: readonly AtomicsRecord[]): string {
  const operations = [...new Set(records.map(({ op }) => op))];
  return textTable(
    ['conflicts', ...operations],
    [...new Set(records.map(({ conflicts }) => conflicts))].map((conflicts) => [
      grouped(conflicts),
      ...operations.map((op) => {
        const found = records.find((record) => record.op === op && record.conflicts === conflicts);
        return found ? rate(found.perSecond) : '-';
      }),
    ]),
  );
}

type StaticContenderName = Exclude<ContenderName, 'rebuild'> | StaticName;

interface StaticOptions extends CommonOptions {
  readonly scale?: number;
  readonly unique?: boolean;
  readonly sets: readonly SetName[];
  readonly schemes: readonly StaticContenderName[];
  readonly theta: readonly number[];
  readonly subtables: readonly number[];
  readonly repeat: number;
  readonly seed: number;
}

const STATIC_CONTENDERS: readonly StaticContenderName[] = ['dyCuckoo', 'regionCuckoo', 'slab', ...STATIC_NAMES];
const staticContenderOf = (name: StaticContenderName): Contender =>
  name === 'dyCuckoo' || name === 'regionCuckoo' || name === 'slab' ? CONTENDERS[name] : staticContender(name);

const SUBTABLES = [2, 3, 4, 5, 6, 7, 8];
/** Table II: θ and β, α, r. */
const UPPER = [0.7, 0.75, 0.8, 0.85, 0.9];
const LOWER = [0.3, 0.35, 0.4, 0.45, 0.5];
const RATIOS = [0.1, 0.2, 0.3, 0.4, 0.5];
const THETA = 0.85;
const DEFAULTS = { lowest: 0.5, highest: 0.85, ratio: 0.2 };

type StaticShown = StaticRecord & { readonly subtables?: number };

function addStaticFigures(reproduce: Command): void {
  const figure = (
    name: string,
    description: string,
    defaults: {
      readonly sets: readonly SetName[];
      readonly theta: readonly number[];
      readonly variesSubtables?: boolean;
      readonly show: (records: readonly StaticShown[]) => string;
    },
  ): void => {
    const { variesSubtables = false } = defaults;
    const command = reproduce
      .command(name)
      .description(`${description} (Li et al. 2021)`)
      .addOption(scaleOption())
      .option(...uniqueFlag)
      .addOption(setsOption(defaults.sets))
      .addOption(option('--theta <list>', 'filled factors', parseLoads).default(defaults.theta, defaults.theta.join()))
      .addOption(repeatOption())
      .addOption(seedOption());
    if (variesSubtables) {
      command.addOption(
        option('--subtables <list>', 'subtables, 2 to 8', parseSubtables).default(SUBTABLES, SUBTABLES.join()),
      );
    } else {
      command.addOption(
        option('--schemes <list>', `of ${STATIC_CONTENDERS.join(', ')}`, parseStaticContenders).default(
          STATIC_CONTENDERS,
          STATIC_CONTENDERS.join(),
        ),
      );
    }
    finishCommand<StaticOptions>(command, (options, output) => {
      const { sets, theta: thetas, repeat, seed, unique = false } = options;
      const lines = (gpu: Gpu): Line<StaticShown>[] =>
        sets.flatMap((set) =>
          thetas.flatMap((theta) => {
            const request: StaticRequest = { set, theta, repeat, seed, unique, scale: scaleFor(gpu, options.scale) };
            return variesSubtables
              ? options.subtables.map((d) => ({
                  title: `${set}, ${d} subtables, ${percent(theta)}`,
                  measure: async () => ({ ...(await measureStatic(gpu, subtables(d), request)), subtables: d }),
                }))
              : options.schemes.map((scheme) => ({
                  title: `${set}, ${scheme}, ${percent(theta)}`,
                  measure: () => measureStatic(gpu, staticContenderOf(scheme), request),
                }));
          }),
        );
      return measureLines(command, options, output, {
        lines,
        show: (records) => `GPU time, median of ${repeat}\n${defaults.show(records)}`,
      });
    });
  };
  figure('li-figure-7', 'insertion and search over the number of subtables, Figure 7', {
    sets: SET_NAMES,
    theta: [THETA],
    variesSubtables: true,
    show: (records) => `${staticTable(records)}\nThe paper has a plot: the number of subtables matters little.`,
  });
  figure('li-figure-8', 'insertion and search of whole data sets, Figure 8', {
    sets: SET_NAMES,
    theta: [THETA],
    show: (records) =>
      `${staticTable(records)}\nThe paper has a plot; in its text, Libcuckoo on a CPU: 25 M/s and 46 M/s on average.`,
  });
  figure('li-figure-9', 'insertion and search over the filled factor, Figure 9', {
    sets: ['RAND'],
    theta: UPPER,
    show: (records) => `${staticTable(records)}\nThe paper has a plot only.`,
  });
  figure('li-table-3', 'average number of locations that a search looks at, Table III', {
    sets: SET_NAMES,
    theta: [THETA],
    show: probesTable,
  });
}

const staticTable = (records: readonly StaticShown[]): string =>
  textTable(
    [
      'set',
      'scheme',
      'd',
      'pairs',
      'unique',
      'theta',
      'filled',
      'inserts M/s',
      'finds M/s',
      'probes',
      'bytes/key',
      'wrong',
    ],
    records.map((record) => [
      record.set,
      record.scheme,
      record.subtables === undefined ? '' : String(record.subtables),
      grouped(record.pairs),
      grouped(record.uniqueKeys),
      percent(record.theta),
      percent(record.filled),
      millions(record.insertsPerSecond),
      millions(record.findsPerSecond),
      record.averageProbes?.toFixed(3) ?? '-',
      record.bytesPerKey.toFixed(2),
      grouped(record.wrong),
    ]),
  );

function probesTable(records: readonly StaticShown[]): string {
  const sets = SET_NAMES.filter((set) => records.some((record) => record.set === set));
  const thetas = [...new Set(records.map(({ theta }) => theta))];
  const ours = [...new Set(records.map(({ scheme }) => scheme))].flatMap((scheme) =>
    thetas.map((theta) => [
      `${scheme} at ${percent(theta)}`,
      ...sets.map((set) => {
        const found = records.find((one) => one.scheme === scheme && one.set === set && one.theta === theta);
        return found?.averageProbes?.toFixed(2) ?? '-';
      }),
    ]),
  );
  const paper = PAPER_PROBES.map(({ name, probes }) => [
    `${name} (paper)`,
    ...sets.map((set) => probes[set].toFixed(2)),
  ]);
  return textTable(['probes of a search', ...sets], [...ours, ...paper]);
}

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
      `${LEGEND}\n${ratesTable(records)}\nThe paper has a plot; in its text, DyCuckoo has 2 to 6 times the rate of Slab.`,
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
      `${LEGEND}\n${ratesTable(records)}\nThe paper has a plot; in its text, failed insertions make an outlier in LINE at 6e5.`,
  },
  {
    name: 'li-figure-13',
    description: 'time of upsizing, downsizing and the rest over the lower bound, Figure 13',
    schemes: ['dyCuckoo', 'regionCuckoo'],
    points: over('alpha', LOWER, (lowest) => ({ lowest })),
    show: (records) =>
      `${LEGEND}\n${splitTable(records)}\nThe paper has a plot; in its text, downsizing is dearer than upsizing.`,
  },
  {
    name: 'li-figure-14',
    description: 'time of upsizing, downsizing and the rest over the upper bound, Figure 14',
    schemes: ['dyCuckoo', 'regionCuckoo'],
    points: over('beta', UPPER, (highest) => ({ highest })),
    show: (records) =>
      `${LEGEND}\n${splitTable(records)}\nThe paper has a plot; in its text, resizing is small beside the rest, which grows with beta.`,
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
    show: (records) => `${LEGEND}\n${ratesTable(records)}\n${scalabilityTable()}`,
  },
];

function addDynamicFigures(reproduce: Command): void {
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

const LEGEND = [
  'insert, find, delete, and the rest, which is their sum: GPU time of the batches in milliseconds, wall time if the device has no timestamps',
  'up, down: GPU time of what resizing submits / wall time of all that the host does for it, in milliseconds',
  'GPU rate: 10⁶ operations a second over GPU time, resizing included; wall rate: with the wall time of resizing',
].join('\n');

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
