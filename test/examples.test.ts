import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import tgpu from 'typegpu';
import { describe, expect, it, vi } from 'vitest';
import { makePicture } from '../bench/pictures/index.ts';
import { HashMap } from '../src/collections/index.ts';
import { GPUBufferUsage, GPUMapMode, GPUShaderStage } from '../src/gpu/index.ts';
import { allKinds } from './conformance/keyKinds.ts';
import { randomSet, valuesFor } from './conformance/keySets.ts';
import { keepsCopies } from './conformance/oracle.ts';
import { sharedGpu } from './sharedGpu.ts';

const gpu = await sharedGpu();

/** One test for every program or folder in `examples/`. */
const tests: Record<string, () => Promise<void>> = {
  async 'longer/tour.ts'() {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    await import('../examples/longer/tour.ts');
    const printed = log.mock.calls;
    log.mockRestore();
    expect(printed).toEqual([
      [new Float32Array([2, 0]), new Uint8Array([1, 0])],
      [new Float32Array([50.5, -1, 202, 8080])],
    ]);
  },

  async 'kernel-of-your-own.ts'() {
    const { stockValue } = await import('../examples/kernel-of-your-own.ts');
    expect(await stockValue(gpu)).toEqual(new Float32Array([10, 0, 25, 99]));
  },

  async 'longer/rebuild-every-frame.ts'() {
    const { meetingsPerFrame } = await import('../examples/longer/rebuild-every-frame.ts');
    const expected = Uint32Array.from({ length: 7 }, (_, frame) => {
      const alive = Array.from({ length: 1000 }, (_, agent) => agent).filter((agent) => agent % 3 !== frame % 3);
      const cells = new Set(alive.map((agent) => 2 * agent + (Math.floor((agent + frame) / 2) % 2)));
      return [...cells].filter((cell) => cells.has(cell + 1)).length;
    });
    expect(await meetingsPerFrame(gpu, 7)).toEqual(expected);
    expect(Math.min(...expected)).toBeGreaterThan(0);
  },

  async 'longer/voxel-blocks.ts'() {
    const { blocksInTheEnd } = await import('../examples/longer/voxel-blocks.ts');
    // Ten blocks at once; one leaves and one comes in every frame, and is not there yet when it is asked for.
    expect(await blocksInTheEnd(gpu, 12)).toEqual({ blocks: 9, rows: 10, hits: 11 * 144 });
  },

  async 'longer/sparse-picture.ts'() {
    const { drawTurned } = await import('../examples/longer/sparse-picture.ts');
    const { pixels } = makePicture({ kind: 'flower', width: 64, height: 64 });
    const turned = async (quarters: number) => {
      const bytes = await drawTurned(gpu, new Uint8ClampedArray(pixels.buffer), (quarters * Math.PI) / 2);
      return new Uint32Array(bytes.buffer);
    };
    expect(await turned(0)).toEqual(pixels);
    expect(await turned(2)).toEqual(pixels.slice().reverse());
    expect(await turned(1)).toEqual(pixels.map((_, i) => pixels[64 * (i % 64) + 63 - Math.floor(i / 64)] as number));
  },

  async 'first-steps.ts'() {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    await import('../examples/first-steps.ts');
    const printed = log.mock.calls;
    log.mockRestore();
    expect(printed).toEqual([[{ values: new Uint32Array([41, 0]), found: new Uint8Array([1, 0]) }]]);
  },

  async 'dedupe.ts'() {
    const { dedupe } = await import('../examples/dedupe.ts');
    expect(await dedupe(gpu)).toEqual({ rows: [0, 1, 3], cities: ['Oslo', 'Rome'], cityOfRow: [0, 1, 0, 0] });
  },

  async 'join.ts'() {
    const { ordersByCountry } = await import('../examples/join.ts');
    expect(await ordersByCountry(gpu)).toEqual([
      [900, 'NO'],
      [250, 'UK'],
      [7, 'unknown'],
      [100, 'NO'],
    ]);
  },

  async 'duckdb.ts'() {
    const { addTotals } = await import('../examples/duckdb.ts');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`CREATE TABLE orders AS FROM (VALUES
      ('ada', 250), ('bob', 4000000000), (NULL, 7), ('ada', 100), ('bob', 4000000000)) AS rows(customer, cents)`);
    expect(await addTotals(gpu, connection)).toBe(2);
    const totals = await connection.runAndReadAll('FROM totals ORDER BY customer');
    expect(totals.getRows()).toEqual([
      ['ada', 2, 350n],
      ['bob', 2, 8_000_000_000n],
    ]);
    connection.closeSync();
    instance.closeSync();
  },

  async 'group-by.ts'() {
    const { spentMost } = await import('../examples/group-by.ts');
    expect(await spentMost(gpu)).toEqual([
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
    const { nearEachOther } = await import('../examples/neighbours.ts');
    expect(await nearEachOther(gpu)).toEqual({ pairs: [0, 1, 1, 2], near: [[3], [0, 1, 2]] });
  },

  async 'voxels.ts'() {
    const { rowsOfBlocks } = await import('../examples/voxels.ts');
    expect(await rowsOfBlocks(gpu)).toEqual({ first: [0, 0, 1, 2], later: [1, 0], rows: 3 });
  },

  async 'save-to-a-file.ts'() {
    const { priceFromFile } = await import('../examples/save-to-a-file.ts');
    const folder = mkdtempSync(join(tmpdir(), 'hashnest-example-'));
    try {
      expect(await priceFromFile(gpu, join(folder, 'prices.hashnest'))).toBe(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },

  async 'longer/particles.ts'() {
    const { spreadOut } = await import('../examples/longer/particles.ts');
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

  async 'typegpu.ts'() {
    // TypeGPU expects them to be there, as in browsers.
    Object.assign(globalThis, { GPUBufferUsage, GPUMapMode, GPUShaderStage });
    const { pricesOf } = await import('../examples/typegpu.ts');
    expect(await pricesOf(tgpu.initFromDevice(gpu), [9, 8, 7, 0xffffffff])).toEqual([2, -1, 0.5, 80]);
  },

  async 'strings-in-a-worker.ts'() {
    const { numbersOf, prepared } = await import('../examples/strings-in-a-worker.ts');
    const names = Array.from({ length: 3000 }, (_, i) => `näme ${i}`);
    const [message, transfer] = prepared(names);
    // As a message is.
    const moved = structuredClone(message, { transfer });
    expect(message.words.length).toBe(0);
    expect(await numbersOf(gpu, moved, ['näme 0', 'näme 2999', 'nobody'])).toEqual(new Uint32Array([0, 2999, 0]));
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

/** Need a browser: test/browser/bridges.test.ts runs these, and test/browser/site.test.ts the other. */
const ON_BRIDGES = ['longer/luma.ts', 'three.ts'];
const IN_BROWSER = ['save-in-a-browser.ts', ...ON_BRIDGES];

describe('the examples', () => {
  it('are all tested here', () => {
    const folder = new URL('../examples/', import.meta.url);
    const longer = readdirSync(new URL('longer/', folder)).map((name) => `longer/${name}`);
    const all = [...readdirSync(folder).filter((name) => name !== 'longer'), ...longer];
    expect([...Object.keys(tests), ...IN_BROWSER].sort()).toEqual(all.sort());
    const page = readFileSync(new URL('browser/page/bridges.ts', import.meta.url), 'utf8');
    for (const name of ON_BRIDGES) expect(page).toContain(`examples/${name}`);
  });

  it.each(Object.entries(tests))('%s does what it says', (_, run) => run());
});

describe('the documents show the examples as they are', () => {
  const textOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

  it.each([
    ['README.md', 'examples/first-steps.ts'],
    ['README.md', 'examples/longer/tour.ts'],
    ['docs/dynamic.md', 'examples/longer/voxel-blocks.ts'],
    ['docs/apps.md', 'examples/longer/sparse-picture.ts'],
    ['docs/relational.md', 'examples/join.ts'],
    ['docs/relational.md', 'examples/group-by.ts'],
    ['docs/relational.md', 'examples/duckdb.ts'],
    ['docs/arrow.md', 'examples/arrow.ts'],
    ['docs/spatial.md', 'examples/longer/particles.ts'],
    ['docs/spatial.md', 'examples/weld.ts'],
    ['docs/devices.md', 'examples/longer/luma.ts'],
    ['docs/three.md', 'examples/three.ts'],
    ['docs/typegpu.md', 'examples/typegpu.ts'],
    ['docs/keys.md', 'examples/strings.ts'],
    ['docs/keys.md', 'examples/own-key-type.ts'],
    ['CONTRIBUTING.md', 'examples/plain-list/index.ts'],
    ['CONTRIBUTING.md', 'examples/plain-list/plan.ts'],
  ])('%s has %s', (document, example) => {
    expect(textOf(document)).toContain(`\`\`\`ts\n${textOf(example)}\`\`\``);
  });
});
