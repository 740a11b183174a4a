import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describe as describeGpu } from '../../../src/gpu/device/info.ts';
import { openInNode } from '../../../src/gpu/device/node.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A program that keeps the software GPU busy and prints one number of the result; `ending` runs while work is in flight. */
const program = (nodeFile: string, ending = '') => `
  import { openInNode } from ${JSON.stringify(nodeFile)};
  const open = async () => (await openInNode({ software: 'only' })).adapter.requestDevice();
  const device = await open();
  const code = \`@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      for (var i = 0; i < 1000; i++) { sums[id.x] += id.x; }
    }\`;
  const gcThoroughly = async () => {
    for (let i = 0; i < 10; i++) { gc(); await new Promise((done) => setTimeout(done, 5)); }
  };
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
  const STORAGE_AND_COPY_SRC = 0x84, MAP_READ_AND_COPY_DST = 9, READ = 1;
  const sums = device.createBuffer({ size: 4 << 16, usage: STORAGE_AND_COPY_SRC });
  const readback = device.createBuffer({ size: 256, usage: MAP_READ_AND_COPY_DST });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: sums } }],
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1024);
  pass.end();
  encoder.copyBufferToBuffer(sums, 0, readback, 0, 256);
  device.queue.submit([encoder.finish()]);
  ${ending}
  await readback.mapAsync(READ);
  console.log(new Uint32Array(readback.getMappedRange())[63]);
`;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runNode(source: string, env: NodeJS.ProcessEnv = {}, cwd = root): Promise<Ended> {
  const loader = join(root, 'node_modules/tsx/dist/loader.mjs');
  const file = join(cwd === root ? tmpdirOfTest : cwd, 'program.mjs');
  writeFileSync(file, source);
  const child = spawn(process.execPath, ['--expose-gc', '--import', loader, file], {
    cwd,
    env: { ...process.env, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout: stdout.trim(), stderr })));
}

let tmpdirOfTest: string;
beforeEach(() => {
  tmpdirOfTest = mkdtempSync(join(tmpdir(), 'hashnest-test-'));
});
afterEach(() => rmSync(tmpdirOfTest, { recursive: true }));

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('openInNode', () => {
  const nodeFile = join(root, 'src/gpu/device/node.ts');

  it('computes on the software GPU, prints nothing else, and lets the process end by itself', async () => {
    expect(await runNode(program(nodeFile))).toEqual({ code: 0, stdout: '63000', stderr: '' });
  });

  it('serves several processes that start at once with an empty cache', async () => {
    const env = { XDG_CACHE_HOME: join(tmpdirOfTest, 'cache') };
    const ended = await Promise.all([1, 2, 3].map(() => runNode(program(nodeFile), env)));
    expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual(Array(3).fill([0, '63000']));
    expect(readdirSync(join(env.XDG_CACHE_HOME, 'hashnest'))).toHaveLength(1);
  });

  it('works without a home folder', async () => {
    const ended = await runNode(program(nodeFile), {
      HOME: '/nonexistent/home',
      XDG_CACHE_HOME: '',
      TMPDIR: tmpdirOfTest,
    });
    expect(ended).toMatchObject({ code: 0, stdout: '63000' });
    expect(readdirSync(tmpdirOfTest)).toContain(`hashnest-${process.getuid?.()}`);
  });

  // Each of these crashed the process when the Dawn instance had been collected.
  it.each([
    ['at the end of the program, with the device forgotten', 'await gcThoroughly();', 0],
    ['by process.exit while work is in flight', 'await gcThoroughly(); process.exit(7);', 7],
    ['by an error while work is in flight', 'await gcThoroughly(); throw new Error();', 1],
    ['after the device was destroyed', 'device.destroy(); await gcThoroughly(); process.exit(8);', 8],
  ])('exits cleanly %s', async (_, ending, code) => {
    expect(await runNode(program(nodeFile, ending))).toMatchObject({ code });
  });

  it('leaves the environment as it was', async () => {
    const { VK_ICD_FILENAMES, VK_DRIVER_FILES } = process.env;
    await Promise.all([openInNode({ software: 'only' }), openInNode({})]);
    expect([process.env.VK_ICD_FILENAMES, process.env.VK_DRIVER_FILES]).toEqual([VK_ICD_FILENAMES, VK_DRIVER_FILES]);
    vi.stubEnv('VK_ICD_FILENAMES', '/of/the/user');
    try {
      await openInNode({ software: 'only' });
      expect(process.env.VK_ICD_FILENAMES).toBe('/of/the/user');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('says that the software GPU is one, and passes toggles on to Dawn', async () => {
    const toggled = await openInNode({
      software: 'only',
      dawnToggles: ['disable-dawn-features=timestamp_quantization'],
    });
    const plain = await openInNode({ software: 'only' });
    expect([toggled, plain].map((found) => describeGpu(found?.adapter.info).software)).toEqual([true, true]);
    const [toggledGpu] = toggled?.keepAlive ?? [];
    expect(toggledGpu).not.toBe(plain?.keepAlive[0]);
    expect(toggled?.keepAlive).toEqual([toggledGpu, toggled?.adapter]);
  });

  it('never gives a software GPU where the caller wants none', async () => {
    expect(describeGpu((await openInNode({ software: 'never' }))?.adapter.info).software).toBe(false);
  });

  it('names the npm package to install when one is missing', async () => {
    cpSync(join(root, 'src/gpu'), join(tmpdirOfTest, 'gpu'), { recursive: true });
    writeFileSync(join(tmpdirOfTest, 'package.json'), '{ "type": "module" }');
    const copy = program(join(tmpdirOfTest, 'gpu/device/node.ts'));
    const bare = await runNode(copy, {}, tmpdirOfTest);
    expect(bare.stderr).toContain('npm install webgpu');

    cpSync(join(root, 'node_modules/webgpu/package.json'), join(tmpdirOfTest, 'node_modules/webgpu/package.json'));
    symlinkSync(join(root, 'node_modules/webgpu/index.js'), join(tmpdirOfTest, 'node_modules/webgpu/index.js'));
    const withDawn = await runNode(copy, {}, tmpdirOfTest);
    expect(withDawn.stderr).toContain('npm install @sparticuz/chromium');
  });
});
