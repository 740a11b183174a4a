/** The command line with a fault in the library: no commands can be submitted. */
import { makeProgram, runProgram } from '../../cli/program.ts';
import { Gpu } from '../../src/index.ts';

Gpu.prototype.watched = () => {
  throw new TypeError('planted');
};
await runProgram(makeProgram([]));
