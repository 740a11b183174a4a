import { describe, expect, it } from 'vitest';
import {
  type BesideRecord,
  type Contestant,
  type ContestOptions,
  contest,
  type Listener,
  type Workload,
} from '../../bench/beside/contest.ts';
import { makeParticles, sumsOf, wrongSums } from '../../bench/beside/neighbours/particles.ts';
import { MissingPackage, optional } from '../../bench/beside/packages.ts';
import { type KeyKind, makeGroups, makeJoin, wrongGroups, wrongPairs } from '../../bench/beside/rows.ts';
import { makeSoup, wrongMesh } from '../../bench/beside/weld/soup.ts';
import { WORKLOADS } from '../../bench/beside/workloads.ts';
import { NO_ROW } from '../../src/relational.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const KINDS: readonly KeyKind[] = ['scattered u32', 'dense u32', 'strings'];
const ONCE: ContestOptions = { repeat: 1, seconds: 20, without: [] };

/** All that a contest tells. */
interface Outcome {
  readonly records: BesideRecord[];
  readonly leftOut: Map<string, string>;
  readonly failed: Map<string, unknown>;
}

async function outcomeOf(compete: (listener: Listener) => Promise<void>): Promise<Outcome> {
  const told: Outcome = { records: [], leftOut: new Map(), failed: new Map() };
  await compete({
    measured: (record) => told.records.push(record),
    leftOut: (contestant, why) => told.leftOut.set(contestant, why),
    failed: (contestant, error) => told.failed.set(contestant, error),
  });
  return told;
}

describe('libraries side by side', () => {
  it.each(WORKLOADS.map((workload) => [`${workload.task} of ${workload.data}`, workload] as const))(
    'all get right answers and leave nothing: %s',
    async (_, workload) => {
      for (const size of [1, 2001]) {
        const { result, live } = await liveBuffers(gpu, () =>
          outcomeOf((listener) => workload.contest(gpu, size, ONCE, listener)),
        );
        const { records, leftOut, failed } = result as Outcome;
        expect([...failed]).toEqual([]);
        expect(records.map(({ contestant, wrong }) => [contestant, wrong])).toEqual(
          records.map(({ contestant }) => [contestant, 0]),
        );
        expect(records.length).toBeGreaterThanOrEqual(2);
        expect(records[0]).toMatchObject({ contestant: 'Hashnest', size, runs: 1, task: workload.task });
        for (const why of leftOut.values()) expect(why).toMatch(/u32 keys only$/);
        expect(live).toEqual([]);
      }
    },
  );

  const sum = (name: string, run: () => Promise<number>): Contestant<number, number> => ({
    name,
    library: 'javascript',
    clock: 'wall',
    prepare: async (_, { gpu, keep }) => {
      keep(gpu.createBuffer('beside/test', 4));
      let answer = 0;
      return {
        run: async () => {
          answer = await run();
          return { first: 1, second: 2 };
        },
        answer: async () => answer,
      };
    },
  });
  const workload: Workload<number, number> = {
    task: 'group',
    data: 'nothing',
    asks: 'the size',
    sizes: [],
    make: (size) => size,
    wrong: (size, answer) => Math.abs(size - answer),
    contestants: [
      { ...sum('choosy', async () => 5), refuses: () => 'it does not like it' },
      sum('absent', () => optional('no-such-package-of-hashnest')),
      sum('failing', () => Promise.reject(new Error('out of luck'))),
      sum('wrong', async () => 3),
      sum('right', async () => 5),
      { ...sum('javascript', async () => 5), library: 'three' },
    ],
  };

  it('notices wrong answers, and goes on when somebody cannot take part', async () => {
    const options = { repeat: 3, seconds: 20, without: ['three'] } as const;
    const { result, live } = await liveBuffers(gpu, () =>
      outcomeOf((listener) => contest(gpu, workload, 5, options, listener)),
    );
    const { records, leftOut, failed } = result as Outcome;
    expect(records).toMatchObject([
      { contestant: 'wrong', wrong: 2, runs: 3 },
      { contestant: 'right', wrong: 0, medianMs: 3, minMs: 3, maxMs: 3, parts: { first: 1, second: 2 } },
    ]);
    expect(leftOut.get('choosy')).toBe('it does not like it');
    expect(leftOut.get('absent')).toContain('npm install --no-save no-such-package-of-hashnest');
    expect([...failed.keys()]).toEqual(['failing']);
    expect(live).toEqual([]);
  });

  it('measures once at least, however short the time is', async () => {
    const { records } = await outcomeOf((listener) =>
      contest(gpu, workload, 5, { ...ONCE, repeat: 9, seconds: 0 }, listener),
    );
    expect(records.map(({ runs }) => runs)).toEqual([1, 1, 1]);
  });

  it('says which package is missing', async () => {
    await expect(optional('@no-such/package-of-hashnest/part')).rejects.toThrow(MissingPackage);
    await expect(optional('@no-such/package-of-hashnest/part')).rejects.toThrow(
      /needs the package @no-such\/package-of-hashnest:/,
    );
  });
});

describe('the data that libraries are compared with', () => {
  it.each(KINDS)('has rows whose keys are equal to those of their partners alone: %s', (kind) => {
    const { left, right, partners } = makeJoin(kind, 1003);
    const rows = new Map([...right].map((key, row) => [key, row]));
    expect(rows.size).toBe(125);
    expect([...partners]).toEqual([...left].map((key) => rows.get(key) ?? NO_ROW));
    expect(partners.filter((row) => row === NO_ROW).length).toBeGreaterThan(60);
  });

  it.each(KINDS)('has pairs of which each wrong one is noticed: %s', (kind) => {
    const data = makeJoin(kind, 200);
    const left = [...data.partners.keys()].filter((row) => data.partners[row] !== NO_ROW);
    const right = left.map((row) => data.partners[row] as number);
    expect(wrongPairs(data, { left, right })).toBe(0);
    expect(wrongPairs(data, { left: left.toReversed(), right: right.toReversed() })).toBe(0);
    expect(wrongPairs(data, { left: left.slice(1), right: right.slice(1) })).toBe(1);
    expect(wrongPairs(data, { left: [...left, left[0] as number], right: [...right, right[0] as number] })).toBe(1);
    expect(wrongPairs(data, { left, right: right.map((row, i) => (i === 7 ? row + 1 : row)) })).toBe(1);
    expect(wrongPairs(data, { left: [...left, 200], right: [...right, 0] })).toBe(1);
    const alone = data.partners.indexOf(NO_ROW);
    expect(wrongPairs(data, { left: [...left, alone], right: [...right, 0] })).toBe(1);
  });

  it.each(KINDS)('has groups of which each wrong one is noticed: %s', (kind) => {
    const data = makeGroups(kind, 1003);
    const keys = [...data.expected.keys()];
    expect(new Set<unknown>(data.keys)).toEqual(new Set(keys));
    const found = [...data.expected.values()];
    const [counts, sums] = [found.map(([count]) => count), found.map(([, sum]) => sum)];
    expect(counts.reduce((a, b) => a + b)).toBe(1003);
    expect(sums.reduce((a, b) => a + b)).toBe(data.values.reduce((a, b) => a + b));
    expect(wrongGroups(data, { keys, counts, sums })).toBe(0);
    const others = (list: readonly number[]) => list.map((n, i) => (i === 3 ? n + 1 : n));
    expect(wrongGroups(data, { keys, counts: others(counts), sums })).toBe(1);
    expect(wrongGroups(data, { keys, counts, sums: others(sums) })).toBe(1);
    expect(wrongGroups(data, { keys: keys.slice(1), counts: counts.slice(1), sums: sums.slice(1) })).toBe(1);
    const twice = <T>(list: readonly T[]) => [...list, list[0] as T];
    expect(wrongGroups(data, { keys: twice(keys), counts: twice(counts), sums: twice(sums) })).toBe(1);
  });

  it.each([1, 2, 700])('has the neighbours that a comparison of all pairs finds, for %i particles', (count) => {
    const particles = makeParticles(count);
    const { points, radius, expected } = particles;
    const sums = new Uint32Array(2 * count);
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        const distance = Math.hypot(
          ...[0, 1, 2].map((k) => (points[3 * i + k] as number) - (points[3 * j + k] as number)),
        );
        if (distance > radius) continue;
        sums[2 * i] = (sums[2 * i] as number) + 1;
        sums[2 * i + 1] = (sums[2 * i + 1] as number) + j;
      }
    }
    expect([...expected]).toEqual([...sums]);
    expect(sumsOf(particles)).toEqual(expected);
    expect(wrongSums(particles, sums)).toBe(0);
    expect(wrongSums(particles, sums.with(0, 99))).toBe(1);
  });

  it('has about thirty neighbours a particle, where there are enough', () => {
    const { expected, count } = makeParticles(20_000);
    const all = expected.filter((_, i) => i % 2 === 0).reduce((a, b) => a + b);
    // Fewer at the border of the box, and each is its own.
    expect(all / count).toBeGreaterThan(20);
    expect(all / count).toBeLessThan(31);
  });

  it('has a mesh whose every wrong vertex is noticed', () => {
    const soup = makeSoup(600);
    const { corners, expected } = soup;
    expect(corners.length).toBe(3 * 600);
    expect(expected.positions.length).toBe(3 * 11 ** 2);
    const positions = Array.from(expected.positions);
    const indices = Array.from(expected.indices);
    expect(indices.flatMap((vertex) => positions.slice(3 * vertex, 3 * vertex + 3))).toEqual([...corners]);
    expect(wrongMesh(soup, { indices, positions })).toBe(0);
    expect(wrongMesh(soup, { indices: indices.with(9, 0), positions })).toBe(1);
    expect(wrongMesh(soup, { indices, positions: positions.with(5, 99) })).toBe(1);
    expect(wrongMesh(soup, { indices, positions: [...positions, 1, 2, 3] })).toBe(3);
  });
});
