/** Checks which files import which: the rules are in `rooms.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import { faultsOf } from './rooms.ts';

const paths = ['src', 'bench', 'cli', 'examples', 'scripts', 'site', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
);
const sources = paths.filter((path) => path.endsWith('.ts'));
const faults = faultsOf(new Map(sources.map((path) => [path, readFileSync(path, 'utf8')])));
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
