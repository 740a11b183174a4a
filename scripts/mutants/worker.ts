/**
 * A process that has a copy of the repository to itself. It is sent mutants, puts each into the copy, runs the tests that look
 * at the file until one fails, and answers with a verdict. Transformed files and the compiler's project stay in memory.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest, type TestModule } from 'vitest/node';
import { makeCompiles } from './check.ts';
import { applied, type Mutant } from './collect.ts';
import { type Stage, stagesOf } from './tests.ts';

export type Verdict = 'caught' | 'survived' | 'does not compile';

/** What the process says: that tests fail by themselves, or what became of a mutant. */
export type Message = { readonly broken: string } | { readonly verdict: Verdict; readonly by?: string };

const root = process.argv[2] as string;
const compiles = makeCompiles(root);
const vitest = await createVitest('test', {
  root,
  config: join(root, 'vitest.config.ts'),
  watch: false,
  project: ['unit'],
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
});
/** Tests that are known to pass without a mutant. */
const passing = new Set<string>();

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

/** The file of the first test that fails, if one does. */
async function failing({ files, only }: Stage): Promise<string | undefined> {
  if (only === undefined) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(only);
  const all = await vitest.globTestSpecifications();
  const wanted = all.filter(({ moduleId }) => files.some((file) => moduleId.startsWith(join(root, file))));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted);
  const ran = new Set(wanted.map(({ moduleId }) => moduleId));
  const failed = testModules.find((module: TestModule) => ran.has(module.moduleId) && module.state() === 'failed');
  return failed?.moduleId.slice(root.length + 1) ?? (unhandledErrors.length > 0 ? 'an error outside tests' : undefined);
}

/** The file of the first test that fails with this text in the copy, if one does. */
async function failingWith(path: string, text: string, stage: Stage): Promise<string | undefined> {
  const file = join(root, path);
  const original = readFileSync(file, 'utf8');
  const put = (content: string): void => {
    writeFileSync(file, content);
    vitest.invalidateFile(file);
  };
  put(text);
  try {
    return await failing(stage);
  } finally {
    put(original);
    tidy();
  }
}

async function judge(mutant: Mutant): Promise<Message> {
  const text = applied(readFileSync(join(root, mutant.path), 'utf8'), mutant);
  if (!compiles(mutant.path, text)) return { verdict: 'does not compile' };
  for (const stage of stagesOf(mutant.path)) {
    const by = await failingWith(mutant.path, text, stage);
    if (by === undefined) continue;
    // A test that always fails would catch everything.
    const name = JSON.stringify([by, stage.only]);
    if (!passing.has(name) && (await failing({ ...stage, files: [by] }))) return { broken: `${by} fails by itself` };
    passing.add(name);
    return { verdict: 'caught', by };
  }
  return { verdict: 'survived' };
}

process.on('message', async (mutant: Mutant) => {
  say(await judge(mutant).catch((error: unknown) => ({ broken: String(error) })));
});
