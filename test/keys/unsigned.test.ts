import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gpu, UnsupportedError } from '../../src/gpu/index.ts';
import { type HashConstants, mix, polynomial32, randomWords } from '../../src/hashing/index.ts';
import { type KeyType, u32, u64 } from '../../src/keys/index.ts';
import { join, type WgslPart, wgsl } from '../../src/wgsl/index.ts';
import { awkwardWords, evaluate } from '../evaluate.ts';

const random = randomWords(3);
const SIDES = ['table', 'input', 'needle'] as const;

/** Keys as words, least significant first, and pairs of them that differ in one word at most. */
function keyPairs({ words }: KeyType): number[][] {
  const key = () => Array.from({ length: words }, () => awkwardWords[random() % awkwardWords.length] as number);
  return Array.from({ length: 500 }, (_, i) => {
    const a = key();
    const b = i % 3 === 0 ? key() : a.slice();
    if (i % 3 === 1) b[i % words] = random();
    return [...a, ...b];
  });
}

const numberOf = (words: readonly number[]): bigint =>
  words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);

const fromRow = (words: number, row: readonly WgslPart[]) =>
  words === 1 ? (row[0] as WgslPart) : wgsl`vec2u(${join(row, ', ')})`;

let gpu: Gpu;
beforeAll(async () => {
  gpu = await Gpu.open();
});
afterAll(() => gpu.destroy());

describe.each([u32, u64] as KeyType[])('$name keys', (key) => {
  const { words } = key;

  it('are compared in WGSL like numbers', async () => {
    const rows = keyPairs(key);
    const [a, b] = [key.access('table'), key.access('needle')];
    const less = (key.less as NonNullable<typeof key.less>)(a, b);
    const got = await evaluate(gpu, rows, (row) => {
      const [left, right] = [a.of(fromRow(words, row.slice(0, words))), b.of(fromRow(words, row.slice(words)))];
      return {
        results: [wgsl`u32(${key.equals(a, b)}(${left}, ${right}))`, wgsl`u32(${less}(${left}, ${right}))`],
      };
    });
    const expected = rows.map((row) => {
      const [left, right] = [numberOf(row.slice(0, words)), numberOf(row.slice(words))];
      return [Number(left === right), Number(left < right)];
    });
    expect(got).toEqual(expected);
    expect(new Set(expected.map(String)).size).toBe(3);
  });

  it('are hashed word by word, the same on every side', async () => {
    const constants = mix.draw(random);
    const rows = keyPairs(key).map((row) => row.slice(0, words));
    for (const side of SIDES) {
      const access = key.access(side);
      const got = await evaluate(gpu, rows, (row) => ({
        statements: wgsl`let hash = ${key.hash(access, mix)}(${access.of(fromRow(words, row))}, vec4u(${constants.map((c) => `${c}u`).join(', ')}));`,
        results: ['hash.x', 'hash.y'],
      }));
      expect(got).toEqual(rows.map((row) => mix.hashTwin(row, constants as HashConstants)));
    }
  });

  it('are sorted by their words from the least significant on', () => {
    expect(key.radixWords).toEqual(Array.from({ length: words }, (_, i) => i));
  });
});

describe('u32 keys', () => {
  it('accept a Uint32Array and nothing else', () => {
    expect(u32.accepts(new Uint32Array(2))).toBe(true);
    for (const other of [new Int32Array(2), new BigUint64Array(2), new Uint8Array(4), [1, 2], 'ab', undefined, null]) {
      expect(u32.accepts(other)).toBe(false);
    }
  });

  it('are encoded and decoded as they are, also from the middle of a buffer', () => {
    const part = new Uint32Array([1, 2, 3, 4]).subarray(1, 3);
    const { count, words } = u32.encode(part);
    expect(count).toBe(2);
    expect([...words]).toEqual([2, 3]);
    expect(u32.decode(words)).toEqual(new Uint32Array([2, 3]));
  });
});

describe('u64 keys', () => {
  it('accept a BigUint64Array and nothing else', () => {
    expect(u64.accepts(new BigUint64Array(2))).toBe(true);
    for (const other of [new BigInt64Array(2), new Uint32Array(2), [1n], undefined]) {
      expect(u64.accepts(other)).toBe(false);
    }
  });

  it('are encoded low word first, also from the middle of a buffer', () => {
    const part = new BigUint64Array([0n, 0x1234_5678_9abc_def0n, 0xffff_ffffn]).subarray(1);
    const { count, words } = u64.encode(part);
    expect(count).toBe(2);
    expect([...words]).toEqual([0x9abc_def0, 0x1234_5678, 0xffff_ffff, 0]);
    expect(u64.decode(words)).toEqual(part);
  });

  it('are refused by hash families for one word, with the reason', () => {
    const hash = () => u64.hash(u64.access('input'), polynomial32);
    expect(hash).toThrow(UnsupportedError);
    expect(hash).toThrow(/polynomial32.*u64/);
  });
});
