/**
 * Compiles the library alone, as `tsc -p src` would, and compares all that it exports with the report in `docs/api/`. With
 * `--accept` it writes a new report.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publicApi } from './publicApi.ts';

/**
 * Types that public signatures mention although no entry point exports them. The list may become shorter, not longer: export
 * a type that users meet, or mark the member that mentions it as `@internal`.
 */
const HIDDEN = [
  // What public types are derived from.
  ...['COMMON', 'CommonField', 'FUNCTION_COUNTS', 'ScanCall'],
];

const PATH = 'docs/api/hashnest.d.ts';
const HEAD = '// All that users can import. Made by `npm run api`.\n\n';

const root = fileURLToPath(new URL('..', import.meta.url));
const { errors, report, hidden } = publicApi(root);
// The API of sources that do not compile is not worth a look.
if (errors !== '') {
  console.error(errors);
  process.exit(1);
}

const faults: string[] = [];

for (const { name, path, users } of hidden) {
  if (HIDDEN.includes(name)) continue;
  faults.push(`${path}: ${name} is not exported, but public: ${users.join(', ')} mentions it`);
}
for (const name of HIDDEN) {
  if (!hidden.some((type) => type.name === name)) faults.push(`${name} is no longer hidden: take it out of HIDDEN`);
}

const biome = fileURLToPath(import.meta.resolve('@biomejs/biome/bin/biome'));
const text = execFileSync(process.execPath, [biome, 'format', '--stdin-file-path=api.d.ts'], {
  cwd: root,
  input: HEAD + report,
  encoding: 'utf8',
});
if (process.argv.includes('--accept')) {
  writeFileSync(join(root, PATH), text);
} else {
  const diff = ['diff', '--no-index', '--', PATH, '-'];
  const { status, stdout, stderr } = spawnSync('git', diff, { cwd: root, input: text, encoding: 'utf8' });
  if (status !== 0) {
    faults.push(`${stdout}${stderr}The public API is not as reported: \`npm run api\` accepts the change.`);
  }
}

if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
