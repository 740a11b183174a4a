/** The command line with a case that keeps the GPU busy for ever, and says when it has begun. */
import { handleEndings } from '../../cli/endings.ts';
import { makeProgram, runProgram } from '../../cli/program.ts';
import { sort } from '../../src/index.ts';

handleEndings();
await runProgram(
  makeProgram([
    {
      name: 'case one',
      short: true,
      run: async (gpu) => {
        const keys = new Uint32Array(1_000_000);
        for (let round = 0; ; round++) {
          const sorting = sort(gpu, keys);
          if (round === 1) process.stdout.write('at work');
          await sorting;
        }
      },
    },
  ]),
);
