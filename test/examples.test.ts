import { readdirSync, readFileSync } from 'node:fs';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it, vi } from 'vitest';
import { makePicture } from '../bench/pictures/index.ts';
import { HashMap } from '../src/collections/index.ts';
import { allKinds } from './conformance/keyKinds.ts';
import { randomSet, valuesFor } from './conformance/keySets.ts';
import { keepsCopies } from './conformance/oracle.ts';
import { sharedGpu } from './sharedGpu.ts';

const gpu = await sharedGpu();

/** One test for every program or folder in `examples/`. */
const tests: Record<string, () => Promise<void>> = {
  async 'tour.ts'() {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    await import('../examples/tour.ts');
    const printed = log.mock.calls;
    log.mockRestore();
    expect(printed).toEqual([
      [new Float32Array([2, 0]), new Uint8Array([1, 0])],
      [new Float32Array([50.5, -1, 202, 8080])],
    ]);
  },

  async 'two-maps-in-one-shader.ts'() {
    const { stockValue } = await import('../examples/two-maps-in-one-shader.ts');
    expect(await stockValue(gpu)).toEqual(new Float32Array([10, 0, 25, 99]));
  },

  async 'rebuild-every-frame.ts'() {
    const { meetingsPerFrame } = await import('../examples/rebuild-every-frame.ts');
    const expected = Uint32Array.from({ length: 7 }, (_, frame) => {
      const alive = Array.from({ length: 1000 }, (_, agent) => agent).filter((agent) => agent % 3 !== frame % 3);
      const cells = new Set(alive.map((agent) => 2 * agent + (Math.floor((agent + frame) / 2) % 2)));
      return [...cells].filter((cell) => cells.has(cell + 1)).length;
    });
    expect(await meetingsPerFrame(gpu, 7)).toEqual(expected);
    expect(Math.min(...expected)).toBeGreaterThan(0);
  },

  async 'voxel-blocks.ts'() {
    const { blocksInTheEnd } = await import('../examples/voxel-blocks.ts');
    // Ten blocks at once; one leaves and one comes in every frame, and is not there yet when it is asked for.
    expect(await blocksInTheEnd(gpu, 12)).toEqual({ blocks: 9, rows: 10, hits: 11 * 144 });
  },

  async 'sparse-picture.ts'() {
    const { drawTurned } = await import('../examples/sparse-picture.ts');
    const { pixels } = makePicture({ kind: 'flower', width: 64, height: 64 });
    const turned = async (quarters: number) => {
      const bytes = await drawTurned(gpu, new Uint8ClampedArray(pixels.buffer), (quarters * Math.PI) / 2);
      return new Uint32Array(bytes.buffer);
    };
    expect(await turned(0)).toEqual(pixels);
    expect(await turned(2)).toEqual(pixels.slice().reverse());
    expect(await turned(1)).toEqual(pixels.map((_, i) => pixels[64 * (i % 64) + 63 - Math.floor(i / 64)] as number));
  },

  async 'join-and-group.ts'() {
    const { spentByCountry } = await import('../examples/join-and-group.ts');
    expect(await spentByCountry(gpu)).toEqual([
      ['NO', 3, 4_000_001_000n],
      ['UK', 1, 250n],
    ]);
  },

  async 'arrow.ts'() {
    const { spentByCountry } = await import('../examples/arrow.ts');
    const table = tableFromIPC(await spentByCountry(gpu));
    expect(table.toArray().map(String)).toEqual([
      '{"country": "NO", "orders": 6, "paid": 4, "cents": 2000}',
      '{"country": "UK", "orders": 2, "paid": 2, "cents": 500}',
    ]);
  },

  async 'neighbours.ts'() {
    const { spreadOut } = await import('../examples/neighbours.ts');
    // Two that are half apart, one that is alone, and two at one place, which do not know where to go.
    const got = await spreadOut(gpu, new Float32Array([0, 0, 0.5, 0, 9, 9, -7, 3, -7, 3]), 1);
    expect([...got].map((x) => x.toFixed(4))).toEqual(
      [-0.0375, 0, 0.5375, 0, 9, 9, -7, 3, -7, 3].map((x) => x.toFixed(4)),
    );
    const later = await spreadOut(gpu, new Float32Array([0, 0, 0.5, 0, 0.2, 0.3]), 200);
    const nearest = Math.min(
      ...[0, 1, 2].map((i) =>
        Math.hypot(
          (later[2 * i] as number) - (later[(2 * i + 2) % 6] as number),
          (later[2 * i + 1] as number) - (later[(2 * i + 3) % 6] as number),
        ),
      ),
    );
    expect(nearest).toBeGreaterThan(0.9);
  },

  async 'weld.ts'() {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    const { cornersOfSquare } = await import('../examples/weld.ts');
    expect(await cornersOfSquare(gpu)).toEqual([
      [0, 1, 2, 0, 2, 3],
      [0, 1, 2, 0, 3, 4],
    ]);
    expect(log.mock.calls).toEqual([[4, 'vertices instead of', 6]]);
    log.mockRestore();
  },

  async 'strings.ts'() {
    const { lookNamesUp } = await import('../examples/strings.ts');
    expect(await lookNamesUp(gpu)).toEqual([
      [1815, 0, 0, 1706, 0],
      [1815, 1815, 1906, 1706, 0],
    ]);
  },

  async 'own-key-type.ts'() {
    const { date, holidays } = await import('../examples/own-key-type.ts');
    expect(await holidays(gpu)).toEqual([200, 0]);
    const days = [{ year: 1815, month: 12, day: 10 }];
    expect(date.decode(date.encode(days).words)).toEqual(days);
  },

  async 'plain-list'() {
    const { plainList } = await import('../examples/plain-list/index.ts');
    for (const kind of allKinds) {
      const { present, absent } = randomSet(kind, 100);
      const items = { keys: [...present, ...present], values: valuesFor(200) };
      const input = { keys: kind.host(items.keys), values: items.values };
      for (const duplicates of ['first', 'last', 'any'] as const) {
        using map = await HashMap.from(gpu, input, { key: kind.type, scheme: plainList(), duplicates });
        await keepsCopies(kind, map, items, duplicates, absent, `${kind.name} ${duplicates}`);
      }
    }
  },
};

describe('the examples', () => {
  it('are all tested here', () => {
    expect(Object.keys(tests).sort()).toEqual(readdirSync(new URL('../examples/', import.meta.url)).sort());
  });

  it.each(Object.entries(tests))('%s does what it says', (_, run) => run());
});

describe('the documents show the examples as they are', () => {
  const textOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

  it.each([
    ['README.md', 'examples/tour.ts'],
    ['docs/dynamic.md', 'examples/voxel-blocks.ts'],
    ['docs/apps.md', 'examples/sparse-picture.ts'],
    ['docs/relational.md', 'examples/join-and-group.ts'],
    ['docs/arrow.md', 'examples/arrow.ts'],
    ['docs/spatial.md', 'examples/neighbours.ts'],
    ['docs/spatial.md', 'examples/weld.ts'],
    ['docs/keys.md', 'examples/strings.ts'],
    ['docs/keys.md', 'examples/own-key-type.ts'],
    ['CONTRIBUTING.md', 'examples/plain-list/index.ts'],
    ['CONTRIBUTING.md', 'examples/plain-list/plan.ts'],
  ])('%s has %s', (document, example) => {
    expect(textOf(document)).toContain(`\`\`\`ts\n${textOf(example)}\`\`\``);
  });
});
