/** The command line with a fault in the library: nothing can be uploaded. */
import { makeProgram, runProgram } from '../../cli/program.ts';
import { Gpu } from '../../src/index.ts';

Gpu.prototype.upload = () => {
  throw new TypeError('planted');
};
await runProgram(makeProgram([]));
