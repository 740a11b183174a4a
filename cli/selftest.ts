import type { Command } from 'commander';
import { SELFTEST_KEYS, type SizeTest, sizeTests } from '../bench/sizeTests.ts';
import { Workload } from '../bench/workload.ts';
import { type Gpu, type KeyType, OutOfMemoryError, TooLargeError } from '../src/index.ts';
import { type ConformanceCase, runCase } from '../test/conformance/case.ts';
import { type CommonOptions, finishCommand, keysOption, option } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { type Output, oneLine } from './output.ts';
import { type ReportProgress, runSteps, type Step } from './progress.ts';
import { counted } from './textTable.ts';
import { parseSizes } from './values.ts';

interface Options extends CommonOptions {
  readonly sizes: readonly number[];
  readonly keys: readonly KeyType[];
  readonly short?: boolean;
  readonly full?: boolean;
  readonly only?: string;
}

/** One thing that was tried. */
interface SelftestRecord {
  readonly name: string;
  /** Null if it was not tried. */
  readonly correct: boolean | null;
  readonly ms: number;
  readonly error?: string;
  /** Why it was not tried. */
  readonly skipped?: string;
}

/** Takes down what was tried, at once. */
type Note = (...tried: readonly SelftestRecord[]) => void;

interface Test {
  readonly name: string;
  /** Whether it is no fault to be too large for the device. */
  readonly maySkip: boolean;
  run(): Promise<void>;
}

/** Tables of this size take minutes for each key type on a software GPU: there one type has to do, unless more is asked for. */
const LARGE_ITEMS = 100_000;

export function addSelftest(program: Command, conformance: readonly ConformanceCase[]): void {
  const command = program
    .command('selftest')
    .description('check that every table gives the right answers on this GPU')
    .addOption(
      option('--sizes <list>', 'items of the tables that are built and checked on the GPU', parseSizes).default(
        [1000, LARGE_ITEMS],
        `1000,${LARGE_ITEMS}`,
      ),
    )
    .addOption(keysOption(SELFTEST_KEYS))
    .option('--short', 'leave out the longer cases of the conformance list')
    .option('--full', 'run every collection over every scheme with every key type too')
    .option('--only <text>', 'only what has this text in its name');
  finishCommand<Options>(command, async (options, output) => {
    const { short, full, sizes, keys, only = '' } = options;
    const isWanted = (test: ConformanceCase) => (short ? test.short : full || !test.full);
    const cases = conformance.filter((test) => isWanted(test) && test.name.includes(only));
    const groups = sizes.flatMap((items) =>
      keys.map((key) => ({
        items,
        key,
        tests: sizeTests(items, key).filter(({ name }) => name.includes(only)),
      })),
    );
    if (cases.length === 0 && groups.every(({ tests }) => tests.length === 0)) {
      command.error(`error: no test has '${only}' in its name`);
    }
    await withGpu(options, async (gpu) => {
      output.say(describeGpu(gpu));
      const takesAll = !gpu.info.software || command.getOptionValueSource('sizes') === 'cli';
      const due = groups.filter(({ items, key, tests }) => {
        return tests.length > 0 && (takesAll || items < LARGE_ITEMS || key === keys[0]);
      });
      const records: SelftestRecord[] = [];
      const note = (...tried: readonly SelftestRecord[]): void => {
        records.push(...tried);
        output.keep(records);
      };
      const failures = await runSteps([
        ...(cases.length > 0 ? [conformanceStep(gpu, cases, note)] : []),
        ...due.map((group) => sizeStep(gpu, group, note)),
      ]);
      output.write(records);
      summarise(records, output);
      // A step can also fail before its first test, for example for lack of a device.
      if (failures.length > 0) throw failures[0]?.error;
    });
  });
}

/** Says what is wrong, and throws if anything is. */
function summarise(records: readonly SelftestRecord[], output: Output): void {
  const wrong = records.filter(({ correct }) => correct === false);
  const skipped = records.filter((record) => record.skipped !== undefined);
  for (const { name, skipped: reason } of skipped) output.say(`skipped: ${name}: ${reason}`);
  for (const { name, error } of wrong) output.complain(`wrong: ${name}: ${error}`);
  const right = records.length - wrong.length - skipped.length;
  output.say(`${right} right, ${wrong.length} wrong, ${skipped.length} skipped`);
  if (wrong.length > 0) throw new RunFailure(`${wrong.length} of ${records.length} wrong, named above`);
}

/** Runs tests, each whatever became of the others; throws at the end if one was wrong. */
async function runTests(tests: readonly Test[], note: Note, report: ReportProgress): Promise<string> {
  let wrong = 0;
  for (const [i, { name, maySkip, run }] of tests.entries()) {
    report(i, tests.length, name);
    const started = performance.now();
    const failure = await run().then(
      () => undefined,
      (error: unknown) => error,
    );
    const ms = Math.round(performance.now() - started);
    const message = oneLine(failure);
    if (failure === undefined) note({ name, correct: true, ms });
    else if (maySkip && doesNotFit(failure)) note({ name, correct: null, ms, skipped: message });
    else {
      wrong++;
      note({ name, correct: false, ms, error: message });
    }
  }
  if (wrong > 0) throw new Error(`${wrong} of ${tests.length} wrong`);
  return `${tests.length} done`;
}

const conformanceStep = (gpu: Gpu, cases: readonly ConformanceCase[], note: Note): Step => ({
  title: `conformance, ${counted(cases.length, 'case')}`,
  run: (report) =>
    runTests(
      cases.map((test) => ({ name: test.name, maySkip: false, run: () => runCase(test, gpu) })),
      note,
      report,
    ),
});

/** Every table of one size and key type; they share their items. */
const sizeStep = (
  gpu: Gpu,
  { items, key, tests }: { items: number; key: KeyType; tests: readonly SizeTest[] },
  note: Note,
): Step => ({
  title: `${counted(items, 'item')}, ${key.name}`,
  run: async (report) => {
    const started = performance.now();
    let workload: Workload;
    try {
      workload = await Workload.create(gpu, { items, key });
    } catch (error) {
      if (!doesNotFit(error)) throw error;
      const ms = Math.round(performance.now() - started);
      note(...tests.map(({ name }) => ({ name, correct: null, ms, skipped: error.message })));
      return 'skipped';
    }
    try {
      return await runTests(
        tests.map(({ name, run }) => ({ name, maySkip: true, run: () => run(gpu, workload) })),
        note,
        report,
      );
    } finally {
      workload.destroy();
    }
  },
});

const doesNotFit = (error: unknown): error is Error =>
  error instanceof TooLargeError || error instanceof OutOfMemoryError;
