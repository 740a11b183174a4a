import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npmPack, root } from './npmPack.ts';
import { filesOf, type PackedPackage, packPackage } from './pack.ts';

const run = promisify(execFile);

describe('the package', () => {
  let packed: PackedPackage;
  let names: string[];
  beforeAll(async () => {
    packed = await packPackage();
    names = [...packed.files.keys()];
  });
  afterAll(() => packed?.remove());

  it('holds what was built and what there is to read, and nothing of the sources', () => {
    expect(names).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'dist/cli.js']));
    expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json']));
    const expected = /^(dist\/.*\.(js|d\.ts)|(docs|examples)\/.*|[A-Z]+(\.md)?|package\.json)$/;
    expect(names.filter((name) => !expected.test(name))).toEqual([]);
  });

  it('holds every file that its documents link to', () => {
    const links = [...packed.files].flatMap(([name, bytes]) =>
      name.endsWith('.md')
        ? [...new TextDecoder().decode(bytes).matchAll(/\]\(([^)#:]+)(#[^)]*)?\)/g)].map(([, target = '']) =>
            posix.join(posix.dirname(name), target),
          )
        : [],
    );
    expect(links).toContain('docs/architecture.md');
    expect(links.filter((link) => !names.some((name) => name === link || name.startsWith(`${link}/`)))).toEqual([]);
  });

  it('is built by `npm pack` where nothing was built before', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'hashnest-clean-'));
    try {
      const checkout = join(dir, 'checkout');
      const leftOut = ['node_modules', 'dist', '.git'].map((name) => join(root, name));
      cpSync(root, checkout, { recursive: true, filter: (path) => !leftOut.includes(path) });
      symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
      const tarballs = join(dir, 'tarballs');
      mkdirSync(tarballs);
      expect([...filesOf(await npmPack(checkout, tarballs)).keys()].sort()).toEqual([...names].sort());
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('stands for the sources inside this repository', async () => {
    expect(await import('hashnest')).toBe(await import('../../src/index.ts'));
    expect(await import('hashnest/apps')).toBe(await import('../../src/apps.ts'));
    expect(await import('hashnest/arrow')).toBe(await import('../../src/arrow.ts'));
    expect(await import('hashnest/relational')).toBe(await import('../../src/relational.ts'));
    expect(await import('hashnest/spatial')).toBe(await import('../../src/spatial.ts'));
    expect(await import('hashnest/scheme')).toBe(await import('../../src/scheme.ts'));
    expect(await import('hashnest/three')).toBe(await import('../../src/three.ts'));
    expect(await import('hashnest/typegpu')).toBe(await import('../../src/typegpu.ts'));
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

  it('brings a command that runs without any other package', async () => {
    const cli = join(packed.projectDir, 'node_modules/hashnest/dist/cli.js');
    const { stdout } = await run(process.execPath, [cli, '--help']);
    expect(stdout).toContain('Usage: hashnest');
    expect(readFileSync(cli, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});
