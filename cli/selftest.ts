import type { Command } from 'commander';
import { SELFTEST_KEYS, type SizeTest, sizeTests } from '../bench/sizeTests.ts';
import { Workload } from '../bench/workload.ts';
import { type Gpu, type KeyType, OutOfMemoryError, TooLargeError } from '../src/index.ts';
import type { ConformanceCase } from '../test/conformance/case.ts';
import { type CommonOptions, finishCommand, option } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { type Output, oneLine } from './output.ts';
import { type ReportProgress, runSteps, type Step } from './progress.ts';
import { counted } from './textTable.ts';
import { parseSizes } from './values.ts';

interface Options extends CommonOptions {
  readonly sizes: readonly number[];
  readonly short?: boolean;
  readonly only?: string;
}

/** One thing that was tried. */
export interface SelftestRecord {
  readonly name: string;
  /** Null if it was not tried. */
  readonly correct: boolean | null;
  readonly ms: number;
  readonly error?: string;
  /** Why it was not tried. */
  readonly skipped?: string;
}

interface Test {
  readonly name: string;
  /** Whether it is no fault to be too large for the device. */
  readonly maySkip: boolean;
  run(): Promise<void>;
}

export function addSelftest(program: Command, conformance: readonly ConformanceCase[]): void {
  const command = program
    .command('selftest')
    .description('check that every table gives the right answers on this GPU')
    .addOption(
      option('--sizes <list>', 'items of the tables that are built and checked on the GPU', parseSizes).default(
        [1000, 100_000],
        '1000,100000',
      ),
    )
    .option('--short', 'leave out the longer cases of the conformance list')
    .option('--only <text>', 'only what has this text in its name');
  finishCommand<Options>(command, async (options, output) => {
    const { short, sizes, only = '' } = options;
    const cases = conformance.filter((test) => (test.short || !short) && test.name.includes(only));
    const groups = sizes.flatMap((items) =>
      SELFTEST_KEYS.map((key) => ({
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
      const records: SelftestRecord[] = [];
      const failures = await runSteps([
        ...(cases.length > 0 ? [conformanceStep(gpu, cases, records)] : []),
        ...groups.filter(({ tests }) => tests.length > 0).map((group) => sizeStep(gpu, group, records)),
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
async function runTests(tests: readonly Test[], records: SelftestRecord[], report: ReportProgress): Promise<string> {
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
    if (failure === undefined) records.push({ name, correct: true, ms });
    else if (maySkip && doesNotFit(failure)) records.push({ name, correct: null, ms, skipped: message });
    else {
      wrong++;
      records.push({ name, correct: false, ms, error: message });
    }
  }
  if (wrong > 0) throw new Error(`${wrong} of ${tests.length} wrong`);
  return `${tests.length} done`;
}

const conformanceStep = (gpu: Gpu, cases: readonly ConformanceCase[], records: SelftestRecord[]): Step => ({
  title: `conformance, ${counted(cases.length, 'case')}`,
  run: (report) =>
    runTests(
      cases.map(({ name, run }) => ({ name, maySkip: false, run: () => run(gpu) })),
      records,
      report,
    ),
});

/** Every table of one size and key type; they share their items. */
const sizeStep = (
  gpu: Gpu,
  { items, key, tests }: { items: number; key: KeyType; tests: readonly SizeTest[] },
  records: SelftestRecord[],
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
      records.push(...tests.map(({ name }) => ({ name, correct: null, ms, skipped: error.message })));
      return 'skipped';
    }
    try {
      return await runTests(
        tests.map(({ name, run }) => ({ name, maySkip: true, run: () => run(gpu, workload) })),
        records,
        report,
      );
    } finally {
      workload.destroy();
    }
  },
});

const doesNotFit = (error: unknown): error is Error =>
  error instanceof TooLargeError || error instanceof OutOfMemoryError;
