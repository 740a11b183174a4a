import { execFile } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWERS, laterProgram } from './laterProgram.ts';
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

  it('loads parts of it when they are needed, and again where they could not be loaded', async () => {
    const { projectDir } = packed;
    writeFileSync(join(projectDir, 'later.js'), laterProgram('hashnest'));
    const part = join(projectDir, 'node_modules/hashnest/dist/table/saved/savedTables.later.js');
    const program = `
      import { renameSync } from 'node:fs';
      import { HashMap } from 'hashnest';
      import { useParts } from './later.js';
      const [away, back] = [${JSON.stringify(`${part}.away`)}, ${JSON.stringify(part)}];
      const { toBytes } = HashMap.prototype;
      HashMap.prototype.toBytes = async function () {
        // Once the first call has failed, the file is there.
        HashMap.prototype.toBytes = toBytes;
        try {
          return await toBytes.call(this);
        } finally {
          renameSync(away, back);
        }
      };
      console.log(await useParts());`;
    renameSync(part, `${part}.away`);
    expect(await printedBy(program)).toBe(`${ANSWERS.failing}\n`);
    expect(await printedBy(`import { useParts } from './later.js'; console.log(await useParts());`)).toBe(
      `${ANSWERS.loading}\n`,
    );
  });

  it('reads what it is given, and keeps the order of calls, while a part is loaded', async () => {
    const program = (work: string) => `
      import { readFileSync, writeFileSync } from 'node:fs';
      import { Gpu, HashMap } from 'hashnest';
      const gpu = await Gpu.open();
      const keys = new Uint32Array([7, 9]);
      const mapOf = (...values: number[]) => HashMap.from(gpu, { keys, values: new Uint32Array(values) });
      const valuesOf = async (map) => (await map.get(keys)).values.join();
      ${work}
      process.exit();`;
    await printedBy(program(`writeFileSync('map.bin', await (await mapOf(1, 2)).toBytes());`));
    const work = `
      const bytes = new Uint8Array(readFileSync('map.bin'));
      const absent = new Uint32Array([1, 2, 3]);
      const [measured, rebuilt, doomed, recorded] = await Promise.all([mapOf(1, 1), mapOf(3, 4), mapOf(5, 6), mapOf(7, 8)]);
      const upload = (values) => gpu.upload('own', new Uint32Array(values));
      // Nothing of all this waits, so all parts are yet to be loaded.
      const opening = HashMap.fromBytes(gpu, bytes);
      bytes.fill(0);
      const counting = measured.stats({ absent });
      absent.set(keys);
      const saving = rebuilt.toBytes();
      const rebuilding = rebuilt.rebuild({ keys, values: new Uint32Array([30, 40]) });
      const ending = doomed.toBytes().catch(({ code }) => code);
      doomed.destroy();
      const overtaken = recorded.toBytes().catch(({ message }) => message);
      const encoder = gpu.device.createCommandEncoder();
      recorded.encodeRebuild(encoder, { keys: upload(keys), values: upload([70, 80]), count: 2 });
      gpu.device.queue.submit([encoder.finish()]);
      console.log(await valuesOf(await opening), (await counting).absent.searches, await ending);
      console.log(await valuesOf(await HashMap.fromBytes(gpu, await saving)), await valuesOf(await rebuilding));
      console.log(await overtaken);`;
    const [opened, saved, overtaken] = (await printedBy(program(work))).split('\n');
    expect(opened).toBe('1,2 3 destroyed');
    expect(saved).toBe('3,4 30,40');
    expect(overtaken).toContain('not finished');
  });

  it('is one library whatever the entry point', async () => {
    const program = `
      import { InvalidInputError, mix, Wgsl } from 'hashnest';
      import * as scheme from 'hashnest/scheme';
      console.log(scheme.InvalidInputError === InvalidInputError, scheme.mix === mix, scheme.multiplyHigh instanceof Wgsl);`;
    expect(await printedBy(program)).toBe('true true true\n');
  });
});
