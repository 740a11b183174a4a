import { describe, expect, it, vi } from 'vitest';
import { runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

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
