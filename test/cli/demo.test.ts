import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

describe('demo', () => {
  it('builds tables and collections, checks them and shows how they compare', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hashnest-cli-'));
    const file = join(folder, 'demo.json');
    const { code, stdout, stderr } = await runCli(
      'demo',
      '--schemes',
      'linearProbing,perfectSpatial',
      '--items',
      '300',
      '--json',
      file,
    );
    expect(stderr).toContain('linearProbing: 4 tables, all answers correct');
    expect(stdout).toContain('GPU: ');
    expect(stdout).toMatch(
      /^scheme +holds +key +items +load +bytes +bytes\/key +probes present +probes absent +build/m,
    );
    const rows = stdout.split('\n').filter((line) => / (yes|NO)$/.test(line));
    const beginnings = rows.map((line) => line.split(/ +/).slice(0, 3).join(' '));
    expect(beginnings.slice(0, 6)).toEqual([
      'linearProbing map u32',
      'linearProbing set u32',
      'linearProbing map u64',
      'linearProbing set u64',
      'perfectSpatial map vec3i',
      'perfectSpatial set vec3i',
    ]);
    expect(stdout).toMatch(/^collection +key +value +items +keys +bytes +build +hits +misses +correct$/m);
    const ofKey = (key: string) =>
      ['HashMap', 'HashSet', 'KeyIndex', 'MultiMap', 'Aggregate'].map((c) => `${c} ${key}`);
    expect(rows.slice(6).map((line) => line.split(/ +/).slice(0, 2).join(' '))).toEqual([
      ...ofKey('u32'),
      ...ofKey('utf8'),
    ]);
    for (const row of rows) expect(row).toMatch(/ yes$/);

    const records = JSON.parse(readFileSync(file, 'utf8'));
    expect(records).toHaveLength(6 + 10);
    const numbers = {
      averageProbes: { present: expect.any(Number), absent: expect.any(Number) },
      rates: { build: expect.any(Number), hit: expect.any(Number), miss: expect.any(Number) },
    };
    const common = { ...numbers, items: 300, correct: true };
    expect(records[0]).toMatchObject({
      ...common,
      scheme: 'linearProbing',
      collection: 'map',
      key: 'u32',
      keys: 297,
      answers: 2 * (297 + 300),
    });
    expect(records[6 + 5]).toMatchObject({
      ...common,
      scheme: 'bucketCuckoo',
      collection: 'map',
      key: 'utf8',
      value: 'vec4f',
      keys: 75,
    });
    const answers = 6 * 2 * (297 + 300) + 10 * 2 * (75 + 300);
    expect(stdout).toContain(`all correct: ${answers.toLocaleString('en-US')} answers agree with plain JavaScript`);
    expect(code).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
