/** The command line with a conformance list in which the process ends before the list does. */
import { makeProgram, runProgram } from '../../cli/program.ts';

await runProgram(
  makeProgram([
    { name: 'case one', short: true, run: async () => {} },
    { name: 'case two', short: true, run: async () => process.exit(9) },
  ]),
);
