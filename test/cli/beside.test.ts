import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

describe('beside', () => {
  it('measures all contestants that it finds, in JSON and as a table', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hashnest-cli-'));
    const file = join(folder, 'beside.json');
    const options = '--only join,weld --without duckdb,hashnest --sizes 700 --repeat 2';
    const { code, stdout } = await runCli('beside', ...options.split(' '), '--json', file);
    expect(stdout).toContain('left out: luma.gl: it has u32 keys only');
    expect(stdout).toMatch(/^task +data +n +contestant +clock +median ms +min ms +runs +parts +correct$/m);
    expect(stdout).not.toContain('DuckDB');
    const of = (task: string, data: string, ...names: string[]) =>
      names.map((contestant) => ({
        task,
        data,
        size: 700,
        contestant,
        runs: 2,
        wrong: 0,
        adapter: expect.any(String),
      }));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject([
      ...of('join', 'scattered u32', 'luma.gl', 'luma.gl, on the GPU', 'Arquero', 'JavaScript Map'),
      ...of('join', 'strings', 'Arquero', 'JavaScript Map'),
      ...of('weld', 'triangles', 'three.js'),
    ]);
    expect(code).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
