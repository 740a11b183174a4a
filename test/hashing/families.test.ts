import { describe, expect, it } from 'vitest';
import {
  type HashConstants,
  type HashFamily,
  mix,
  polynomial32,
  polynomial64,
  randomWords,
  rehash,
  rehashTwin,
  universal,
  unmix,
  xorPrime,
} from '../../src/hashing/index.ts';
import { join, wgsl } from '../../src/wgsl/index.ts';
import { awkwardWords, evaluate } from '../evaluate.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const FAMILIES: readonly HashFamily[] = [mix, universal, polynomial32, polynomial64, xorPrime];
const PRIMES = new Map([
  ['polynomial32', 334_214_459],
  ['polynomial64', 4_294_967_291],
  ['xorPrime', 4_294_967_291],
]);

/** Awkward and random words. */
const random = randomWords(5);
const words = [...awkwardWords, ...Array.from({ length: 300 }, random)];

/** Members of a family: drawn ones, and those whose constants are as small or large as they can be. */
function membersOf(family: HashFamily): HashConstants[] {
  const prime = PRIMES.get(family.name);
  const extremes: HashConstants[] = prime
    ? [
        [1, 0, 0, 0],
        [prime - 1, prime - 1, 0, 0],
      ]
    : [
        [0, 0, 0, 0],
        [0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff],
      ];
  return [...extremes, ...Array.from({ length: 4 }, () => family.draw(random))];
}

describe.each(FAMILIES)('the family $name', (family) => {
  const widths = [1, 2, 3, 5, 16].filter((width) => width <= family.maxWords);

  it.each(widths)('hashes keys of %i words like its twin, bit by bit', async (width) => {
    const keys = words.map((word, i) => [
      word,
      ...Array.from({ length: width - 1 }, (_, k) => words[(i * (k + 3)) % words.length] as number),
    ]);
    const rows = membersOf(family).flatMap((member) => keys.map((key) => [...key, ...member]));
    const got = await evaluate(gpu, rows, (row) => ({
      statements: wgsl`let hash = ${family.hash(width)}(${join(row.slice(0, width), ', ')}, vec4u(${join(row.slice(width), ', ')}));`,
      results: ['hash.x', 'hash.y'],
    }));
    const expected = rows.map((row) =>
      family.hashTwin(row.slice(0, width), row.slice(width) as unknown as HashConstants),
    );
    expect(got).toEqual(expected);
  });

  it('reduces hashes to a range like its twin, and never out of it', async () => {
    const ranges = [1, 2, 3, 41, 255, 256, 1000, 65_537, 2 ** 31 - 1, 2 ** 31];
    const rows = words.flatMap((word) => ranges.map((range) => [word, range]));
    const got = await evaluate(gpu, rows, (row) => ({ results: [wgsl`${family.reduce}(${join(row, ', ')})`] }));
    const expected = rows.map(([word, range]) => [family.reduceTwin(word as number, range as number)]);
    expect(got).toEqual(expected);
    expect(rows.every(([, range], i) => (got[i]?.[0] as number) < (range as number))).toBe(true);
  });

  it('derives further members like its twin, and the first one unchanged', async () => {
    const rows = membersOf(family).flatMap((member) =>
      [0, 1, 2, 3, 31, 0xffff_ffff].map((index) => [...member, index]),
    );
    const got = await evaluate(gpu, rows, (row) => ({
      statements: wgsl`let derived = ${family.derive}(vec4u(${join(row.slice(0, 4), ', ')}), ${row[4] as string});`,
      results: ['derived.x', 'derived.y', 'derived.z', 'derived.w'],
    }));
    const twins = rows.map((row) => [
      ...family.deriveTwin(row.slice(0, 4) as unknown as HashConstants, row[4] as number),
    ]);
    expect(got).toEqual(twins);
    for (const [i, row] of rows.entries()) if (row[4] === 0) expect(got[i]).toEqual(row.slice(0, 4));
    expect(new Set(got.slice(12, 18).map(String)).size).toBe(6);
  });

  it('draws constants that it can use', () => {
    const prime = PRIMES.get(family.name);
    for (const source of [() => 0, () => 0xffff_ffff, random]) {
      const [a, b] = family.draw(source);
      if (prime) {
        expect(a).toBeGreaterThanOrEqual(1);
        expect(a).toBeLessThan(prime);
        expect(b).toBeLessThan(prime);
      }
      for (const constant of family.draw(source)) expect(constant >>> 0).toBe(constant);
    }
  });
});

describe('the polynomials of the dissertation', () => {
  const at = (family: HashFamily, key: number, a: number, b: number) => family.hashTwin([key], [a, b, 0, 0])[0];

  it('polynomial64 is exact: (a k + b) mod p', () => {
    for (const key of words) {
      for (const [a, b] of membersOf(polynomial64)) {
        const exact = (BigInt(a) * BigInt(key) + BigInt(b)) % 4_294_967_291n;
        expect(BigInt(at(polynomial64, key, a, b))).toBe(exact);
      }
    }
  });

  it('polynomial32 wraps around at 32 bits before the remainder', () => {
    for (const key of words) {
      for (const [a, b] of membersOf(polynomial32)) {
        const wrapped = ((BigInt(a) * BigInt(key) + BigInt(b)) & 0xffff_ffffn) % 334_214_459n;
        expect(BigInt(at(polynomial32, key, a, b))).toBe(wrapped);
      }
    }
  });

  it('xorPrime wraps around at 32 bits before the remainder', () => {
    for (const key of words) {
      for (const [a, b] of membersOf(xorPrime)) {
        const wrapped = ((BigInt((a ^ key) >>> 0) + BigInt(b)) & 0xffff_ffffn) % 4_294_967_291n;
        expect(BigInt(at(xorPrime, key, a, b))).toBe(wrapped);
      }
    }
  });

  it('their second word is the key, by which double hashing jumps', () => {
    for (const family of [polynomial32, polynomial64, xorPrime]) {
      expect(family.hashTwin([12_345], [7, 9, 0, 0])[1]).toBe(12_345);
    }
  });
});

describe('rehash', () => {
  it('gives functions of both words like its twin, another for every index', async () => {
    const rows = membersOf(universal).flatMap((member) =>
      words.slice(0, 120).map((word, i) => [word, words[(i * 7) % words.length] as number, i % 33, ...member]),
    );
    const got = await evaluate(gpu, rows, ([x, y, index, ...member]) => ({
      results: [
        wgsl`${rehash}(vec2u(${x as string}, ${y as string}), vec4u(${join(member, ', ')}), ${index as string})`,
      ],
    }));
    const twin = (row: readonly number[]) =>
      rehashTwin([row[0] as number, row[1] as number], row.slice(3) as unknown as HashConstants, row[2] as number);
    expect(got).toEqual(rows.map((row) => [twin(row)]));
    const [, , member] = membersOf(universal) as [HashConstants, HashConstants, HashConstants];
    expect(new Set(Array.from({ length: 33 }, (_, index) => rehashTwin([1, 2], member, index))).size).toBe(33);
  });
});

describe('unhash of mix', () => {
  it.each([1, 2, 3, 4])(
    'finds the last of %i words from the others and the first word of the hash, for every member',
    async (count) => {
      const rows = membersOf(mix).flatMap((member) =>
        words.map((word, i) => [
          ...Array.from({ length: count - 1 }, (_, w) => words[(i + 3 * w + 1) % words.length] as number),
          word,
          ...member,
        ]),
      );
      const got = await evaluate(gpu, rows, (row) => ({
        statements: wgsl`let constants = vec4u(${join(row.slice(count), ', ')});`,
        results: [
          wgsl`${unmix(count)}(${join([wgsl`${mix.hash(count)}(${join(row.slice(0, count), ', ')}, constants).x`, ...row.slice(0, count - 1), 'constants'], ', ')})`,
        ],
      }));
      expect(got).toEqual(rows.map((row) => [row[count - 1]]));
    },
  );
});
