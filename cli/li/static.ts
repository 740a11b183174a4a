import type { Command } from 'commander';
import { measureStatic, PAPER_PROBES, type StaticRecord, type StaticRequest } from '../../bench/figures/liStatic.ts';
import { SET_NAMES, type SetName } from '../../bench/living/dataSets.ts';
import {
  CONTENDERS,
  type Contender,
  type ContenderName,
  STATIC_NAMES,
  type StaticName,
  staticContender,
  subtables,
} from '../../bench/living/tables.ts';
import type { Gpu } from '../../src/index.ts';
import { type CommonOptions, finishCommand, option, repeatOption, seedOption } from '../command.ts';
import { type Line, measureLines, millions } from '../figures.ts';
import { grouped, percent, textTable } from '../textTable.ts';
import { parseLoads, parseStaticContenders, parseSubtables } from '../values.ts';
import { scaleFor, scaleOption, setsOption, UPPER, uniqueFlag } from './common.ts';

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
const THETA = 0.85;

type StaticShown = StaticRecord & { readonly subtables?: number };

export function addStaticFigures(reproduce: Command): void {
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
      'failed',
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
      grouped(record.failed),
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
