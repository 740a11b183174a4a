/** Shows what is going on, on standard error, so that standard output is left to the results. */
import { Listr, ListrLogger, ProcessOutput } from 'listr2';
import { oneLine } from './output.ts';

/** Tells how far a step is. */
export type ReportProgress = (done: number, total: number, what: string) => void;

/** Something that takes long. */
export interface Step {
  readonly title: string;
  /** May return what is to be shown behind the title at the end. A step that throws is shown as failed. */
  run(report: ReportProgress): Promise<string | undefined>;
}

export interface StepFailure {
  readonly title: string;
  readonly error: Error;
}

const BAR_WIDTH = 24;
/** A log is not a screen: it gets a line now and then. */
const LOG_EVERY_MS = 5000;

const bar = (done: number, total: number): string => {
  const full = total === 0 ? BAR_WIDTH : Math.round((done / total) * BAR_WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${done}/${total}`;
};

/** Runs the steps one after the other, all of them, and returns those that failed. */
export async function runSteps(steps: readonly Step[]): Promise<StepFailure[]> {
  const failures: StepFailure[] = [];
  // Some terminals do not know how wide they are; a screen cannot be drawn there.
  const isScreen = process.stderr.isTTY === true && process.stdout.isTTY === true && process.stdout.columns > 0;
  const logger = new ListrLogger({
    useIcons: true,
    toStderr: [],
    processOutput: new ProcessOutput(process.stderr, process.stderr),
  });
  const tasks = new Listr(
    steps.map(({ title, run }) => ({
      title,
      task: async (_, task): Promise<void> => {
        let lastShown = isScreen ? 0 : performance.now();
        const report: ReportProgress = (done, total, what) => {
          const now = performance.now();
          if (!isScreen && now - lastShown < LOG_EVERY_MS) return;
          lastShown = now;
          task.output = `${bar(done, total)} ${what}`;
        };
        try {
          const outcome = await run(report);
          if (outcome !== undefined) task.title = `${title}: ${outcome}`;
        } catch (error) {
          const failure = new Error(oneLine(error), { cause: error });
          failures.push({ title, error: failure });
          throw failure;
        }
      },
    })),
    {
      exitOnError: false,
      // It would end with an exit code of its own.
      registerSignalListeners: false,
      renderer: 'default',
      rendererOptions: { logger, collapseErrors: false, removeEmptyLines: true },
      fallbackRenderer: 'simple',
      fallbackRendererOptions: { logger },
      fallbackRendererCondition: !isScreen,
    },
  );
  await tasks.run();
  return failures;
}
