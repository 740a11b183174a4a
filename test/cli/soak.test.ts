import { describe, expect, it, vi } from 'vitest';
import { runCli, runScript } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

describe('soak', () => {
  it('runs histories until the time is up', async () => {
    const { code, stdout, stderr } = await runCli('soak', '--minutes', '0.0001', '--seed', '9', '--json', '-');
    expect(JSON.parse(stdout)).toEqual({
      seed: 9,
      histories: 1,
      steps: expect.any(Number),
      answers: expect.any(Number),
      mostBytes: expect.any(Number),
    });
    expect(stderr).toMatch(/^all right: 1 histories, \d+ calls, \d+ answers/m);
    expect(code).toBe(0);
  });

  it('names the seed and the shortest history of what goes wrong, and exits with 1', async () => {
    const { code, stdout, stderr } = await runScript(
      'test/cli/failingSoak.ts',
      'soak',
      '--minutes',
      '1',
      '--seed',
      '4294967295',
      '--json',
      '-',
    );
    const { seed, history, error } = JSON.parse(stdout);
    expect(history).toHaveLength(1);
    expect(error).toContain(`seed ${seed}: step 0: planted\nawait `);
    expect(stderr).toContain(`wrong: ${error}`);
    expect(stderr).toMatch(/^error: the history of seed \d+ goes wrong, as above: --seed \d+ repeats it$/m);
    expect(code).toBe(1);
  });
});
