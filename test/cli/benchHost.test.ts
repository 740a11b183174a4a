import { describe, expect, it, vi } from 'vitest';
import { inFull } from '../inFull.ts';
import { refuseHere, runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

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
