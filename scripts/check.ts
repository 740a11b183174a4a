/**
 * Runs the scripts `check:…` of package.json, as many at once as there are cores, and shows what the failing ones said. They
 * begin in their order there: the longest should come first.
 */
import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(exec);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const waiting = Object.entries<string>(scripts).filter(([name]) => name.startsWith('check:'));

async function work(): Promise<void> {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const [name, command] = check;
    const begin = performance.now();
    const said = await run(command).then(
      () => undefined,
      ({ stdout, stderr }) => stdout + stderr,
    );
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.log(`${said === undefined ? 'passed' : 'failed'}  ${name}, ${seconds} s`);
    if (said === undefined) continue;
    console.log(said);
    process.exitCode = 1;
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
