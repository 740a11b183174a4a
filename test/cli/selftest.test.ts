import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runCli, runScript } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

describe('selftest', () => {
  it('records what it tried, and skips what does not fit the device', async () => {
    const options = ['--only', 'linearProbing map', '--keys', 'u32,utf8', '--sizes', '500,2000000000', '--json', '-'];
    const { code, stdout, stderr } = await runCli('selftest', ...options);
    const ok = (name: string) => ({ name, correct: true, ms: expect.any(Number) });
    const skipped = (name: string) => ({
      name,
      correct: null,
      ms: expect.any(Number),
      skipped: expect.stringContaining('more than a binding of this device holds'),
    });
    expect(JSON.parse(stdout)).toEqual([
      ok('linearProbing map u32 500'),
      ok('linearProbing map utf8 500'),
      skipped('linearProbing map u32 2000000000'),
      skipped('linearProbing map utf8 2000000000'),
    ]);
    expect(stderr).toContain('2 right, 0 wrong, 2 skipped');
    expect(code).toBe(0);
  });

  it('keeps what it has while it goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hashnest-cli-'));
    const file = join(folder, 'selftest.json');
    // The second case ends the process.
    const { code } = await runScript('test/cli/cutOffSelftest.ts', 'selftest', '--only', 'case', '--json', file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([
      { name: 'case one', correct: true, ms: expect.any(Number) },
    ]);
    expect(code).toBe(9);
    rmSync(folder, { recursive: true });
  });

  it('runs the conformance list', async () => {
    const { code, stdout } = await runCli('selftest', '--short', '--only', 'quadraticProbing i32: a map of any size');
    expect(stdout).toContain('1 right, 0 wrong, 0 skipped');
    expect(code).toBe(0);
  });

  it('names what is wrong, goes on, and exits with 1', async () => {
    const { code, stdout, stderr } = await runScript(
      'test/cli/failingSelftest.ts',
      'selftest',
      '--only',
      'case',
      '--json',
      '-',
    );
    expect(JSON.parse(stdout)).toEqual([
      { name: 'case one', correct: true, ms: expect.any(Number) },
      { name: 'case two', correct: false, ms: expect.any(Number), error: 'one is not two' },
      { name: 'case three', correct: false, ms: expect.any(Number), error: 'far too large' },
      { name: 'case four', correct: false, ms: expect.any(Number), error: 'no end after 0.05 s' },
      { name: 'case five', correct: true, ms: expect.any(Number) },
    ]);
    expect(stderr).toContain('wrong: case two: one is not two\n');
    expect(stderr).toContain('wrong: case four: no end after 0.05 s\n');
    expect(stderr).toContain('2 right, 3 wrong, 0 skipped');
    expect(stderr).toMatch(/^error: 3 of 5 wrong, named above$/m);
    expect(code).toBe(1);
  });
});
