/** The packed package in other runtimes than Node, on the software GPU. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemes } from '../../src/index.ts';
import { ANSWERS, laterProgram } from './laterProgram.ts';
import { root } from './npmPack.ts';
import { linkPackage, type PackedPackage, packPackage } from './pack.ts';
import { writePrograms } from './programs.ts';

const run = promisify(execFile);

/** The programs themselves, from the packages for this platform. */
const RUNTIMES = [
  { name: 'Bun', file: '@oven/bun-linux-x64/bin/bun', run: [] },
  { name: 'Deno', file: '@deno/linux-x64-glibc/deno', run: ['run', '-A'] },
] as const;

/** What part of the short conformance list is run: the default scheme, whose kernels use much workgroup memory. */
const PART = 'bucketCuckoo u32';
/** What is built, rebuilt and checked of every scheme: maps of these keys. `perfectSpatial` takes neither. */
const KEYS = ['u32', 'utf8'];
const MAPS = KEYS.length * (Object.keys(schemes).length - 1);

describe.runIf(process.platform === 'linux' && process.arch === 'x64').each(RUNTIMES)(
  'the package in $name',
  (runtime) => {
    let packed: PackedPackage;
    beforeAll(async () => {
      packed = await packPackage();
      writePrograms(packed);
      for (const name of ['webgpu', '@sparticuz/chromium']) linkPackage(packed, name);
    });
    afterAll(() => packed?.remove());

    const output = async (args: readonly string[]): Promise<string> => {
      const { stdout } = await run(join(root, 'node_modules', runtime.file), args, { cwd: packed.projectDir });
      return stdout;
    };

    it('runs the tour', async () => {
      expect(await output([...runtime.run, 'tour.ts'])).toMatch(/50\.5, -1, 202, 8080/);
    });

    it('loads parts of it when they are needed', async () => {
      writeFileSync(join(packed.projectDir, 'later.js'), `${laterProgram('hashnest')}\nconsole.log(await useParts());`);
      expect(await output([...runtime.run, 'later.js'])).toContain(ANSWERS.loading);
    });

    const selftest = async (...options: readonly string[]): Promise<string> => {
      // Dawn asks for ever whether the GPU has finished, and takes the cores from it where the GPU is the CPU.
      const program = `
      import ${JSON.stringify(join(root, 'test/restBetweenPolls.ts'))};
      await import('./node_modules/hashnest/dist/cli.js');`;
      writeFileSync(join(packed.projectDir, 'selftest.ts'), program);
      return output([...runtime.run, 'selftest.ts', 'selftest', '--short', '--sizes', '1000', ...options]);
    };

    it('has right answers in the conformance list', { timeout: 240_000 }, async () => {
      expect(await selftest('--keys', 'u32', '--only', PART)).toMatch(/\b[5-9] right, 0 wrong, 0 skipped/);
    });

    it('has right answers with every scheme, for numbers and strings', { timeout: 240_000 }, async () => {
      const said = await selftest('--keys', KEYS.join(), '--only', ' map u');
      expect(said).toMatch(new RegExp(`\\b${MAPS} right, 0 wrong, 0 skipped`));
    });
  },
);

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('Deno', () => {
  it('is told what is missing where it may not load a driver', async () => {
    const packed = await packPackage();
    try {
      for (const name of ['webgpu', '@sparticuz/chromium']) linkPackage(packed, name);
      const program = `
        import { Gpu, NoGpuError } from 'hashnest';
        const error = await Gpu.open().catch((error) => error);
        console.log(error instanceof NoGpuError, error.message);`;
      writeFileSync(join(packed.projectDir, 'open.ts'), program);
      const deno = join(root, 'node_modules', RUNTIMES[1].file);
      const args = ['run', '--no-prompt', '--allow-read', '--allow-env', 'open.ts'];
      const { stdout } = await run(deno, args, { cwd: packed.projectDir });
      expect(stdout).toMatch(/^true .*--allow-ffi/);
    } finally {
      packed.remove();
    }
  });
});
