/** How bucketCuckoo writes buckets and where its keys belong, without building a table. */
import { describe, expect, it } from 'vitest';
import { type HashConstants, mix, randomWords } from '../../src/hashing/index.ts';
import { fromWords, type KeyType, u32, u64, utf8, vec3i } from '../../src/keys/index.ts';
import { Address, geometry } from '../../src/schemes/bucketCuckoo/geometry.wgsl.ts';
import {
  BUCKET_BYTES,
  type BucketLayout,
  bucketCode,
  chooseLayout,
  layoutsFor,
  MIN_BUCKETS,
} from '../../src/schemes/bucketCuckoo/layout.wgsl.ts';
import { HeaderLayout, type ValueWords } from '../../src/schemes/contract/index.ts';
import { Bucket } from '../../src/schemes/kit/bucket.wgsl.ts';
import { keyFromHash } from '../../src/schemes/kit/partition/parcels.wgsl.ts';
import { join, type Wgsl, type WgslPart, wgsl } from '../../src/wgsl/index.ts';
import { awkwardWords, evaluate } from '../evaluate.ts';
import {
  bucketsOf,
  filledUpTwin,
  type Grid,
  hashesOfBucket,
  locateTwin,
  remainderShift,
  unmixTwin,
} from '../oracles/bucketCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const random = randomWords(1994);
const below = (end: number): number => Math.floor((random() / 2 ** 32) * end);
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Every layout that there is, with the fewest buckets that it is used for. */
const LAYOUTS: readonly (readonly [number, BucketLayout, number])[] = [
  [6, chooseLayout(layoutsFor(u32, 1), 4 * 2 ** 24), 2 ** 24],
  [5, chooseLayout(layoutsFor(u32, 1), 4 * 2 ** 18), 2 ** 18],
  [4, chooseLayout(layoutsFor(u32, 1), 1), MIN_BUCKETS],
  [3, chooseLayout(layoutsFor(u64, 1), 3 * 2 ** 18), 2 ** 18],
  [2, chooseLayout(layoutsFor(u64, 2), 2 * 2 ** 13), 2 ** 13],
  [8, chooseLayout(layoutsFor(u32, 0), 1), MIN_BUCKETS],
];

it('is chosen by the words that a slot has to keep', () => {
  const slotsOf = (key: KeyType, valueWords: ValueWords, plainSlots = 1e9) =>
    chooseLayout(layoutsFor(key, valueWords), plainSlots).slots;
  expect([slotsOf(u32, 0), slotsOf(u32, 1), slotsOf(u32, 2), slotsOf(u32, 3), slotsOf(u32, 4)]).toEqual([
    8, 6, 3, 2, 8,
  ]);
  expect([slotsOf(u64, 0), slotsOf(u64, 1), slotsOf(u64, 2), slotsOf(u64, 3)]).toEqual([6, 3, 2, 8]);
  expect([slotsOf(vec3i, 0), slotsOf(vec3i, 1), slotsOf(vec3i, 2)]).toEqual([3, 2, 8]);
  expect([slotsOf(utf8, 0), slotsOf(utf8, 1), slotsOf(utf8, 2)]).toEqual([3, 2, 8]);
  // Small tables would leave more of the hash than a tag holds.
  expect([slotsOf(u64, 0, 1000), slotsOf(u64, 1, 1000), slotsOf(u64, 2, 1000)]).toEqual([4, 8, 8]);
});

describe.each(LAYOUTS)('a bucket of %d slots', (slots, layout, fewestBuckets) => {
  const { tagBits, classes, countBits, inside } = layout;
  const kept = slots * inside;

  it('has room for all of its fields', () => {
    expect(layout.slots).toBe(slots);
    const bits = slots * (32 * inside + tagBits) + classes + countBits;
    expect(bits).toBeLessThanOrEqual(BUCKET_BYTES * 8);
    expect(2 ** countBits).toBeGreaterThan(slots);
    // The region kernel keeps class bits in half a word.
    expect(classes).toBeLessThanOrEqual(16);
    // A tag is a remainder and the bit that says away.
    expect(tagBits).toBeGreaterThanOrEqual(33 - Math.log2(fewestBuckets));
  });

  it('gives back what was put in: tags, values, classes and count', async () => {
    const code = bucketCode(layout);
    const wordOf = numbers(inside).map((w) => code.wordsOfMatch(w, 1));
    // Those whose first words are the first words of the first slot.
    const begins = numbers(inside).map((w) => code.beginsWith(w + 1));
    const tag = (kind: number) => (kind === 0 ? 0 : kind === 1 ? 2 ** tagBits - 1 : below(2 ** tagBits));
    const word = (kind: number) => (kind === 0 ? 0 : kind === 1 ? 0xffff_ffff : random());
    const rows = numbers(300).map((i) => {
      // First rows in which one field is all ones and the others are zero, so that an overlap shows; then anything.
      const isLone = i < slots + kept + 2;
      const tags = numbers(slots).map((s) => (isLone ? tag(Number(i === s)) : tag(below(4))));
      const values = numbers(kept).map((w) => (isLone ? word(Number(i === slots + w)) : word(below(4))));
      const left = isLone ? (i === slots + kept ? 2 ** classes - 1 : 0) : below(2 ** classes);
      const count = isLone ? (i === slots + kept + 1 ? slots : 0) : below(slots + 1);
      const needle = below(3) === 0 ? tag(below(4)) : (tags[below(slots)] as number);
      return [...tags, ...values, left, count, needle];
    });
    const at = (row: readonly WgslPart[], i: number) => row[i] as WgslPart;
    const got = await evaluate(gpu, rows, (row) => ({
      statements: wgsl`
  var bucket: ${Bucket};
  ${join(
    row.map((part, i) => wgsl`let r${i} = ${part};`),
    '\n  ',
  )}
  ${join(
    numbers(slots).map((s) => code.putTag(s, `r${s}`)),
    '\n  ',
  )}
  ${join(
    numbers(slots).map((s) =>
      code.putWords(
        s,
        numbers(inside).map((w) => at(row, slots + s * inside + w)),
      ),
    ),
    '\n  ',
  )}
  ${code.putClasses(`r${slots + kept}`)}
  ${code.putCount(`r${slots + kept + 1}`)}
  let mask = ${code.matches}(bucket, r${slots + kept + 2});`,
      results: [
        ...numbers(slots).map((s) => wgsl`${code.tagOf}(bucket, ${s}u)`),
        ...numbers(kept).map((w) => wgsl`${wordOf[w % inside] as Wgsl}(bucket, ${2 ** Math.floor(w / inside)}u)`),
        ...begins.map((begin, w) => wgsl`${begin}(bucket, ${fromWords(row.slice(slots, slots + w + 1))})`),
        ...numbers(classes).map((kind) => wgsl`u32(${code.hasLeft}(bucket, ${kind}u))`),
        code.used,
        'mask',
        ...wordOf.map((word) => wgsl`${word}(bucket, mask & (0u - mask))`),
      ],
    }));
    const expected = rows.map((row) => {
      const tags = row.slice(0, slots);
      const values = row.slice(slots, slots + kept);
      const wordsOfSlot = (s: number) => values.slice(s * inside, (s + 1) * inside);
      const [left = 0, count = 0, needle = 0] = row.slice(slots + kept);
      const maskOf = (chosen: readonly number[]) => chosen.reduce((mask, s) => mask | (1 << s), 0);
      const agree = (s: number, words: number) => numbers(words).every((w) => wordsOfSlot(s)[w] === wordsOfSlot(0)[w]);
      const matching = numbers(count).filter((s) => tags[s] === needle);
      return [
        ...tags,
        ...values,
        ...begins.map((_, w) => maskOf(numbers(slots).filter((s) => agree(s, w + 1)))),
        ...numbers(classes).map((kind) => (left >> kind) & 1),
        count,
        maskOf(matching),
        ...(matching[0] === undefined ? numbers(inside).map(() => 0) : wordsOfSlot(matching[0])),
      ];
    });
    expect(got).toEqual(expected);
  });
});

describe('geometry', () => {
  const exactShape = ({ regions, bucketsPerRegion }: Grid) => ({
    layout: chooseLayout(layoutsFor(u32, 1), 4 * regions * bucketsPerRegion),
    exact: true,
    isQuotient: true,
    roundRegion: Number.isInteger(Math.log2(bucketsPerRegion)) ? bucketsPerRegion : undefined,
  });
  const fieldsOf = (grid: Grid) => ({ ...grid, remainderShift: remainderShift(grid) });
  // A variable instead of the buffer, because every row brings its own numbers.
  const { struct } = HeaderLayout.of(fieldsOf({ regions: 1, bucketsPerRegion: 1 }));
  const header = wgsl`var<private> testHeader: ${struct};`;
  const setHeader = (grid: Grid) =>
    join(
      Object.entries(fieldsOf(grid)).map(([name, value]) => wgsl`${header}.${name} = ${value}u;`),
      '\n  ',
    );

  const grids: readonly (readonly [number, number])[] = [
    [1, 64],
    [1, 65],
    [1, 127],
    [1, 313],
    [1, 512],
    [2, 32],
    [29, 500],
    [31, 511],
    [37, 512],
    [511, 513],
    [512, 512],
    [8191, 512],
    [32_768, 512],
    [61_036, 512],
    [122_071, 512],
  ];
  it.each(grids)('%d × %d: a hash is taken apart and put together again', async (regions, bucketsPerRegion) => {
    const grid = { regions, bucketsPerRegion };
    const buckets = bucketsOf(grid);
    const { locate, awayFrom, homeFrom, classOf, hashFrom } = geometry(exactShape(grid), header);
    const { layout } = exactShape(grid);
    // The first and the last hash of some buckets too.
    const edges = [0, 1, buckets - 1, ...numbers(50).map(() => below(buckets))].flatMap((bucket) => {
      const [first, end] = hashesOfBucket(bucket, grid);
      return [first, Math.min(first + 1, end - 1), end - 1];
    });
    const hashes = [...awkwardWords, ...edges, ...numbers(500).map(random)];
    const got = await evaluate(
      gpu,
      hashes.map((hash) => [hash]),
      (row) => ({
        statements: wgsl`
  ${setHeader(grid)}
  let address = ${locate}(vec2u(${row[0] as WgslPart}, 0u));
  let away = ${awayFrom}(address);`,
        results: [
          'address.region',
          'address.home',
          'away',
          'address.remainder',
          wgsl`${classOf}(address.remainder)`,
          wgsl`${homeFrom}(away, address.remainder)`,
          wgsl`${hashFrom}(address.region * ${bucketsPerRegion}u + address.home, address.remainder)`,
        ],
      }),
    );
    const expected = hashes.map((hash) => {
      const { region, home, away, remainder } = locateTwin(hash, grid);
      return [region, home, away, remainder, remainder % layout.classes, home, hash];
    });
    expect(got).toEqual(expected);
    for (const [region = 0, home = 0, away = 0, remainder = 0] of got) {
      expect(region < regions && home < bucketsPerRegion && away < bucketsPerRegion).toBe(true);
      expect(away).not.toBe(home);
      expect(remainder).toBeLessThan(2 ** (layout.tagBits - 1));
    }
  });

  it('other buckets are spread over the region', () => {
    for (const bucketsPerRegion of [2, 64, 313, 512]) {
      const counts = new Array<number>(bucketsPerRegion).fill(0);
      const trials = 300 * bucketsPerRegion;
      for (let i = 0; i < trials; i++) {
        const { home, away } = locateTwin(random(), { regions: 1, bucketsPerRegion });
        const hop = (away - home + bucketsPerRegion) % bucketsPerRegion;
        counts[hop] = (counts[hop] as number) + 1;
      }
      expect(counts[0]).toBe(0);
      for (const count of counts.slice(1))
        expect(Math.abs(count / 300 - 1)).toBeLessThan(bucketsPerRegion > 2 ? 0.4 : 2);
    }
  });

  it('fingerprints of wide keys fit their tags', async () => {
    const grid = { regions: 29, bucketsPerRegion: 300 };
    const layout = chooseLayout(layoutsFor(utf8, 2), 1);
    const shape = { ...exactShape(grid), exact: false, isQuotient: false, layout };
    const { locate } = geometry(shape, header);
    const rows = [...awkwardWords, ...numbers(200).map(random)].map((word) => [random(), word]);
    const got = await evaluate(gpu, rows, ([x, y]) => ({
      statements: wgsl`
  ${setHeader(grid)}
  let address: ${Address} = ${locate}(vec2u(${x as WgslPart}, ${y as WgslPart}));`,
      results: ['address.region', 'address.home', 'address.remainder'],
    }));
    const expected = rows.map(([x = 0, y = 0]) => {
      const { region, home } = locateTwin(x, grid);
      return [region, home, y >>> (33 - shape.layout.tagBits)];
    });
    expect(got).toEqual(expected);
  });
});

describe('the remainder of a wide key', () => {
  const grids: readonly (readonly [number, number])[] = [
    [8, 1024],
    [37, 1024],
    [61_036, 1024],
    [2 ** 17, 1024],
  ];
  it.each(grids)(
    '%d × %d: tells the first word of the hash, and more bits of the second where there is room',
    async (regions, bucketsPerRegion) => {
      const grid = { regions, bucketsPerRegion };
      const layout = chooseLayout(layoutsFor(u64, 2), 1e9);
      const fields = { ...grid, remainderShift: remainderShift(grid) };
      const header = wgsl`var<private> testHeader: ${HeaderLayout.of(fields).struct};`;
      const { locate, hashFrom, homeFrom, awayFrom } = geometry(
        { layout, exact: false, isQuotient: true, roundRegion: bucketsPerRegion },
        header,
      );
      const rows = [...awkwardWords, ...numbers(300).map(random)].flatMap((word) => [
        [word, random()],
        [random(), word],
      ]);
      const got = await evaluate(gpu, rows, ([x, y]) => ({
        statements: wgsl`
  ${join(
    Object.entries(fields).map(([name, value]) => wgsl`${header}.${name} = ${value}u;`),
    ' ',
  )}
  let address = ${locate}(vec2u(${x as WgslPart}, ${y as WgslPart}));`,
        results: [
          wgsl`${hashFrom}(address.region * ${bucketsPerRegion}u + address.home, address.remainder)`,
          wgsl`u32(${homeFrom}(${awayFrom}(address), address.remainder) == address.home)`,
          'address.remainder',
        ],
      }));
      expect(got).toEqual(rows.map(([x = 0, y = 0]) => [x, 1, filledUpTwin([x, y], grid, layout.tagBits)]));
    },
  );
});

describe('the key of a hash', () => {
  const header = wgsl`var<private> testHeader: ${HeaderLayout.of({}).struct};`;
  it('is the one whose hash begins with that word', async () => {
    const members: HashConstants[] = [
      [0, 0, 0, 0],
      [0xffff_ffff, 0xffff_fffe, 1, 2],
    ];
    for (let i = 0; i < 30; i++) members.push(mix.draw(random));
    const rows = members.flatMap((member) =>
      [...awkwardWords, ...numbers(30).map(random)].map((key) => [key, ...member]),
    );
    const got = await evaluate(gpu, rows, (row) => ({
      statements: wgsl`
  ${header}.hash = vec4u(${join(row.slice(1), ', ')});
  let hash = ${mix.hash(1)}(${row[0] as WgslPart}, ${header}.hash).x;`,
      results: ['hash', keyFromHash('hash', header)],
    }));
    const expected = rows.map(([key = 0, ...member]) => [
      mix.hashTwin([key], member as unknown as HashConstants)[0],
      key,
    ]);
    expect(got).toEqual(expected);
    for (const [i, [hash = 0]] of got.entries()) {
      const [key, ...member] = rows[i] as number[];
      if (unmixTwin(hash, member as unknown as HashConstants) !== key) expect.fail(`the twin of unmix at row ${i}`);
    }
  });
});
