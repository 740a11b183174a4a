import type { Command } from 'commander';
import { refusalOf } from '../bench/configurations.ts';
import { bucketCuckoo, type Gpu, type Scheme, type SchemeName, schemes, valueTypes } from '../src/index.ts';
import { type CommonOptions, finishCommand, option, schemesOption } from './command.ts';
import { demoData } from './demoData.ts';
import { DEMO_KEYS, type DemoKey } from './demoKeys.ts';
import { type DemoSubject, demoSubjects } from './demoSubjects.ts';
import { type DemoRecord, demoTable } from './demoTable.ts';
import { collectionsText, schemesText } from './demoText.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { type ReportProgress, runSteps, type Step } from './progress.ts';
import { grouped } from './textTable.ts';
import { parseDemoItems, SCHEME_NAMES } from './values.ts';

interface Options extends CommonOptions {
  readonly schemes: readonly SchemeName[];
  readonly items?: number;
}

/** What a software GPU on two cores does in less than a minute, and what takes a real one no longer. */
const ITEMS = { software: 10_000, real: 1_000_000 };

/** One item in so many is a copy of another, in the tables that compare schemes. */
const COPY_EVERY = 100;
/** How often a key occurs on average, in the tables that show the collections. */
const COPIES = 4;

const { u32, u64, utf8, vec3i } = DEMO_KEYS;

/** Not every scheme takes every type of key. */
function keysOf(name: SchemeName): readonly DemoKey[] {
  const takes = ({ type: key }: DemoKey): boolean => {
    const table = { scheme: schemes[name](), collection: 'map', key, items: 1, loadFactor: undefined } as const;
    return refusalOf(table, 'last') === undefined;
  };
  const usual = [u32, u64].filter(takes);
  return usual.length > 0 ? usual : [vec3i].filter(takes);
}

export function addDemo(program: Command): void {
  const command = program
    .command('demo')
    .description('build every kind of table, check every answer against plain JavaScript, and show how they compare')
    .addOption(schemesOption(SCHEME_NAMES, 'all; the table of collections is of the default scheme in any case'))
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
      output.say(`${grouped(items)} items in each table; every answer is compared with that of plain JavaScript`);
      const ofSchemes: DemoRecord[] = [];
      const ofCollections: DemoRecord[] = [];
      const failures = [
        ...(await runSteps(schemeSteps(gpu, options.schemes, items, ofSchemes))),
        ...(await runSteps(collectionSteps(gpu, items, ofCollections))),
      ];
      const records = [...ofSchemes, ...ofCollections];
      output.say(schemesText(ofSchemes));
      output.say(
        `one item in ${COPY_EVERY} is a copy of another, so loads are a little lower than asked for; keys 0 and all ones are among them\n`,
      );
      output.say(collectionsText(ofCollections));
      output.say(
        `each key occurs ${COPIES} times on average; the searches of a MultiMap that are timed count values\n`,
      );
      output.write(records);
      const problems = [
        ...records
          .filter(({ correct }) => !correct)
          .map(({ error, ...r }) => `${r.scheme} ${r.collection} ${r.key}: ${error}`),
        ...failures.map(({ title, error }) => `${title}: ${error.message}`),
      ];
      if (problems.length > 0) throw new RunFailure(problems.join(' | '));
      const answers = records.reduce((sum, record) => sum + record.answers, 0);
      output.say(`all correct: ${grouped(answers)} answers agree with plain JavaScript`);
    }),
  );
}

/** Maps and sets of every scheme, nearly all of their keys different. */
function schemeSteps(gpu: Gpu, names: readonly SchemeName[], items: number, records: DemoRecord[]): Step[] {
  const prepared = new Map<DemoKey, readonly DemoSubject[]>();
  const prepare = async (): Promise<undefined> => {
    for (const key of new Set(names.flatMap(keysOf))) {
      const data = demoData(key, items, items - Math.floor(items / COPY_EVERY));
      prepared.set(key, await demoSubjects(gpu, data, [{ collection: 'map' }, { collection: 'set' }]));
    }
  };
  return [
    { title: 'items and queries', run: prepare },
    ...names.map((name) => ({
      title: name,
      run: (report: ReportProgress) => {
        const subjects = keysOf(name).flatMap((key) => prepared.get(key) ?? []);
        return runTables(gpu, schemes[name](), subjects, records, report);
      },
    })),
  ];
}

/** Every collection, from items whose keys repeat. */
const collectionSteps = (gpu: Gpu, items: number, records: DemoRecord[]): Step[] =>
  [u32, utf8].map((key) => ({
    title: `collections of ${key.type.name} keys`,
    run: async (report) => {
      const subjects = await demoSubjects(gpu, demoData(key, items, Math.ceil(items / COPIES)), [
        { collection: 'map', value: key === utf8 ? valueTypes.vec4f : valueTypes.u32 },
        { collection: 'set' },
        { collection: 'keyIndex' },
        { collection: 'multiMap' },
        { collection: 'aggregate' },
      ]);
      return runTables(gpu, bucketCuckoo(), subjects, records, report);
    },
  }));

async function runTables(
  gpu: Gpu,
  scheme: Scheme,
  subjects: readonly DemoSubject[],
  records: DemoRecord[],
  report: ReportProgress,
): Promise<string> {
  let wrong = 0;
  for (const [i, subject] of subjects.entries()) {
    report(i, subjects.length, `${subject.collection} of ${subject.data.key.type.name} keys`);
    const record = await demoTable(gpu, subject, scheme);
    records.push(record);
    if (!record.correct) wrong++;
  }
  if (wrong > 0) throw new Error(`${wrong} of ${subjects.length} tables gave wrong answers`);
  return `${subjects.length} tables, all answers correct`;
}
