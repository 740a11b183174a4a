/**
 * A process that has a copy of the repository to itself. It is sent mutants, puts each into the copy, runs the tests that look
 * at the file until one fails, and answers with a verdict. Transformed files and the compiler's project stay in memory.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest, type Reporter, type TestCase, type TestModule, type TestSpecification } from 'vitest/node';
import { makeCompiles } from './check.ts';
import { applied, type Mutant } from './collect.ts';
import { type Stage, stagesOf } from './tests.ts';

export type Verdict = 'caught' | 'survived' | 'does not compile';

/** What the process says: that tests fail by themselves, or what became of a mutant. */
export type Message = { readonly broken: string } | Judgement;

export interface Judgement {
  readonly verdict: Verdict;
  /** The test that caught it. */
  readonly by?: string;
}

const root = process.argv[2] as string;
const compiles = makeCompiles(root);

/** What has failed in the present run. What vitest itself remembers also has tests that an earlier run was too short for. */
const failures: Failure[] = [];

/** Something that fails, and what runs it again: by itself, and if need be with what goes before it. */
interface Failure {
  readonly by: string;
  readonly again: readonly (readonly TestSpecification[])[];
}

const fileOf = ({ moduleId }: TestModule): string => moduleId.slice(root.length + 1);

const listening: Reporter = {
  onTestCaseResult(test: TestCase) {
    if (test.result().state !== 'failed') return;
    const again = [[test.toTestSpecification()], [test.module.toTestSpecification()]];
    failures.push({ by: `${fileOf(test.module)} (${test.fullName})`, again });
  },
  // A file that cannot be loaded has no tests.
  onTestModuleEnd(module: TestModule) {
    if (module.state() === 'failed') failures.push({ by: fileOf(module), again: [[module.toTestSpecification()]] });
  },
};

const vitest = await createVitest('test', {
  root,
  config: join(root, 'vitest.config.ts'),
  watch: false,
  project: ['unit', 'full'],
  bail: 1,
  maxWorkers: 1,
  // Several workers may share few cores, and a test that only waits too long has caught nothing.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  reporters: [listening],
});

const atFirst = new Set(readdirSync(root));

/** Removes what the tests of a mutant have left: it may make the next ones fail. */
function tidy(): void {
  for (const name of readdirSync(root)) {
    if (!atFirst.has(name)) rmSync(join(root, name), { recursive: true, force: true });
  }
}

const say = (message: Message): void => {
  process.send?.(message);
};

async function testsOf({ files, only }: Stage): Promise<readonly TestSpecification[]> {
  if (only === undefined) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(only);
  const all = await vitest.globTestSpecifications();
  const isWanted = (path: string) => files.some((file) => path.startsWith(join(root, file)));
  // Files that do more in full are those of every day here.
  const isTwice = ({ project, moduleId }: TestSpecification) =>
    project.name === 'full' && !moduleId.startsWith(join(root, 'test/full/'));
  return all.filter((test) => isWanted(test.moduleId) && !isTwice(test));
}

/** The first that fails, if one does. */
async function failing(tests: readonly TestSpecification[]): Promise<Failure | undefined> {
  failures.length = 0;
  const { unhandledErrors } = await vitest.runTestSpecifications([...tests]);
  tidy();
  return failures[0] ?? (unhandledErrors.length > 0 ? { by: 'an error outside tests', again: [tests] } : undefined);
}

async function judge(mutant: Mutant): Promise<Message> {
  const file = join(root, mutant.path);
  const original = readFileSync(file, 'utf8');
  const changed = applied(original, mutant);
  if (!compiles(mutant.path, changed)) return { verdict: 'does not compile' };
  const failingWith = async (text: string, tests: readonly TestSpecification[]): Promise<Failure | undefined> => {
    writeFileSync(file, text);
    vitest.invalidateFile(file);
    return failing(tests);
  };
  try {
    for (const stage of stagesOf(mutant.path)) {
      const failure = await failingWith(changed, await testsOf(stage));
      if (!failure) continue;
      // What fails by itself, or by chance, has caught nothing.
      const { by, again } = failure;
      for (const tests of again) {
        if (await failingWith(original, tests)) return { broken: `${by} fails by itself` };
        if (await failingWith(changed, tests)) return { verdict: 'caught', by };
      }
      console.error(`not caught by ${by}: the next time it passes with the mutant`);
    }
    return { verdict: 'survived' };
  } finally {
    writeFileSync(file, original);
    vitest.invalidateFile(file);
  }
}

process.on('message', async (mutant: Mutant) => {
  say(await judge(mutant).catch((error: unknown) => ({ broken: String(error) })));
});
