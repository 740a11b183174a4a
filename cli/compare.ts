import { Argument, type Command } from 'commander';
import { compareRuns, isTimed, type Timed, type Verdict } from '../bench/compare.ts';
import { RunFailure } from './failure.ts';
import { Output, parseJsonFile, readRecords } from './output.ts';
import { counted, textTable } from './textTable.ts';

interface Options {
  readonly json?: string;
  readonly all?: boolean;
}

export function addCompare(program: Command): void {
  program
    .command('compare')
    .description(
      'tell what became faster or slower between two files of `bench` or `batches`, beyond the spread of repeats',
    )
    .addArgument(new Argument('<before>', 'results as JSON'))
    .addArgument(new Argument('<after>', 'results of the same measurements, later or elsewhere'))
    .option('--all', 'list what is alike too')
    .option('--json <file>', 'write the comparison as JSON, to standard output for -', parseJsonFile)
    .action((before: string, after: string, options: Options) => {
      const output = new Output(options.json);
      const compared = compareRuns(timesIn(before), timesIn(after));
      const { rows, onlyBefore, onlyAfter } = compared;
      if (rows.length === 0) throw new RunFailure(`'${before}' and '${after}' have no measurement in common`);
      const listed = rows.filter(({ verdict }) => options.all || verdict !== 'alike');
      const table = listed.map(({ name, beforeMs, afterMs, ratio, verdict }) => [
        name,
        beforeMs.toFixed(4),
        afterMs.toFixed(4),
        ratio.toFixed(3),
        verdict,
      ]);
      if (table.length > 0)
        output.say(textTable(['measurement', 'before ms', 'after ms', 'after / before', ''], table));
      const count = (wanted: Verdict) => rows.filter(({ verdict }) => verdict === wanted).length;
      output.say(`${count('faster')} faster, ${count('slower')} slower, ${count('alike')} alike`);
      for (const [file, names] of [
        [before, onlyBefore],
        [after, onlyAfter],
      ] as const) {
        if (names.length > 0) output.say(`${counted(names.length, 'measurement')} in '${file}' alone`);
      }
      output.write(compared);
    });
}

/** The measurements in a file. */
function timesIn(file: string): readonly Timed[] {
  const times = readRecords(file).filter(isTimed);
  if (times.length === 0) throw new RunFailure(`'${file}' has no measurements, as 'hashnest bench --json' writes them`);
  return times;
}
