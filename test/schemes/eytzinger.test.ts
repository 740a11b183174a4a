import { describe, expect, it } from 'vitest';
import { HashSet } from '../../src/collections/index.ts';
import { nodeOf } from '../../src/schemes/eytzinger/build.wgsl.ts';
import { eytzinger } from '../../src/schemes/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { evaluate } from '../evaluate.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

/** The nodes of a tree of that size, from the least key to the greatest: left subtree, node, right subtree. */
function nodesInOrder(size: number, node = 1): number[] {
  return node > size ? [] : [...nodesInOrder(size, 2 * node), node, ...nodesInOrder(size, 2 * node + 1)];
}

describe('the layout of a search tree', () => {
  it('has a node for every rank, whatever the size', async () => {
    const sizes = [...Array.from({ length: 70 }, (_, i) => i + 1), 1023, 1024, 1025, 3000];
    const rows = sizes.flatMap((size) => Array.from({ length: size }, (_, rank) => [rank, size]));
    const nodes = await evaluate(gpu, rows, ([rank = '', size = '']) => ({
      results: [wgsl`${nodeOf}(${rank}, ${size})`],
    }));
    expect(nodes.flat()).toEqual(sizes.flatMap((size) => nodesInOrder(size)));
  });

  it('has a node for the ends of the largest trees', async () => {
    const sizes = [2 ** 30 - 1, 2 ** 30, 2 ** 30 + 1, 2 ** 31 - 2];
    const nodes = await evaluate(
      gpu,
      sizes.flatMap((size) => [
        [0, size],
        [size - 1, size],
      ]),
      ([rank = '', size = '']) => ({ results: [wgsl`${nodeOf}(${rank}, ${size})`] }),
    );
    const leftmost = (size: number) => 2 ** Math.floor(Math.log2(size));
    // The greatest key is at the end of the path that only goes right.
    const rightmost = (size: number) => 2 ** Math.floor(Math.log2(size + 1)) - 1;
    expect(nodes.flat()).toEqual(sizes.flatMap((size) => [leftmost(size), rightmost(size)]));
  });

  it('is what lies in the table, copies left out', async () => {
    const keys = Uint32Array.from({ length: 100 }, (_, i) => (i * 37) % 50);
    using set = await HashSet.from(gpu, { keys }, { scheme: eytzinger() });
    const [bytes] = await gpu.run(() => {}, [{ buffer: set.table.buffers.get('leads'), bytes: 51 * 4 }]);
    const leads = new Uint32Array(bytes as ArrayBuffer);
    expect(nodesInOrder(50).map((node) => leads[node])).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });
});

describe('a search', () => {
  it.each([1, 2, 3, 4, 6, 7, 8, 100, 127, 128, 129])('finds all of %i keys and nothing between them', async (count) => {
    const keys = Uint32Array.from({ length: count }, (_, i) => 2 * i + 1);
    using set = await HashSet.from(gpu, { keys }, { scheme: eytzinger() });
    expect((await set.has(keys)).indexOf(0)).toBe(-1);
    expect((await set.has(Uint32Array.from({ length: count + 1 }, (_, i) => 2 * i))).indexOf(1)).toBe(-1);
  });

  it('looks at one key of every level, and once more at the one it ends at', async () => {
    // A full tree of seven levels.
    const keys = Uint32Array.from({ length: 127 }, (_, i) => 2 * i + 1);
    using set = await HashSet.from(gpu, { keys }, { scheme: eytzinger() });
    const { present, absent } = await set.stats({ absent: Uint32Array.of(0, 100, 1000) });
    expect(present.within).toMatchObject({ 50: 8, 100: 8 });
    // Nothing is greater than 1000, so there is nothing more to look at.
    expect(absent.average).toBeCloseTo((8 + 8 + 7) / 3);
  });
});
