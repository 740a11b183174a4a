import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { resultOf, runCli, startScript } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

describe.concurrent('a signal in the middle of work on the GPU', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends with %i', async (signal, expected) => {
    const child = await startScript('test/cli/busySelftest.ts', ['selftest', '--only', 'case', '--software']);
    const result = resultOf(child);
    child.stdout?.on('data', (chunk) => {
      if (String(chunk).includes('at work')) child.kill(signal);
    });
    const { code, stderr } = await result;
    expect(code).toBe(expected);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});

describe.concurrent('an output that cannot be written is one line on standard error and exit code 1', () => {
  const full = '/dev/full';

  it.runIf(existsSync(full)).each([['--help'], ['info', '--software', '--json', '-']])(
    '%s to a full disk',
    async (...args) => {
      const output = openSync(full, 'w');
      const { code, stderr } = await resultOf(await startScript('cli/main.ts', args, output));
      closeSync(output);
      expect(stderr).toMatch(/^error: standard output cannot be written: ENOSPC.*$/m);
      expect(stderr).not.toMatch(/^ {4}at /m);
      expect(code).toBe(1);
    },
  );

  it.runIf(existsSync(full))('a file on a full disk', async () => {
    const { code, stderr } = await runCli('info', '--software', '--json', full);
    expect(stderr).toMatch(/^error: '\/dev\/full' cannot be written: ENOSPC.*\n$/);
    expect(code).toBe(1);
  });

  it('a reader that has gone', async () => {
    const child = await startScript('cli/main.ts', ['--help']);
    child.stdout?.destroy();
    const { code, stderr } = await resultOf(child);
    expect(stderr).toMatch(/^error: standard output cannot be written: .*EPIPE.*\n$/);
    expect(code).toBe(1);
  });
});
