import { type Command, Option } from 'commander';
import { type HashFamily, type KeyType, type SchemeName, u32 } from '../src/index.ts';
import { Output, parseJsonFile } from './output.ts';
import {
  FAMILY_NAMES,
  KEY_NAMES,
  parseHash,
  parseHold,
  parseKeys,
  parseRepeat,
  parseSchemeChoices,
  parseSchemes,
  parseSeed,
  SCHEME_NAMES,
} from './values.ts';

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: string;
  readonly software?: boolean;
}

/** An option with a value. */
export const option = (flags: string, description: string, parse: (text: string) => unknown): Option =>
  new Option(flags, description).argParser(parse);

export const schemesOption = (names: readonly SchemeName[], description: string): Option =>
  option('--schemes <list>', `of ${SCHEME_NAMES.join(', ')}`, parseSchemes).default(names, description);

/** Schemes, or some with options of their own. */
export const schemeChoicesOption = (names: readonly SchemeName[], description: string): Option =>
  option(
    '--schemes <list>',
    `of ${SCHEME_NAMES.join(', ')}; with options as in 'cuckoo(functions=3),chaining(bucketsPerItem=2)'`,
    parseSchemeChoices,
  ).default(
    names.map((name) => ({ name })),
    description,
  );

export const keysOption = (keys: readonly KeyType[] = [u32]): Option =>
  option('--keys <list>', `of ${KEY_NAMES}`, parseKeys).default(keys, keys.map(({ name }) => name).join());

export const hashOption = (): Option => option('--hash <family>', `of ${FAMILY_NAMES} (default: mix)`, parseHash);

/** The papers' families know one-word keys only. */
export function refuseHashForKeys(
  command: Command,
  { hash, keys }: { readonly hash?: HashFamily; readonly keys: readonly KeyType[] },
): void {
  const tooWide = hash && keys.find(({ words }) => words > hash.maxWords);
  if (tooWide) command.error(`error: the hash family '${hash.name}' cannot hash ${tooWide.name} keys`);
}

export const repeatOption = (passes = 7): Option =>
  option('--repeat <n>', 'measured passes for each operation', parseRepeat).default(passes);

/** Before every timed pass. */
export const holdOption = (ms: number): Option =>
  option('--hold <ms>', 'how long the GPU computes before every pass, so that its clock is up', parseHold).default(ms);

export const seedOption = (): Option => option('--seed <n>', 'everything random follows from it', parseSeed).default(1);

/** What commander says about a command that there is not; its types leave it out. */
type SuggestingCommand = Command & { unknownCommand(): never };

/** Adds the options that every command has, and what the command does; its arguments come last. */
export function finishCommand<Options extends CommonOptions, Arguments extends string[] = []>(
  command: Command,
  action: (options: Options, output: Output, ...given: Arguments) => Promise<void>,
): void {
  command
    .option('--json <file>', 'write the results as JSON, to standard output for -', parseJsonFile)
    .option('--software', 'use the software GPU even if there is a real one')
    // A command with others below it takes no arguments: what stands there is meant for one of them.
    .allowExcessArguments(command.commands.length > 0)
    .action((...given: unknown[]) => {
      if (command.commands.length > 0 && command.args.length > 0) (command as SuggestingCommand).unknownCommand();
      // Commander puts the options and the command behind the arguments.
      const options = given.at(-2) as Options;
      return action(options, new Output(options.json), ...(given.slice(0, -2) as Arguments));
    });
}
