import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { refuseHere, runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

describe('a wrong command line is one line on standard error and exit code 2', () => {
  it('to whoever started it', async () => {
    const { code, stdout, stderr } = await runCli('bench', '--sizes', 'ten');
    expect(stderr).toMatch(/^error: .*'ten' is no number of items.*\n$/);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it.each([
    [['bench', '--schemes', 'linearProbing,nope'], "'nope' is no scheme: choose from linearProbing, "],
    [['bench', '--schemes', 'cuckoo(function=3)'], 'options have no function; did you mean functions?'],
    [['bench', '--schemes', 'cuckoo(functions=6)'], 'cuckoo: functions must be 2, 3, 4 or 5, not 6'],
    [['bench', '--schemes', 'cuckoo(functions=2),sortedArray'], 'cuckoo: '],
    [['bench', '--schemes', 'cuckoo(functions=3'], "'cuckoo(functions=3' is no scheme: choose from "],
    [['bench', '--schemes', 'chaining(hash=mix)'], 'the hash family is that of all schemes: --hash'],
    [['bench', '--absent', '0.5,2'], "'2' is no share of absent keys: from 0 to 1"],
    [['bench', '--queries', 'random'], "'random' is no order of queries: choose from shuffled, sorted"],
    [['bench', '--queries', 'sorted', '--keys', 'u32,u64'], 'sorted queries are for u32 keys, not for u64 keys'],
    [['bench', '--copies', '1,0'], "'0' is no number of copies"],
    [['bench', '--hold', 'long'], "'long' is no number of milliseconds"],
    [['bench', 'grid', '--load', '0.5'], "unknown option '--load' (Did you mean --loads?)"],
    [['choose'], "missing required argument 'grids'"],
    [['choose', 'grid.json', '--into', '/no/such/folder/x.md'], "'/no/such/folder/x.md' cannot be written"],
    [['bench', '--sizes', 'ten'], "'ten' is no number of items"],
    [['bench', '--sizes', '1000,'], "'' is no number of items"],
    [['bench', '--loads', '0.5,2.5'], "'2.5' is no load factor: above 0 and at most 2"],
    [['bench', '--schemes', 'linearProbing', '--loads', '1.4'], 'loadFactor must be above 0 and at most 1, not 1.4'],
    [
      ['bench', '--schemes', 'bucketCuckoo', '--loads', '1.4', '--sizes', '10000000'],
      'bucketCuckoo: loadFactor must be above 0 and at most 1.148 for 10000000 items, not 1.4',
    ],
    [['bench', '--ops', 'dig'], "'dig' is no operation: choose from build, hit, miss, has"],
    [['bench', '--keys', 'u64', '--hash', 'polynomial32'], "'polynomial32' cannot hash u64 keys"],
    [['bench', '--keys', 'u32,u128'], "'u128' is no key type: choose from u32, i32, f32, u64, "],
    [['bench', '--values', 'f64'], "'f64' is no value type: choose from u32, u64"],
    [['bench', '--json', '/no/such/folder/x.json'], "'/no/such/folder/x.json' cannot be written"],
    [['compare', 'before.json'], "missing required argument 'after'"],
    [['beside', '--only', 'sort'], "'sort' is no task: choose from join, group, neighbours, weld"],
    [['beside', '--data', 'u32'], "'u32' is no kind of data: choose from scattered u32, strings, dense u32, particles"],
    [['beside', '--without', 'numpy'], "'numpy' is no contestant: choose from hashnest, luma, duckdb, "],
    [['beside', '--seconds', 'ten'], "'ten' is no number of seconds: from 0 to 10000"],
    [['soak', '--minutes', '0'], "'0' is no number of minutes: above 0"],
    [['soak', '--minute', '1'], "unknown option '--minute' (Did you mean --minutes?)\n"],
    [['stats', '--slots', '0.9'], "'0.9' is no number of slots per item"],
    [['reproduce', 'everything'], "unknown command 'everything'"],
    [
      ['reproduce', 'cuckoo-failures', '--functions', '3,6'],
      "'6' is no number of hash functions: a whole number from 2",
    ],
    [['reproduce', 'cuckoo-failures', '--slots', 'most'], "'most' is no number of slots per item"],
    [['reproduce', 'cuckoo-failures', '--slots', '1.25', '--functions', '2'], '1.25 slots per item are too few for 2'],
    [['reproduce', 'cuckoo-failures', '--items', '2e9', '--functions', '2'], 'slots are more than the 2147483648'],
    [['reproduce', 'cuckoo-failures', '--stash', '70000'], "'70000' is no number of slots of a stash"],
    [['reproduce', 'two-level-restarts', '--capacity', '500'], "'500' is no capacity of a bucket: choose from 512, "],
    [['reproduce', 'two-level-restarts', '--builds', '0'], "'0' is no number of builds"],
    [['reproduce', 'two-level-restarts', '--functions', '4'], "unknown option '--functions'"],
    [['reproduce', 'li-figure-7', '--subtables', '9'], "'9' is no number of subtables"],
    [['reproduce', 'li-figure-8', '--schemes', 'rebuild'], "'rebuild' is no table: choose from dyCuckoo, "],
    [['reproduce', 'li-figure-10', '--sets', 'TX'], "'TX' is no data set: choose from TW, RE, LINE, COM, RAND"],
    [['image', 'make'], "missing required argument 'out'"],
    [['image', 'make', '/no/such/folder/x.png'], "'/no/such/folder/x.png' cannot be written"],
    [['image', 'make', 'x.png', '--kind', 'cats'], "'cats' is no kind of picture: choose from text, lines, shapes, "],
    [['image', 'make', 'x.png', '--size', '0'], "'0' is no number of pixels"],
    [['image', 'make', 'x.png', '--size', '1x2x3'], "'1x2x3' is no size of a picture"],
    [['image', 'make', 'x.png', '--size', '40000'], "'40000' is more than 268435456 pixels"],
    [['image', 'make', 'x.png', '--paper', 'cat'], "'cat' is no picture of the paper: choose from test1, fish, "],
    [['image', 'pack', 'x.png'], "missing required argument 'out'"],
    [['image', 'pack', 'x.png', 'y', '--load', '2'], "'2' is no load factor"],
    [['image', 'pack', 'x.png', 'y', '--background', 'blue'], "'blue' is no colour: auto, white, transparent, #rrggbb"],
    [['image', 'pack', 'x.png', 'y', 'z'], "too many arguments for 'pack'"],
    [['image', 'slice', 'x.png', '--side', '2000'], "'2000' is no number of voxels"],
    [['selftest', '--only', 'nothing at all'], "no test has 'nothing at all' in its name"],
    [['info', '--wat'], "unknown option '--wat'\n"],
    [['info', '--sofware'], "unknown option '--sofware' (Did you mean --software?)\n"],
    [['bench', '--scheme', 'cuckoo'], "unknown option '--scheme' (Did you mean --schemes?)\n"],
    [['dance'], "unknown command 'dance'\n"],
    [['bench', 'gird'], "unknown command 'gird' (Did you mean grid?)\n"],
    [['selftset'], "unknown command 'selftset' (Did you mean selftest?)\n"],
    [['reproduce', 'cuckoo-failure'], "unknown command 'cuckoo-failure' (Did you mean cuckoo-failures?)\n"],
    [['reproduce', 'due-table-1', '--item', '5'], "unknown option '--item' (Did you mean --items?)\n"],
    [['demo', 'now'], "too many arguments for 'demo'"],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await refuseHere(...args);
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
    for (const command of [
      'demo',
      'info',
      'selftest',
      'soak',
      'bench',
      'beside',
      'choose',
      'stats',
      'profile',
      'reproduce',
    ]) {
      expect(program.stdout).toContain(command);
    }
    expect(bench.code).toBe(0);
    for (const option of ['--schemes', '--keys', '--sizes', '--loads', '--ops', '--repeat', '--json', '--software']) {
      expect(bench.stdout).toContain(option);
    }
    expect(nothing).toMatchObject({ code: 2, stdout: '', stderr: program.stdout });
  });

  it('shows the figures that can be reproduced', async () => {
    const [help, nothing] = await Promise.all([runCli('reproduce', '--help'), runCli('reproduce')]);
    for (const figure of ['cuckoo-failures', 'two-level-restarts', 'due-table-1', 'li-figure-5', 'li-table-4'])
      expect(help.stdout).toContain(figure);
    expect(help.code).toBe(0);
    expect(nothing).toMatchObject({ code: 2, stdout: '', stderr: help.stdout });
  });

  it('refuses a folder as the file of results', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hashnest-cli-'));
    const { code, stderr } = await runCli('info', '--json', folder);
    expect(stderr).toContain('cannot be written');
    expect(code).toBe(2);
    rmSync(folder, { recursive: true });
  });
});
