import { describe, expect, it, vi } from 'vitest';
import { runCli } from './runCli.ts';

// Other processes may have the cores; a process of its own also has to start.
vi.setConfig({ testTimeout: 180_000 });

/** One run of a figure: its records, and what it says. */
async function reproduce(figure: string, options: string) {
  const { code, stdout, stderr } = await runCli(
    'reproduce',
    figure,
    ...options.split(' '),
    '--software',
    '--json',
    '-',
  );
  expect(code, stderr).toBe(0);
  const records: Record<string, unknown>[] = JSON.parse(stdout);
  for (const record of records) expect(record).toMatchObject({ figure, wrong: 0, adapter: expect.any(String) });
  return { records, said: stderr };
}

describe('figures of Li et al.', () => {
  it('show atomics that conflict', async () => {
    const { records, said } = await reproduce('li-figure-5', '--operations 1000 --conflicts 1,100 --repeat 1');
    expect(records).toHaveLength(2 * 3);
    expect(said).toMatch(/^conflicts +compare-exchange +exchange +read$/m);
  });

  const tiny = '--sets COM --scale 0.0002 --repeat 1';
  it.each([
    ['li-figure-7', `${tiny} --subtables 5`, 1, /^set +scheme +d +pairs +unique +theta +filled +inserts M\/s/m],
    ['li-figure-8', `${tiny} --schemes slab,linearProbing --unique`, 2, /Libcuckoo on a CPU: 25 M\/s and 46 M\/s/],
    ['li-figure-9', '--scale 0.00001 --repeat 1 --schemes slab --theta 0.7,0.9', 2, /^RAND +slab .* 70\.0% /m],
    ['li-table-3', `${tiny} --schemes dyCuckoo`, 1, /^DyCuckoo \(paper\) +1\.14$/m],
  ])('show static tables: %s', async (figure, options, lines, words) => {
    const { records, said } = await reproduce(figure, options);
    expect(records).toHaveLength(lines);
    for (const record of records)
      expect(record).toMatchObject({ filled: expect.any(Number), timer: expect.any(String) });
    expect(said).toMatch(words);
  });

  const small = '--sets COM --scale 0.0001 --batch 500 --schemes';
  it.each([
    ['li-figure-10', `${small} slab`, 5, /^COM +slab +r 0\.5 +1,000 +500 /m],
    ['li-figure-11', `${small} slab --runs 2`, 1, /^COM +slab +2 .* 0\.0% /m],
    ['li-figure-12', `${small} slab`, 5, /^COM +slab +batch 2e5 +1,000 +100 /m],
    ['li-figure-13', `${small} dyCuckoo`, 5, /^COM +dyCuckoo +alpha 0\.35 +1,000 /m],
    ['li-figure-14', `${small} dyCuckoo --unique`, 5, /^COM +dyCuckoo +beta 0\.9 +458 /m],
    [
      'li-table-4',
      '--scale 0.00001 --batch 500 --schemes rebuild',
      5,
      /^DyCuckoo \(Titan V\) +1085 +1086 +1074 +1076 +1082$/m,
    ],
  ])('show the dynamic workload: %s', async (figure, options, lines, words) => {
    const { records, said } = await reproduce(figure, options);
    expect(records).toHaveLength(lines);
    for (const { trace } of records) expect((trace as { size: number }[]).at(-1)?.size).toBe(0);
    expect(said).toMatch(words);
  });
});
