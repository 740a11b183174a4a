import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { BenchRecord } from '../../bench/benchmark.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { inFull } from '../inFull.ts';
import { refuseHere, runCli, runScript } from './runCli.ts';

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

describe('bench host', () => {
  it('measures whole calls and checks what they answer', async () => {
    const options = '--parts small,large,frames --items 3000 --calls 4 --repeat 2 --software --json -';
    const { code, stdout, stderr } = await runCli('bench', 'host', ...options.split(' '));
    const records: { what: string; items: number; unit: string; calls: number; max: number; min: number }[] =
      JSON.parse(stdout);
    expect(records.map(({ what, items, calls }) => [what, items, calls])).toEqual([
      ['get', 1, 4],
      ['get, after 4 calls', 1, 4],
      ['get', 1000, 4],
      ['get, after 4 calls', 1000, 4],
      ['from', 1000, 1],
      ['from, after 1 calls', 1000, 1],
      ['from', 3000, 2],
      ['get', 3000, 2],
      ['get into', 3000, 2],
      ['toBytes', 3000, 2],
      ['fromBytes', 3000, 2],
      ['encodeRebuild of a MultiMap: buffers', 1000, 18],
      ['encodeRebuild of a MultiMap: bind groups', 1000, 18],
    ]);
    for (const record of records) {
      expect(record).toMatchObject({ correct: true, software: true, adapter: expect.any(String) });
      if (record.unit === 'ms') expect(record.min).toBeGreaterThan(0);
      else expect(record.max).toBe(0);
    }
    expect(stderr).toMatch(/^call +items +driver cache +median/m);
    expect(code).toBe(0);
  });

  it('compares a Map with whole calls and with the GPU', async () => {
    const options = '--parts map --sizes 10,300 --calls 4 --repeat 2 --software --json -';
    const { code, stdout, stderr } = await runCli('bench', 'host', ...options.split(' '));
    const records: { what: string; items: number; calls: number; min: number; correct: boolean }[] = JSON.parse(stdout);
    const calls = ['Map: set', 'Map: get', 'HashMap: from', 'HashMap: get', 'GPU: encodeRebuild', 'GPU: encodeGet'];
    expect(records.map(({ what, items }) => [what, items])).toEqual(
      [10, 300].flatMap((items) => calls.map((what) => [what, items])),
    );
    for (const { what, calls } of records) expect(calls).toBeGreaterThanOrEqual(what.startsWith('GPU') ? 2 : 3);
    expect(records.every(({ correct, min }) => correct && min > 0)).toBe(true);
    expect(stderr).toMatch(/^build and get: a Map loses to whole calls of a HashMap (at none|from)/m);
    expect(code).toBe(0);
  });

  const firstCalls = ['from', 'get', 'from of another size class', 'MultiMap', 'KeyIndex', 'from of strings'].map(
    (call) => `first ${call}`,
  );

  it('measures the first calls of a process', async () => {
    const { code, stdout } = await runCli('bench', 'host', '--first-calls', 'plain', '--software', '--json', '-');
    const records: { what: string; correct: boolean }[] = JSON.parse(stdout);
    expect(records.map(({ what, correct }) => [what, correct])).toEqual(firstCalls.map((call) => [call, true]));
    expect(code).toBe(0);
  });

  it.runIf(inFull)('measures the first calls of processes of their own', async () => {
    const { code, stdout } = await runCli('bench', 'host', '--parts', 'first', '--software', '--json', '-');
    const records: { what: string; cache: string; correct: boolean }[] = JSON.parse(stdout);
    const named = (cache: string) => records.filter((record) => record.cache === cache).map(({ what }) => what);
    const wanted = [...firstCalls, 'prepare', 'first from, prepared', 'first get, prepared'];
    expect(named('cold')).toEqual(wanted);
    expect(named('warm')).toEqual(wanted);
    expect(records.every(({ correct }) => correct)).toBe(true);
    expect(code).toBe(0);
  });

  it.each([
    [['--parts', 'third'], /third/],
    [['--calls', '0'], /0/],
    [['--sizes', '0'], /'0' is no number of items/],
    [['--loads', '5'], /unknown option '--loads'/],
  ])('refuses %j', async (options, message) => {
    const { code, stderr } = await refuseHere('bench', 'host', ...options);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});

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

describe('stats', () => {
  it("counts probes as the dissertation's Table 3.2 does", async () => {
    const names = ['linearProbing', 'quadraticProbing', 'doubleHashing'];
    const { code, stdout, stderr } = await runCli(
      'stats',
      '--items',
      '20000',
      '--slots',
      '1.25,2',
      '--schemes',
      names.join(),
      '--json',
      '-',
    );
    const records = JSON.parse(stdout);
    expect(records).toHaveLength(2 * 2 * names.length);
    const average = (scheme: string, slots: number, queries: string): number =>
      records.find(
        (record: { scheme: string; slots: number; queries: string }) =>
          record.scheme === scheme && record.slots === slots && record.queries === queries,
      ).average;
    // What 10,000,000 items gave there; 20,000 come near it.
    expect(average('linearProbing', 2, 'present')).toBeCloseTo(1.5, 1);
    expect(average('quadraticProbing', 1.25, 'present') / 2.13).toBeCloseTo(1, 1);
    expect(average('doubleHashing', 1.25, 'absent') / 5.06).toBeCloseTo(1, 1);
    expect(records[0]).toMatchObject({ items: 20000, capacitySlots: 25000, searches: 20000, within: { 50: 1 } });
    expect(stderr).toMatch(/^queries failed +scheme +key +slots +avg +50% +80% +90% +99% +100%$/m);
    expect(code).toBe(0);
  });
});

describe('reproduce', () => {
  it('counts builds of cuckoo that need the stash; without one they fail', async () => {
    const options = '--functions 2,4 --slots least,1.25 --items 1000 --builds 100 --stash 0';
    const { code, stdout, stderr } = await runCli('reproduce', 'cuckoo-failures', ...options.split(' '), '--json', '-');
    // Two functions cannot do 1.25 slots an item.
    const records = JSON.parse(stdout);
    expect(records).toMatchObject([
      { functions: 2, slots: expect.closeTo(2.1, 1), capacitySlots: 2097 },
      { functions: 4, slots: expect.closeTo(1.03, 2), capacitySlots: 1030 },
      { functions: 4, slots: 1.25, capacitySlots: 1250, needed: 0, most: 0 },
    ]);
    for (const record of records) {
      expect(record).toMatchObject({ figure: 'cuckoo-failures', items: 1000, builds: 100, stashSlots: 0, seed: 1 });
      expect(record.failed).toBe(record.needed);
      expect(record.longest).toBeGreaterThan(0);
    }
    // For about one build in fifteen there is no arrangement with two functions.
    expect(records[0].failed).toBeGreaterThan(0);
    expect(stderr).toMatch(/^functions +slots +items +builds +limit +longest +need the stash +most items/m);
    expect(code).toBe(0);
  });

  it('counts rounds and restarts of twoLevelCuckoo', async () => {
    const options = '--items 3000,20000 --builds 12 --capacity 512';
    const { code, stdout, stderr } = await runCli(
      'reproduce',
      'two-level-restarts',
      ...options.split(' '),
      '--json',
      '-',
    );
    const records = JSON.parse(stdout);
    expect(records).toMatchObject([
      { items: 3000, buckets: 8, bucketsBuilt: 12 * 8 },
      { items: 20000, buckets: 49, bucketsBuilt: 12 * 49 },
    ]);
    for (const record of records) {
      expect(record).toMatchObject({
        figure: 'two-level-restarts',
        capacity: 512,
        builds: 12,
        begunAgain: 0,
        gaveUp: 0,
      });
    }
    // The papers have 5.5 on average.
    expect(records[1].rounds / records[1].bucketsBuilt).toBeGreaterThan(4.5);
    expect(records[1].rounds / records[1].bucketsBuilt).toBeLessThan(6.5);
    expect(stderr).toMatch(/^bucket +items +builds +phase one begun again +phase two given up +rounds a bucket/m);
    expect(code).toBe(0);
  });

  it('measures the table of Due et al. beside what the paper has', async () => {
    const options = '--items 300 --schemes linearProbing,sortedArray --repeat 1';
    const { code, stdout, stderr } = await runCli('reproduce', 'due-table-1', ...options.split(' '), '--json', '-');
    const records = JSON.parse(stdout);
    expect(records).toHaveLength(2 * 2 * 3);
    for (const record of records) {
      expect(record).toMatchObject({ collection: 'map', items: 300, duplicates: 'unique', correct: true });
    }
    expect(records.map(({ op }: { op: string }) => op).slice(0, 3)).toEqual(['build', 'hit', 'has']);
    expect(stderr).toMatch(/^implementation +u64 build +u64 get +u64 has +utf8 build +utf8 get +utf8 has/m);
    expect(stderr).toMatch(/^sortedArray( +[\d.]+){6} +not comparable: Futhark, binary search$/m);
    expect(stderr).toMatch(/^cuCollections \(A100\) +2\.70 +1\.10 +0\.90 +2\.70 +1\.30 +1\.20$/m);
    expect(code).toBe(0);
  });
});
