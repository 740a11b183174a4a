import { afterEach, describe, expect, it, vi } from 'vitest';
import { HashMap } from '../../../src/collections/index.ts';
import { randomWords } from '../../../src/hashing/index.ts';
import { linearProbing, mix, u32 } from '../../../src/index.ts';
import { headerOffset } from '../../../src/schemes/contract/index.ts';
import { TestBuffers } from '../../conformance/buffers.ts';
import { keyKinds } from '../../conformance/keyKinds.ts';
import { joined, partsOf } from '../../forging/forge.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();
const items = { keys: new Uint32Array([5, 6, 7]), values: new Uint32Array([1, 2, 3]) };

const functionOf = (map: HashMap<unknown, never>): string => map.table.state.header.hash.join();
const open = (bytes: Uint8Array) => HashMap.fromBytes(gpu, bytes, { scheme, key: u32 });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the random choices of a table', () => {
  it('follow from the system alone, where no seed is given', async () => {
    const drawn = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
      (array as unknown as Uint32Array).forEach((_, i) => {
        (array as unknown as Uint32Array)[i] = 1000 + i;
      });
      return array;
    });
    using map = await HashMap.from(gpu, items, { scheme });
    // All four words of the function: 128 bits.
    let next = 1000;
    expect(map.table.state.header.hash).toEqual([...mix.draw(() => next++)]);
    expect(drawn).toHaveBeenCalled();
    expect(map.report.seed).toBeUndefined();
  });

  it('follow from the seed alone, where one is given', async () => {
    const drawn = vi.spyOn(crypto, 'getRandomValues');
    using map = await HashMap.from(gpu, items, { scheme, seed: 7 });
    expect(map.table.state.header.hash).toEqual([...mix.draw(randomWords(7))]);
    expect(map.report.seed).toBe(7);
    expect(drawn).not.toHaveBeenCalled();
  });

  it('are new ones in a table that was opened and is built anew, whatever it was saved with', async () => {
    for (const options of [{ scheme, seed: 7 }, { scheme }]) {
      using map = await HashMap.from(gpu, items, options);
      const bytes = await map.toBytes();
      const known = new Set([functionOf(map as never)]);
      const follows = randomWords(7);
      for (let i = 0; i < 10; i++) known.add([...mix.draw(follows)].join());
      for (let i = 0; i < 2; i++) {
        using opened = await open(bytes);
        expect(opened.report.seed).toBe(map.report.seed);
        expect(functionOf(opened as never)).toBe(functionOf(map as never));
        await opened.rebuild(items);
        expect(opened.report.seed).toBeUndefined();
        expect(known).not.toContain(functionOf(opened as never));
        known.add(functionOf(opened as never));
        await opened.rebuild(items);
        expect(known).not.toContain(functionOf(opened as never));
      }
    }
  });

  it('are not in what is saved, beyond the function itself', async () => {
    using map = await HashMap.from(gpu, items, { scheme });
    expect(partsOf(await map.toBytes()).description.seed).toBeNull();
  });
});

it('a table that was saved as the last of all builds that a word can count is built anew', async () => {
  using map = await HashMap.from(gpu, items, { scheme });
  const parts = partsOf(await map.toBytes());
  parts.words.get('header')?.fill(0xffff_ffff, headerOffset('build') / 4, headerOffset('build') / 4 + 1);
  using opened = await open(joined(parts));
  using buffers = new TestBuffers(gpu);
  const input = { ...buffers.items(keyKinds.u32, { keys: [8n, 9n], values: new Uint32Array([4, 5]) }), count: 2 };
  await gpu.run((encoder) => opened.encodeRebuild(encoder, input));
  await opened.settle();
  expect([...(await opened.get(new Uint32Array([8, 9, 5]))).values]).toEqual([4, 5, 0]);
});
