import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../browser/bundle.ts';
import { type PackedPackage, packPackage, root } from './pack.ts';

const run = promisify(execFile);

describe('the package', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await packPackage();
  });
  afterAll(() => packed?.remove());

  it('holds the built files and nothing of the sources', () => {
    const expected = ['LICENSE', 'package.json', 'dist/cli.js', 'dist/index.d.ts', 'dist/index.js'];
    expect(packed.fileNames).toEqual(expect.arrayContaining(expected));
    expect(packed.fileNames.filter((name) => !expected.includes(name))).toEqual(
      packed.fileNames.includes('README.md') ? ['README.md'] : [],
    );
  });

  it('satisfies publint', async () => {
    const tarball = Uint8Array.from(readFileSync(packed.tarballPath)).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('satisfies "Are the types wrong?"', async () => {
    const attw = join(root, 'node_modules/.bin/attw');
    const args = [packed.tarballPath, '--profile', 'esm-only', '--no-definitely-typed', '--format', 'ascii'];
    const problems = await run(attw, args).then(
      () => '',
      ({ stdout, stderr }) => stdout + stderr,
    );
    expect(problems).toBe('');
  });

  it('bundles for browsers with nothing left to resolve', async () => {
    const code = await bundle(join(packed.projectDir, 'node_modules/hashnest/dist/index.js'));
    expect(code).not.toMatch(/\bfrom\s*["']|\bimport\s*["']|\bimport\(\s*["']|\brequire\(\s*["']/);
  });

  it('brings a command that runs without any other package', async () => {
    const cli = join(packed.projectDir, 'node_modules/hashnest/dist/cli.js');
    const { stdout } = await run(process.execPath, [cli, '--help']);
    expect(stdout).toContain('Usage: hashnest');
    expect(readFileSync(cli, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});
