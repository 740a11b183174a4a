import { describe, expect, it } from 'vitest';
import { randomWords } from '../../src/hashing/index.ts';
import { HeaderLayout } from '../../src/schemes/contract/index.ts';
import { firstHash, geometry } from '../../src/schemes/regionCuckoo/geometry.wgsl.ts';
import { type Layout, layoutsFor, minBucketsOf } from '../../src/schemes/regionCuckoo/layout.wgsl.ts';
import { join, type WgslPart, wgsl } from '../../src/wgsl/index.ts';
import { awkwardWords, evaluate } from '../evaluate.ts';
import { firstHashTwin, placeTwin } from '../oracles/regionCuckooTwin.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');
const random = randomWords(7);

const [sixes, fives, fours] = layoutsFor(true, 1) as [Layout, Layout, Layout];
const fewest = (layout: Layout): number => Math.ceil(minBucketsOf(layout) / 512);

const SIZES: readonly (readonly [Layout, number, number])[] = [
  [fours, 1, 7],
  [fours, 1, 8],
  [fours, 1, 9],
  ...[2, 3, 5, 127, 128, 129, 1000, 1023, fewest(fives) - 1].map((n) => [fours, n, 9] as const),
  ...[fewest(fives), 1026, 1031, 2048, 2049, 32_767, fewest(sixes) - 1].map((n) => [fives, n, 9] as const),
  ...[fewest(sixes), 40_000, 65_536, 122_071, 262_143, 1_048_573, 4_194_301].map((n) => [sixes, n, 9] as const),
];

describe('the geometry of regionCuckoo', () => {
  it.each(SIZES)('takes hashes apart and puts them together again: %o, %d regions of 2^%d buckets', async (...size) => {
    const [layout, regions, bucketBits] = size;
    const buckets = regions * 2 ** bucketBits;
    const grid = { regions, bucketBits, remainders: Math.ceil(2 ** 32 / buckets) };
    const header = wgsl`var<private> testHeader: ${HeaderLayout.of(grid).struct};`;
    const { locate, hashFrom, homeOf, awayFrom, classOf } = geometry({ layout, exact: true }, header);
    // The first and the last hashes of some buckets too.
    const some = [0, 1, buckets - 2, buckets - 1, ...Array.from({ length: 300 }, () => random() % buckets)];
    const edges = some.flatMap((bucket) => {
      const first = firstHashTwin(bucket, buckets);
      const end = firstHashTwin(bucket + 1, buckets);
      return [first, Math.min(first + 1, end - 1), end - 1];
    });
    const hashes = [...awkwardWords, ...edges, ...Array.from({ length: 2000 }, random)];
    const got = await evaluate(
      gpu,
      hashes.map((hash) => [hash]),
      (row) => ({
        statements: wgsl`
  ${join(
    Object.entries(grid).map(([name, value]) => wgsl`${header}.${name} = ${value}u;`),
    '\n  ',
  )}
  let address = ${locate}(vec2u(${row[0] as WgslPart}, 0u));
  let home = (address.region << ${header}.bucketBits) + address.home;
  let away = ${awayFrom}(home, ${classOf}(address.remainder));`,
        results: [
          'home',
          'address.remainder',
          wgsl`${hashFrom}(home, address.remainder)`,
          wgsl`u32(away != home && ${homeOf}(away, (address.remainder << 1u) | 1u) == home && ${homeOf}(home, address.remainder << 1u) == home)`,
        ],
      }),
    );
    const expected = hashes.map((hash) => {
      const { home, remainder } = placeTwin([hash, 0], true, grid);
      return [home, remainder, hash, 1];
    });
    expect(got).toEqual(expected);
  });

  it('knows where hashes of a part begin', async () => {
    const few = Array.from({ length: 40 }, (_, i) => i + 1).flatMap((parts) =>
      Array.from({ length: parts }, (_, part) => [part, parts]),
    );
    const awkward = awkwardWords
      .filter((parts) => parts > 0)
      .flatMap((parts) => [0, 1, 2, parts >>> 1, parts - 2, parts - 1, random() % parts].map((part) => [part, parts]))
      .filter(([part = 0, parts = 0]) => part >= 0 && part < parts);
    const others = Array.from({ length: 20_000 }, () => {
      const parts = (random() >>> (random() % 28)) + 1;
      return [random() % parts, Math.min(parts, 0xffff_ffff)];
    });
    const rows = [...few, ...awkward, ...others];
    const got = await evaluate(gpu, rows, ([part, parts]) => ({
      results: [wgsl`${firstHash}(${part as WgslPart}, ${parts as WgslPart})`],
    }));
    expect(got.flat()).toEqual(rows.map(([part = 0, parts = 0]) => firstHashTwin(part, parts)));
  });
});
