/** The command line with a case that keeps the GPU busy for ever, and says when it has begun. */
import { handleEndings } from '../../cli/endings.ts';
import { makeProgram, runProgram } from '../../cli/program.ts';
import { fill } from '../../src/index.ts';

handleEndings();
await runProgram(
  makeProgram([
    {
      name: 'case one',
      short: true,
      run: async (gpu) => {
        for (let round = 0; ; round++) {
          const filling = fill(gpu, 5_000_000, round);
          if (round === 1) process.stdout.write('at work');
          await filling;
        }
      },
    },
  ]),
);
