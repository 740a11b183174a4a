import { readFileSync } from 'node:fs';
import { Argument, type Command, Option } from 'commander';
import type { BenchRecord } from '../bench/benchmark.ts';
import { choosingTables, gridTables, withTables } from '../bench/choosing.ts';
import type { HostRecord } from '../bench/hostCalls.ts';
import { mapSizes } from '../bench/mapCalls.ts';
import { RunFailure } from './failure.ts';
import { oneLine, parseOutputFile, readRecords, writeOutput } from './output.ts';

interface Options {
  readonly map?: string;
  readonly into?: string;
}

export function addChoose(program: Command): void {
  program
    .command('choose')
    .description('tell which scheme is best for what, from files of `bench grid`, as Markdown')
    .addArgument(
      new Argument('<grids...>', 'results as JSON; a later file stands for an earlier one where both have a table'),
    )
    .option('--map <file>', 'results of `bench host --parts map`, for the comparison with a Map')
    .addOption(
      new Option('--into <file>', 'a document, between whose marks the tables are written').argParser(parseOutputFile),
    )
    .action((grids: readonly string[], options: Options) => {
      const tables = gridTables(grids.flatMap((grid) => readRecords(grid) as BenchRecord[]));
      if (tables.length === 0) {
        throw new RunFailure(
          `'${grids.join("', '")}' has no right answers of a real GPU for maps of u32, as 'hashnest bench grid' measures them`,
        );
      }
      const beside = options.map === undefined ? [] : (readRecords(options.map) as HostRecord[]);
      if (options.map !== undefined && mapSizes(beside).length === 0) {
        throw new RunFailure(
          `'${options.map}' has no comparison with a Map, as 'hashnest bench host --parts map' makes it`,
        );
      }
      const text = choosingTables(tables, beside);
      if (options.into === undefined) process.stdout.write(`${text}\n`);
      else writeInto(options.into, text);
    });
}

function writeInto(file: string, tables: string): void {
  let document: string;
  try {
    document = readFileSync(file, 'utf8');
  } catch (error) {
    throw new RunFailure(`'${file}' cannot be read: ${oneLine(error)}`, { cause: error });
  }
  const written = withTables(document, tables);
  if (written === undefined) throw new RunFailure(`'${file}' has no marks, as docs/choosing.md has them`);
  writeOutput(file, written);
}
