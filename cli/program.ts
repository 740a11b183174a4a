import { Command, CommanderError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import type { ConformanceCase } from '../test/conformance/case.ts';
import { addBatches } from './batches.ts';
import { addBench } from './bench.ts';
import { addBeside } from './beside.ts';
import { addChoose } from './choose.ts';
import { addChurn } from './churn.ts';
import { addCompare } from './compare.ts';
import { addDemo } from './demo.ts';
import { addImage } from './image/index.ts';
import { addInfo } from './info.ts';
import { oneLine } from './output.ts';
import { addProfile } from './profile.ts';
import { addReproduce } from './reproduce.ts';
import { addSelftest } from './selftest.ts';
import { addSoak } from './soak.ts';
import { addStats } from './stats.ts';

/** The whole command line. What `selftest` runs is passed in, so that it can be shown to fail. */
export function makeProgram(conformance: readonly ConformanceCase[]): Command {
  const program = new Command('hashnest')
    .description('Hash tables built and queried on the GPU: try them, test them, measure them.')
    .version(packageJson.version)
    // Errors are one line; commander would put its guess at what was meant on a second.
    .configureOutput({ outputError: (text, write) => write(`${oneLine(text)}\n`) })
    // What stands behind a command is for that command: `bench host --json FILE`.
    .enablePositionalOptions()
    .exitOverride();
  addDemo(program);
  addInfo(program);
  addSelftest(program, conformance);
  addSoak(program);
  addBench(program);
  addCompare(program);
  addBeside(program);
  addChoose(program);
  addBatches(program);
  addChurn(program);
  addStats(program);
  addProfile(program);
  addImage(program);
  addReproduce(program);
  return program;
}

/** Runs it. The exit code is 0 if all is well, 1 if something is wrong, 2 if the command line makes no sense. */
export async function runProgram(program: Command): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said what is wrong.
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else {
      process.stderr.write(`error: ${oneLine(error)}\n`);
      process.exitCode = 1;
    }
  }
}
