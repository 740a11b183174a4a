import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { BenchRecord } from '../../bench/benchmark.ts';
import { runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

describe('bench', () => {
  it('writes a record for every operation, and nothing else, to standard output', async () => {
    const options = '--schemes doubleHashing,sortedArray --keys u32,u64 --sizes 1000 --loads 0.5,0.8 --repeat 2';
    const { code, stdout, stderr } = await runCli('bench', ...options.split(' '), '--json', '-');
    const records = JSON.parse(stdout);
    // Two key types, three operations, two loads of one scheme and none of the other.
    expect(records).toHaveLength(2 * 3 * (2 + 1));
    for (const record of records) {
      expect(record).toMatchObject({
        key: expect.stringMatching(/^u(32|64)$/),
        items: 1000,
        op: expect.stringMatching(/^(build|hit|miss)$/),
        correct: true,
        adapter: expect.any(String),
        timer: 'timestamp',
        timestampsQuantised: false,
        repeat: 2,
      });
      expect(record.minMs).toBeGreaterThan(0);
      expect(record.medianMs).toBeGreaterThanOrEqual(record.minMs);
      expect(record.itemsPerSecond).toBeCloseTo(1000 / (record.medianMs / 1000), 3);
    }
    const of = (scheme: string) => records.filter((record: { scheme: string }) => record.scheme === scheme);
    expect(new Set(of('doubleHashing').map((record: { loadFactor: number }) => record.loadFactor))).toEqual(
      new Set([0.5, 0.8]),
    );
    expect(of('sortedArray')[0]).toMatchObject({ loadFactor: 1, tableBytes: 8000 });
    expect(stderr).toContain('GPU: ');
    expect(code).toBe(0);
  });

  it('measures strings, membership and values of two words', async () => {
    const options = '--schemes linearProbing --keys utf8 --values u64 --ops hit,has --sizes 500 --loads 0.5 --repeat 1';
    const { code, stdout } = await runCli('bench', ...options.split(' '), '--json', '-');
    const common = { key: 'utf8', value: 'u64', items: 500, correct: true };
    expect(JSON.parse(stdout)).toMatchObject([
      { ...common, op: 'hit' },
      { ...common, op: 'has' },
    ]);
    expect(code).toBe(0);
  });

  it('takes options of schemes, shares of absent keys, orders of queries and copies as axes', async () => {
    const options =
      '--schemes cuckoo(functions=3),sortedArray --collections map,multiMap --duplicates last --copies 1,8 --sizes 1,300 --loads 0.8 --ops build --absent 0,0.5 --queries shuffled,sorted --hold 0 --repeat 1';
    const { code, stdout, stderr } = await runCli('bench', ...options.split(' '), '--json', '-');
    const records: BenchRecord[] = JSON.parse(stdout);
    // Two sizes, two numbers of copies, two schemes, two collections; a build, and two searches in two orders.
    expect(records).toHaveLength(2 * 2 * 2 * 2 * (1 + 2 * 2));
    expect(records.every(({ correct, holdMs }) => correct && holdMs === 0)).toBe(true);
    const ops = (record: BenchRecord) => [record.op, record.absent, record.queries];
    expect(records.slice(0, 5).map(ops)).toEqual([
      ['build', undefined, undefined],
      ['hit', undefined, 'shuffled'],
      ['hit', undefined, 'sorted'],
      ['mixed', 0.5, 'shuffled'],
      ['mixed', 0.5, 'sorted'],
    ]);
    expect(new Set(records.map(({ scheme, options }) => `${scheme} ${JSON.stringify(options)}`))).toEqual(
      new Set(['cuckoo {"functions":3}', 'sortedArray undefined']),
    );
    expect(new Set(records.filter(({ items }) => items === 300).map(({ copies }) => copies))).toEqual(new Set([1, 8]));
    expect(stderr).toMatch(/^cuckoo\(functions=3\) .* mixed 0\.5 sorted /m);
    expect(code).toBe(0);
  });

  it('says what does not fit, and exits with 1', async () => {
    const { code, stdout, stderr } = await runCli('bench', '--sizes', '2000000000', '--json', '-');
    expect(stderr).toMatch(/^error: .*2000000000 u32 keys are more than a binding of this device holds/m);
    expect(JSON.parse(stdout)).toEqual([]);
    expect(code).toBe(1);
  });
});

describe('bench grid and choose', () => {
  it('measure every scheme over loads and shares, and refuse to choose by a software GPU', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hashnest-cli-'));
    const file = join(folder, 'grid.json');
    const options = ['--sizes', '100', '--loads', '0.8,0.99', '--repeat', '1', '--software', '--json', file];
    const { code, stdout } = await runCli('bench', 'grid', ...options);
    const records: BenchRecord[] = JSON.parse(readFileSync(file, 'utf8'));
    const tables = records.filter(({ op }) => op === 'build');
    const countOf = (name: string) => tables.filter(({ scheme }) => scheme === name).length;
    // Linear probing and one-slot cuckoo hashing have no load of 0.99.
    expect(stdout).toContain('skipped: cuckoo map u32 100 at 0.99');
    expect(['linearProbing', 'cuckoo', 'robinHood', 'chaining'].map(countOf)).toEqual([1, 1, 2, 3]);
    expect(new Set(tables.map(({ scheme }) => scheme)).size).toBe(11);
    expect(records.map(({ op }) => op).slice(0, 4)).toEqual(['build', 'hit', 'mixed', 'miss']);
    expect(records).toHaveLength(4 * tables.length);
    expect(code).toBe(0);
    const chosen = await runCli('choose', file);
    expect(chosen.stderr).toContain('has no right answers of a real GPU for maps of u32');
    expect(chosen.code).toBe(1);
    // The same measurements as those of a real one.
    writeFileSync(file, JSON.stringify(records.map((record) => ({ ...record, software: false }))));
    const document = join(folder, 'choosing.md');
    writeFileSync(document, readFileSync('docs/choosing.md'));
    expect(await runCli('choose', file, '--into', document)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(document, 'utf8')).toMatch(/^\| 16\.0 \(load 0\.50\) \| \*\*`/m);
    rmSync(folder, { recursive: true });
  });
});
