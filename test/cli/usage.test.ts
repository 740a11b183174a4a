import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

describe.concurrent('a wrong command line is one line on standard error and exit code 2', () => {
  it.each([
    [['bench', '--schemes', 'linearProbing,nope'], "'nope' is no scheme: choose from linearProbing, "],
    [['bench', '--sizes', 'ten'], "'ten' is no number of items"],
    [['bench', '--sizes', '1000,'], "'' is no number of items"],
    [['bench', '--loads', '0.5,1.5'], "'1.5' is no load factor: above 0 and at most 1"],
    [['bench', '--ops', 'dig'], "'dig' is no operation: choose from build, hit, miss"],
    [['bench', '--keys', 'u64', '--hash', 'polynomial32'], "'polynomial32' cannot hash u64 keys"],
    [['bench', '--json', '/no/such/folder/x.json'], "'/no/such/folder/x.json' cannot be written"],
    [['stats', '--slots', '0.9'], "'0.9' is no number of slots per item"],
    [['selftest', '--only', 'nothing at all'], "no test has 'nothing at all' in its name"],
    [['info', '--wat'], "unknown option '--wat'"],
    [['dance'], "unknown command 'dance'"],
    [['demo', 'now'], "too many arguments for 'demo'"],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await runCli(...args);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/^error: /);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

describe.concurrent('hashnest', () => {
  it('tells its version', async () => {
    expect(await runCli('--version')).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  });

  it('shows its commands, and the options of each', async () => {
    const [program, bench, nothing] = await Promise.all([runCli('--help'), runCli('bench', '--help'), runCli()]);
    expect(program.code).toBe(0);
    for (const command of ['demo', 'info', 'selftest', 'bench', 'stats']) expect(program.stdout).toContain(command);
    expect(bench.code).toBe(0);
    for (const option of ['--schemes', '--keys', '--sizes', '--loads', '--ops', '--repeat', '--json', '--software']) {
      expect(bench.stdout).toContain(option);
    }
    expect(nothing).toMatchObject({ code: 2, stdout: '', stderr: program.stdout });
  });

  it('refuses a folder as the file of results', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hashnest-cli-'));
    const { code, stderr } = await runCli('info', '--json', folder);
    expect(stderr).toContain('cannot be written');
    expect(code).toBe(2);
    rmSync(folder, { recursive: true });
  });
});
