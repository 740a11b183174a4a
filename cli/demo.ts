import type { Command } from 'commander';
import { refusalOf } from '../bench/configurations.ts';
import { type Gpu, type SchemeName, schemes } from '../src/index.ts';
import { type CommonOptions, finishCommand, option, schemesOption } from './command.ts';
import { DEMO_KEYS, type DemoData, demoData } from './demoData.ts';
import { type DemoBuffers, type DemoRecord, demoTable } from './demoTable.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { type ReportProgress, runSteps } from './progress.ts';
import { grouped, rate, textTable } from './textTable.ts';
import { parseDemoItems, SCHEME_NAMES } from './values.ts';

interface Options extends CommonOptions {
  readonly schemes: readonly SchemeName[];
  readonly items?: number;
}

/** What a software GPU on two cores does in less than a minute, and what takes a real one no longer. */
const ITEMS = { software: 10_000, real: 1_000_000 };

/** Not every scheme takes every type of key. */
const takesDemoKeys = (name: SchemeName): boolean =>
  DEMO_KEYS.every((key) => {
    const table = { scheme: schemes[name](), collection: 'map', key, items: 1, loadFactor: undefined } as const;
    return refusalOf(table, 'last') === undefined;
  });

export function addDemo(program: Command): void {
  const command = program
    .command('demo')
    .description('build every kind of table, check every answer against a Map, and show how they compare')
    .addOption(schemesOption(SCHEME_NAMES.filter(takesDemoKeys), 'all that take such keys'))
    .addOption(
      option(
        '--items <n>',
        `items in each table (default: ${ITEMS.real}, in software ${ITEMS.software})`,
        parseDemoItems,
      ),
    );
  finishCommand<Options>(command, (options, output) =>
    withGpu({ ...options, measures: true }, async (gpu) => {
      output.say(describeGpu(gpu));
      const items = options.items ?? ITEMS[gpu.info.software ? 'software' : 'real'];
      output.say(`${grouped(items)} items in each table; every answer is compared with that of a Map`);
      const prepared: { data: DemoData; buffers: DemoBuffers }[] = [];
      const records: DemoRecord[] = [];
      const failures = await runSteps([
        {
          title: 'items and queries',
          run: async () => {
            for (const key of DEMO_KEYS) {
              const data = demoData(key, items);
              prepared.push({ data, buffers: await upload(gpu, data) });
            }
            return undefined;
          },
        },
        ...options.schemes.map((scheme) => ({
          title: scheme,
          run: (report: ReportProgress) => runScheme(gpu, scheme, prepared, records, report),
        })),
      ]);
      output.say(demoText(records));
      output.write(records);
      const problems = [
        ...records
          .filter(({ correct }) => !correct)
          .map(({ error, ...r }) => `${r.scheme} ${r.collection} ${r.key}: ${error}`),
        ...failures.map(({ title, error }) => `${title}: ${error.message}`),
      ];
      if (problems.length > 0) throw new RunFailure(problems.join(' | '));
      const searches = prepared.reduce(
        (sum, { data }) => sum + data.present.found.length + data.absent.found.length,
        0,
      );
      output.say(
        'one item in a hundred is a copy of another, so loads are a little lower than asked for; keys 0 and all ones are among them',
      );
      output.say(`all correct: ${grouped(searches * 2 * 2 * options.schemes.length)} answers agree with the Map`);
    }),
  );
}

async function runScheme(
  gpu: Gpu,
  scheme: SchemeName,
  prepared: readonly { data: DemoData; buffers: DemoBuffers }[],
  records: DemoRecord[],
  report: ReportProgress,
): Promise<string> {
  const tables = prepared.flatMap((made) => (['map', 'set'] as const).map((collection) => ({ ...made, collection })));
  let wrong = 0;
  for (const [i, { data, buffers, collection }] of tables.entries()) {
    report(i, tables.length, `${collection} of ${data.key.name} keys`);
    const record = await demoTable(gpu, data, buffers, { scheme, collection });
    records.push(record);
    if (!record.correct) wrong++;
  }
  if (wrong > 0) throw new Error(`${wrong} of ${tables.length} tables gave wrong answers`);
  return `${tables.length} tables, all answers correct`;
}

const upload = (gpu: Gpu, { key, keyWords, values, present, absent }: DemoData): Promise<DemoBuffers> =>
  gpu.checked(() => ({
    keys: gpu.upload('demo/keys', keyWords),
    values: gpu.upload('demo/values', values),
    queries: {
      hit: gpu.upload('demo/present', key.encode(present.keys).words),
      miss: gpu.upload('demo/absent', key.encode(absent.keys).words),
    },
    answers: gpu.createBuffer('demo/answers', values.byteLength),
  }));

const demoText = (records: readonly DemoRecord[]): string =>
  textTable(
    [
      'scheme',
      'holds',
      'key',
      'items',
      'load',
      'bytes',
      'bytes/key',
      'probes present',
      'probes absent',
      'build',
      'hits',
      'misses',
      'correct',
    ],
    records.map((record) => [
      record.scheme,
      record.collection,
      record.key,
      grouped(record.items),
      record.loadFactor.toFixed(2),
      grouped(record.tableBytes),
      record.bytesPerKey.toFixed(1),
      record.averageProbes.present.toFixed(2),
      record.averageProbes.absent.toFixed(2),
      rate(record.rates.build),
      rate(record.rates.hit),
      rate(record.rates.miss),
      record.correct ? 'yes' : 'NO',
    ]),
  );
