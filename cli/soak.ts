import type { Command } from 'commander';
import { SoakFailure, type SoakOutcome, soak } from '../test/soak/index.ts';
import { type CommonOptions, finishCommand, option, seedOption } from './command.ts';
import { describeGpu, withGpu } from './device.ts';
import { RunFailure } from './failure.ts';
import { runSteps } from './progress.ts';
import { counted } from './textTable.ts';
import { parseMinutes } from './values.ts';

interface Options extends CommonOptions {
  readonly minutes: number;
  readonly seed: number;
}

const MINUTE_MS = 60_000;

export function addSoak(program: Command): void {
  const command = program
    .command('soak')
    .description('take random tables through random calls for as long as you like, and compare every answer')
    .addOption(option('--minutes <n>', 'how long', parseMinutes).default(10))
    .addOption(seedOption());
  finishCommand<Options>(command, async (options, output) => {
    const { minutes, seed } = options;
    await withGpu(options, async (gpu) => {
      output.say(describeGpu(gpu));
      let outcome: SoakOutcome | undefined;
      let failure: SoakFailure | undefined;
      const begin = performance.now();
      const passed = () => (performance.now() - begin) / MINUTE_MS;
      const failures = await runSteps([
        {
          title: `soak for ${counted(minutes, 'minute')} from seed ${seed}`,
          run: async (report) => {
            try {
              outcome = await soak(gpu, {
                seed,
                isOver: (done) => done > 0 && passed() >= minutes,
                onProgress: (soFar) => report(Math.floor(passed()), minutes, describeOutcome(soFar)),
              });
            } catch (error) {
              if (error instanceof SoakFailure) failure = error;
              throw error;
            }
            return undefined;
          },
        },
      ]);
      if (failure) {
        output.complain(`wrong: ${failure.message}`);
        output.write({ seed: failure.seed, history: failure.history, error: failure.message });
        throw new RunFailure(
          `the history of seed ${failure.seed} goes wrong, as above: --seed ${failure.seed} repeats it`,
        );
      }
      if (failures[0]) throw failures[0].error;
      if (outcome) {
        output.say(`all right: ${describeOutcome(outcome)}`);
        output.write({ seed, ...outcome });
      }
    });
  });
}

const describeOutcome = ({ histories, steps, answers, mostBytes }: SoakOutcome): string =>
  `${histories} histories, ${steps} calls, ${answers} answers, at most ${mostBytes} bytes of buffers and none left`;
