/** The command line with a conformance list that has something to complain about. */
import { makeProgram, runProgram } from '../../cli/program.ts';
import { TooLargeError } from '../../src/index.ts';

const fine = async (): Promise<void> => {};

await runProgram(
  makeProgram([
    { name: 'case one', short: true, run: fine },
    {
      name: 'case two',
      short: true,
      run: async () => {
        throw new Error('one is not\n  two');
      },
    },
    {
      // Only tables of the sizes that were asked for may be too large.
      name: 'case three',
      short: true,
      run: async () => {
        throw new TooLargeError('far too large', 1);
      },
    },
    // Nobody ever answers.
    { name: 'case four', short: true, limitMs: 50, run: () => new Promise(() => {}) },
    { name: 'case five', short: true, run: fine },
  ]),
);
