/** What the figures of several papers have in common. */
import type { Command } from 'commander';
import { adapterName } from '../bench/benchmark.ts';
import type { Gpu } from '../src/index.ts';
import type { CommonOptions } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import type { Output } from './output.ts';
import { type ReportProgress, runSteps } from './progress.ts';
import { grouped } from './textTable.ts';

/** A line of a figure. */
export interface Line<Measured> {
  readonly title: string;
  measure(gpu: Gpu, report: ReportProgress): Promise<Measured>;
}

/** Measures all lines; those that fail, or give wrong answers, make the command fail at the end. */
export async function measureLines<Measured extends { readonly wrong: number }>(
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

export const millions = (perSecond: number | undefined): string =>
  perSecond === undefined ? '-' : (perSecond / 1e6).toFixed(1);
