import { describe, expect, it } from 'vitest';
import { HashMap, HashSet } from '../../src/collections/index.ts';
import { InvalidInputError, UnsupportedError } from '../../src/gpu/index.ts';
import { type HashConstants, mix, polynomial32, randomWords } from '../../src/hashing/index.ts';
import {
  f32,
  fromWords,
  i32,
  i64,
  type KeyType,
  tuple,
  u32,
  u64,
  utf8,
  vec2f,
  vec2i,
  vec3f,
  vec3i,
  vec4f,
  vec4i,
  wordsKey,
} from '../../src/keys/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { awkwardWords, evaluate } from '../evaluate.ts';
import { sharedGpu } from '../sharedGpu.ts';

const random = randomWords(3);
const SIDES = ['table', 'input', 'needle'] as const;

/** A key type, and from its words numbers that are compared one after the other: its order, told independently. */
interface Kind {
  readonly key: KeyType;
  readonly numbers: (words: readonly number[]) => readonly (number | bigint)[];
}

/** IEEE 754's total order of 32-bit floats, as numbers: negative ones mirrored. */
const totalOrder = (bits: number): number => (bits >>> 31 === 1 ? -1 - (bits & 0x7fff_ffff) : bits);
/** The bits that stand for all numbers that a `Map` calls the same. */
const oneSpelling = (bits: number): number => {
  const number = new Float32Array(Uint32Array.of(bits).buffer)[0] as number;
  return Number.isNaN(number) ? 0x7fc0_0000 : number === 0 ? 0 : bits;
};
const signed64 = ([low = 0, high = 0]: readonly number[]): bigint =>
  BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
const signed = (words: readonly number[]): number[] => words.map((word) => word | 0);

const kinds: readonly Kind[] = [
  { key: u32 as KeyType, numbers: (words) => words },
  { key: i32 as KeyType, numbers: signed },
  { key: f32 as KeyType, numbers: (words) => words.map(totalOrder) },
  { key: u64 as KeyType, numbers: ([low = 0, high = 0]) => [high, low] },
  { key: i64 as KeyType, numbers: (words) => [signed64(words)] },
  { key: vec2i as KeyType, numbers: signed },
  { key: vec3i as KeyType, numbers: signed },
  { key: vec4i as KeyType, numbers: signed },
  { key: vec2f as KeyType, numbers: (words) => words.map(totalOrder) },
  { key: vec3f as KeyType, numbers: (words) => words.map(totalOrder) },
  { key: vec4f as KeyType, numbers: (words) => words.map(totalOrder) },
  {
    key: tuple(f32, u64, i32) as KeyType,
    numbers: ([a = 0, low = 0, high = 0, b = 0]) => [totalOrder(a), high, low, b | 0],
  },
];

/** Pairs of keys as words; many differ in one word at most. */
function keyPairs({ words }: KeyType): number[][] {
  const key = () => Array.from({ length: words }, () => awkwardWords[random() % awkwardWords.length] as number);
  return Array.from({ length: 500 }, (_, i) => {
    const a = key();
    const b = i % 3 === 0 ? key() : a.slice();
    if (i % 3 === 1) b[i % words] = random();
    return [...a, ...b];
  });
}

const isLess = (a: readonly (number | bigint)[], b: readonly (number | bigint)[]): boolean => {
  const differs = a.findIndex((number, i) => number !== b[i]);
  return differs >= 0 && (a[differs] as number) < (b[differs] as number);
};

const gpu = await sharedGpu();

describe.each(kinds)('$key.name keys', ({ key, numbers }) => {
  const { words } = key;
  const order = key.order as NonNullable<typeof key.order>;

  it('are equal if their words are, and ordered like their numbers', async () => {
    const rows = keyPairs(key);
    const [a, b] = [key.access('table'), key.access('needle')];
    const got = await evaluate(gpu, rows, (row) => {
      const [left, right] = [a.of(fromWords(row.slice(0, words))), b.of(fromWords(row.slice(words)))];
      return {
        results: [wgsl`u32(${key.equals(a, b)}(${left}, ${right}))`, wgsl`u32(${order.less(a, b)}(${left}, ${right}))`],
      };
    });
    const expected = rows.map((row) => {
      const [left, right] = [row.slice(0, words), row.slice(words)];
      return [Number(String(left) === String(right)), Number(isLess(numbers(left), numbers(right)))];
    });
    expect(got).toEqual(expected);
    expect(new Set(expected.map(String)).size).toBe(3);
  });

  it('have order words that compare like them, the lead first', async () => {
    const side = key.access('input');
    const orderWords = order.words?.(side) ?? [];
    const rows = keyPairs(key);
    const got = await evaluate(gpu, rows, (row) => {
      const [left, right] = [side.of(fromWords(row.slice(0, words))), side.of(fromWords(row.slice(words)))];
      return {
        results: [left, right].flatMap((one) => [order.lead(side), ...orderWords].map((word) => wgsl`${word}(${one})`)),
      };
    });
    for (const [i, row] of got.entries()) {
      const [left, right] = [row.slice(1, words + 1), row.slice(words + 2)];
      expect(row[0]).toBe(left[0]);
      const pair = rows[i] as number[];
      expect(isLess(left, right)).toBe(isLess(numbers(pair.slice(0, words)), numbers(pair.slice(words))));
    }
  });

  it('are hashed word by word, the same on every side', async () => {
    const constants = mix.draw(random);
    const rows = keyPairs(key).map((row) => row.slice(0, words));
    for (const side of SIDES) {
      const access = key.access(side);
      const got = await evaluate(gpu, rows, (row) => ({
        statements: wgsl`let hash = ${key.hash(access, mix)}(${access.of(fromWords(row))}, vec4u(${constants.map((c) => `${c}u`).join(', ')}));`,
        results: ['hash.x', 'hash.y'],
      }));
      expect(got).toEqual(rows.map((row) => mix.hashTwin(row, constants as HashConstants)));
    }
  });

  it('are decoded to what was encoded', () => {
    const stored = Uint32Array.from(keyPairs(key).flat());
    const { count, words: encoded } = key.encode(key.decode(stored));
    expect(count).toBe(1000);
    expect(encoded).toEqual(/^vec\df$/.test(key.name) ? stored.map(oneSpelling) : stored);
  });

  it('survive the way to the type that shaders write, and back', async () => {
    const rows = keyPairs(key).map((row) => row.slice(0, words));
    const { shader } = key;
    const got = await evaluate(gpu, rows, (row) => ({
      statements: wgsl`
  let written: ${shader.type} = ${shader.fromWords(fromWords(row))};
  let stored = ${shader.toWords('written')};`,
      results: Array.from({ length: words }, (_, i) =>
        words === 1 ? 'stored' : words <= 4 ? `stored.${'xyzw'[i]}` : `stored[${i}]`,
      ),
    }));
    // A shader may change the bits of a NaN that it handles as a number.
    const isNan = (word: number) => (word & 0x7fff_ffff) > 0x7f80_0000;
    const comparable = (row: readonly number[]) =>
      row.map((word) => (isNan(word) && /f32|vec.f/.test(key.name) ? -1 : word));
    expect(got.map(comparable)).toEqual(rows.map(comparable));
  });
});

describe('arrays of keys', () => {
  it.each([
    [u32, new Uint32Array(2), new Int32Array(2)],
    [i32, new Int32Array(2), new Uint32Array(2)],
    [f32, new Float32Array(2), new Float64Array(2)],
    [u64, new BigUint64Array(2), new BigInt64Array(2)],
    [i64, new BigInt64Array(2), new BigUint64Array(2)],
    [vec2i, new Int32Array(4), new Int32Array(3)],
    [vec3i, new Int32Array(6), new Int32Array(4)],
    [vec4i, new Int32Array(8), new Int32Array(6)],
    [vec2f, new Float32Array(4), new Float32Array(3)],
    [vec3f, new Float32Array(6), new Float64Array(6)],
    [vec4f, new Float32Array(8), new Int32Array(8)],
  ] as const)('are of the one type that they belong to, and whole: %o', (key, right, wrong) => {
    expect(key.accepts(right)).toBe(true);
    for (const other of [wrong, [1, 2], 'ab', undefined, null]) expect(key.accepts(other)).toBe(false);
  });

  it('are encoded from the middle of a buffer', () => {
    const part = new BigUint64Array([0n, 0x1234_5678_9abc_def0n, 0xffff_ffffn]).subarray(1);
    const { count, words } = u64.encode(part);
    expect(count).toBe(2);
    expect([...words]).toEqual([0x9abc_def0, 0x1234_5678, 0xffff_ffff, 0]);
  });

  it('are refused by hash families for one word, with the reason', () => {
    const hash = () => u64.hash(u64.access('input'), polynomial32);
    expect(hash).toThrow(UnsupportedError);
    expect(hash).toThrow(/polynomial32.*u64/);
  });
});

describe('keys that can be spelled in several ways', () => {
  const SPECIAL = [0, 0x8000_0000, 0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xffff_ffff, 0x7f80_0000, 0xff80_0000, 1];

  it.each([vec2f, vec3f, vec4f, tuple(vec3f, f32)] as KeyType[])('get the words of one: $name', async (key) => {
    const access = key.access('needle');
    const rows = Array.from({ length: 400 }, (_, i) =>
      Array.from({ length: key.words }, () =>
        i % 2 === 0 ? random() : (SPECIAL[random() % SPECIAL.length] as number),
      ),
    );
    const got = await evaluate(gpu, rows, (row) => {
      const stored = access.safe(fromWords(row));
      return { results: Array.from({ length: key.words }, (_, i) => wgsl`${stored}.${'xyzw'[i] as string}`) };
    });
    // The tuple keeps the bits of its last part.
    const isKept = (i: number) => key.name === 'tuple(vec3f, f32)' && i === 3;
    expect(got).toEqual(rows.map((row) => row.map((word, i) => (isKept(i) ? word : oneSpelling(word)))));
  });

  it('are one key for every face, and come back in the one spelling', async () => {
    const points = new Float32Array(Uint32Array.of(0x8000_0000, 0, 0x7f80_0001, 0, 0x8000_0000, 0xffff_ffff).buffer);
    const items = { keys: points, values: new Uint32Array([1, 2]) };
    using map = await HashMap.from(gpu, items, { key: vec3f });
    expect(map.size).toBe(1);
    expect((await map.get(new Float32Array([-0, 0, Number.NaN, 1, 0, 0]))).values).toEqual(new Uint32Array([2, 0]));
    const { keys } = await map.entries();
    expect(new Uint32Array(keys.buffer)).toEqual(Uint32Array.of(0, 0, 0x7fc0_0000));
    // Nobody folds what is in a buffer before it is uploaded.
    const buffer = gpu.upload('test/points', points);
    using set = await HashSet.from(gpu, { keys: buffer, count: 2 }, { key: vec3f });
    expect([set.size, ...(await set.has(points))]).toEqual([1, 1, 1]);
    buffer.destroy();
  });

  it('have no coordinates, which are words as they stand', () => {
    const { accepts, decode } = vec2i;
    const options = { name: 'own', words: 2, accepts, decode, encode: (keys: Int32Array) => new Uint32Array(keys) };
    expect(() => wordsKey({ ...options, fold: (key) => [key, key], coordinates: 2 })).toThrow(UnsupportedError);
  });
});

describe('tuples', () => {
  const key = tuple(u32, vec2i);

  it('take one array for each part', () => {
    const keys = [new Uint32Array([7, 8]), new Int32Array([1, 2, 3, 4])] as const;
    expect(key.accepts(keys)).toBe(true);
    expect(key.accepts([keys[0]])).toBe(false);
    expect(key.accepts([keys[1], keys[0]])).toBe(false);
    expect([...key.encode(keys).words]).toEqual([7, 1, 2, 8, 3, 4]);
    expect(key.decode(Uint32Array.of(7, 1, 2, 8, 3, 4))).toEqual(keys);
  });

  it('must have equally many of each part', () => {
    const encode = () => key.encode([new Uint32Array(3), new Int32Array(4)]);
    expect(encode).toThrow(InvalidInputError);
    expect(encode).toThrow('tuple(u32, vec2i): the parts must have equally many items, not 3, 2');
  });

  it('have no parts of variable size, and no more words than can be hashed', () => {
    // @ts-expect-error strings have no fixed size
    expect(() => tuple(u32, utf8)).toThrow('utf8 keys have no fixed size');
    expect(() => tuple(vec4i, vec4i, vec4i, vec4i, u32)).toThrow('17 words are more than the 16');
    expect(() => tuple()).toThrow('at least one part');
  });

  it('of the same parts are the same type, so that two sides of a join may name it for themselves', () => {
    expect(tuple(u32, tuple(vec2i, f32))).toBe(tuple(u32, tuple(vec2i, f32)));
    expect(tuple(u32, u32)).not.toBe(tuple(u32, u32, u32));
  });
});

describe('what keys declare', () => {
  it('is one word only of those that are', () => {
    const types: readonly KeyType[] = [u32, i32, f32, u64, i64, vec2i, vec3i, vec4f, tuple(u32, u32), utf8] as never;
    const words = types.filter(({ isWord }) => isWord).map(({ name }) => name);
    expect(words).toEqual(['u32', 'i32', 'f32']);
  });

  it('is their coordinates and their context', () => {
    expect([vec2i, vec3i, vec4i, u32].map(({ coordinates }) => coordinates)).toEqual([2, 3, 4, undefined]);
    expect([utf8, u32].map(({ hasContext }) => hasContext)).toEqual([true, false]);
  });
});
