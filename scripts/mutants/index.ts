/**
 * Changes `src/` a little, again and again, and looks whether the tests notice: `npm run test:mutants`. What they do not notice is
 * printed. It takes a sample by seed: --sample N --minutes M --files PART --seed S --workers W.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomWords } from '../../src/hashing/index.ts';
import { isOfNumber, type Mutant, mutantsOf } from './collect.ts';
import { hasSameAnswers } from './sameAnswers.ts';
import type { Judgement, Message, Verdict } from './worker.ts';

/** Kernels that never end hold a test up for ever. */
const MUTANT_LIMIT_MS = 600_000;
/** What the tests have to catch of the mutants that compile, in per cent. */
const WANTED_PERCENT = 90;

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '15' },
    files: { type: 'string', default: 'src/' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(Math.max(1, availableParallelism() >> 1)) },
  },
});

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .trim()
  .split('\n');

/** A sample of all mutants in files whose paths have this part, in random order. */
function sampled(part: string, count: number, seed: number): Mutant[] {
  const all = tracked
    .filter((path) => path.startsWith('src/') && path.endsWith('.ts') && path.includes(part))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return mutantsOf(path, text).filter((mutant) => !hasSameAnswers(text, mutant));
    });
  const random = randomWords(seed);
  for (let i = all.length - 1; i > 0; i--) {
    const j = random() % (i + 1);
    [all[i], all[j]] = [all[j] as Mutant, all[i] as Mutant];
  }
  console.log(`${all.length} mutants, of which ${Math.min(count, all.length)} are tried, by seed ${seed}`);
  return all.slice(0, count);
}

/** A copy of the repository that may be changed. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'hashnest-mutants-'));
  for (const path of tracked.filter((path) => !path.startsWith('bench/results/'))) {
    cpSync(join(root, path), join(copy, path));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

interface Judged {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

const describe = ({ path, line, original, replacement }: Mutant): string =>
  `${path}:${line}: \`${original.replace(/\s+/g, ' ')}\` becomes \`${replacement.replace(/\s+/g, ' ')}\``;

/** Ends a worker and the processes of its own. */
function end(worker: ChildProcess): void {
  try {
    if (worker.pid !== undefined) process.kill(-worker.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function work(waiting: Mutant[], until: number, judged: Judged[]): Promise<void> {
  const copy = copyRepository();
  const start = (): ChildProcess =>
    fork(join(dirname(fileURLToPath(import.meta.url)), 'worker.ts'), [copy], {
      cwd: copy,
      detached: true,
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  let worker = start();
  const stop = (): void => {
    end(worker);
    rmSync(copy, { recursive: true, force: true });
  };
  process.once('exit', stop);
  /** What the worker says; if that does not come, there is another worker. */
  const answerTo = async (mutant: Mutant): Promise<Judgement | undefined> => {
    const answer = await ask(worker, mutant);
    if (answer && 'broken' in answer) throw new Error(answer.broken);
    if (answer) return answer;
    end(worker);
    cpSync(join(root, mutant.path), join(copy, mutant.path));
    worker = start();
    return undefined;
  };
  /** A mutant that never ends, or ends the process, is caught if the same tests pass without it. If they take too long too, nobody knows. */
  const verdictOfClock = async (mutant: Mutant): Promise<Judgement> => {
    const nothing = await answerTo({ ...mutant, replacement: mutant.original });
    return nothing?.verdict === 'survived'
      ? { verdict: 'caught', by: 'the clock, or the end of the process' }
      : { verdict: 'survived', by: 'tests that take too long by themselves' };
  };
  while (Date.now() < until) {
    const mutant = waiting.shift();
    if (!mutant) break;
    const begin = performance.now();
    const { verdict, by } = (await answerTo(mutant)) ?? (await verdictOfClock(mutant));
    judged.push({ mutant, verdict });
    const seconds = Math.round((performance.now() - begin) / 1000);
    console.log(`${verdict}${by ? ` by ${by}` : ''}, ${seconds} s: ${describe(mutant)}`);
  }
  process.removeListener('exit', stop);
  stop();
}

/** The verdict on a mutant; undefined if the process ends or takes too long. */
function ask(worker: ChildProcess, mutant: Mutant): Promise<Message | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), MUTANT_LIMIT_MS);
    const done = (message: Message | undefined): void => {
      clearTimeout(timer);
      worker.removeAllListeners();
      resolve(message);
    };
    worker.once('message', (message) => done(message as Message));
    worker.once('exit', () => done(undefined));
    worker.send(mutant);
  });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

// Every worker is ended when this process ends.
process.setMaxListeners(0);
const waiting = sampled(values.files, Number(values.sample), Number(values.seed));
const judged: Judged[] = [];
const until = Date.now() + Number(values.minutes) * 60_000;
await Promise.all(Array.from({ length: Number(values.workers) }, () => work(waiting, until, judged)));

/** How many of these mutants are caught, in words and in per cent. */
function scoreOf(what: string, some: readonly Judged[]): { readonly said: string; readonly percent: number } {
  const count = (wanted: Verdict): number => some.filter(({ verdict }) => verdict === wanted).length;
  const [caught, all] = [count('caught'), count('caught') + count('survived')];
  const percent = Math.round((100 * caught) / Math.max(1, all));
  return { said: `${what}: ${caught} of ${all} are caught, ${percent}%`, percent };
}

const of = (wanted: Verdict): Mutant[] =>
  judged.filter(({ verdict }) => verdict === wanted).map(({ mutant }) => mutant);
const total = scoreOf('all mutants', judged);
const numbers = judged.filter(({ mutant }) => isOfNumber(mutant));
const others = judged.filter(({ mutant }) => !isOfNumber(mutant));
console.log(`\n${total.said}`);
console.log(scoreOf('operators, conditions, booleans and statements', others).said);
console.log(scoreOf('numbers, one more or one less', numbers).said);
console.log(`${of('does not compile').length} more do not compile, ${waiting.length} were not tried`);
for (const mutant of of('survived')) console.log(`survived: ${describe(mutant)}`);
process.exitCode = total.percent < WANTED_PERCENT ? 1 : 0;
