import { describe, expect, it, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

describe('info', () => {
  it('describes the GPU in words', async () => {
    const { code, stdout, stderr } = await runCli('info', '--software');
    expect(stderr).toBe('');
    expect(stdout).toMatch(new RegExp(`^hashnest +${packageJson.version.replaceAll('.', '\\.')}$`, 'm'));
    expect(stdout).toMatch(/^GPU +software/m);
    expect(stdout).toMatch(/^maxStorageBufferBindingSize +[\d,]+$/m);
    expect(code).toBe(0);
  });

  it('describes it as JSON', async () => {
    const { code, stdout } = await runCli('info', '--software', '--json', '-');
    expect(JSON.parse(stdout)).toMatchObject({
      version: packageJson.version,
      adapter: { vendor: expect.any(String), description: expect.any(String), software: true },
      features: expect.arrayContaining([expect.any(String)]),
      limits: { maxBufferSize: expect.any(Number), maxComputeInvocationsPerWorkgroup: expect.any(Number) },
    });
    expect(code).toBe(0);
  });
});
