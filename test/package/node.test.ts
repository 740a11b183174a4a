import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkPackage, type PackedPackage, packPackage } from './pack.ts';
import { writePrograms } from './programs.ts';

const run = promisify(execFile);

describe('the package in Node', () => {
  let packed: PackedPackage;
  beforeAll(async () => {
    packed = await packPackage();
    writePrograms(packed);
    for (const name of ['webgpu', '@sparticuz/chromium', 'apache-arrow']) linkPackage(packed, name);
  });
  afterAll(() => packed?.remove());

  /** What a program in TypeScript prints. The package stays as it was installed. */
  const printedBy = async (contents: string): Promise<string> => {
    const { projectDir } = packed;
    const outfile = join(projectDir, 'program.js');
    const stdin = { contents, resolveDir: projectDir, loader: 'ts' } as const;
    await build({
      stdin,
      outfile,
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
    });
    return (await run(process.execPath, [outfile], { cwd: projectDir })).stdout;
  };

  it('runs the tour', async () => {
    expect(await printedBy(`import './tour.ts';`)).toContain('50.5, -1, 202, 8080');
  });

  it('builds tables by a scheme that is written outside of it', async () => {
    expect(await printedBy(`import { found } from './schemeUser.ts'; console.log(...found);`)).toBe('1 0\n');
  });

  it('lets functions of TypeGPU search tables', async () => {
    linkPackage(packed, 'typegpu');
    const program = `
      import { Gpu, GPUBufferUsage, GPUMapMode, GPUShaderStage } from 'hashnest';
      import tgpu from 'typegpu';
      import { pricesOf } from './typegpu.ts';
      Object.assign(globalThis, { GPUBufferUsage, GPUMapMode, GPUShaderStage });
      console.log(...(await pricesOf(tgpu.initFromDevice(await Gpu.open()), [9, 8, 7])));
      process.exit();`;
    expect(await printedBy(program)).toBe('2 -1 0.5\n');
  });

  it('takes tables of Apache Arrow', async () => {
    expect(await printedBy(`import { joined, rows } from './arrowUser.ts'; console.log(rows, joined.numRows);`)).toBe(
      '2 3\n',
    );
  });

  it('is one library whatever the entry point', async () => {
    const program = `
      import { InvalidInputError, mix, Wgsl } from 'hashnest';
      import * as scheme from 'hashnest/scheme';
      console.log(scheme.InvalidInputError === InvalidInputError, scheme.mix === mix, scheme.multiplyHigh instanceof Wgsl);`;
    expect(await printedBy(program)).toBe('true true true\n');
  });
});
