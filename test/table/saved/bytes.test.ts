import { beforeAll, describe, expect, it } from 'vitest';
import { HashMap, KeyIndex, MultiMap } from '../../../src/collections/index.ts';
import { FormatError, InvalidInputError } from '../../../src/gpu/index.ts';
import { linearProbing, utf8 } from '../../../src/index.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();
const items = { keys: new Uint32Array([5, 6, 7, 5]), values: new Uint32Array([1, 2, 3, 4]) };

/** The same bytes as somebody else might hold them. */
const HOLDERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  'a Buffer of its own': (bytes) => Buffer.from(new Uint8Array(bytes).buffer),
  // Small files are read into a part of the pool.
  'a Buffer in a pool, at an odd offset': (bytes) => {
    const pool = Buffer.alloc(bytes.length + 9, 0xa5);
    pool.set(bytes, 5);
    return pool.subarray(5, 5 + bytes.length);
  },
  'a part of a larger array': (bytes) => {
    const larger = new Uint8Array(bytes.length + 7).fill(0xa5);
    larger.set(bytes, 3);
    return larger.subarray(3, 3 + bytes.length);
  },
  'shared memory': (bytes) => {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 1), 1);
    shared.set(bytes);
    return shared;
  },
  'memory that may grow': (bytes) => {
    const Resizable = ArrayBuffer as unknown as new (length: number, options: object) => ArrayBuffer;
    const growing = new Uint8Array(new Resizable(bytes.length, { maxByteLength: 2 * bytes.length }));
    growing.set(bytes);
    return growing;
  },
};

describe('saved bytes open, wherever they lie', () => {
  let saved: { map: Uint8Array; index: Uint8Array; multiMap: Uint8Array };

  beforeAll(async () => {
    using map = await HashMap.from(gpu, items, { scheme });
    using index = await KeyIndex.from(gpu, items, { scheme });
    using multiMap = await MultiMap.from(gpu, items, { scheme });
    saved = { map: await map.toBytes(), index: await index.toBytes(), multiMap: await multiMap.toBytes() };
  });

  it.each(Object.entries(HOLDERS))('in %s', async (_, held) => {
    using map = await HashMap.fromBytes(gpu, held(saved.map), { scheme });
    expect([...(await map.get(items.keys)).values]).toEqual([4, 2, 3, 4]);
    using index = await KeyIndex.fromBytes(gpu, held(saved.index), { scheme });
    expect(await index.keysOf(await index.ids(items.keys))).toEqual(items.keys);
    using multiMap = await MultiMap.fromBytes(gpu, held(saved.multiMap), { scheme });
    expect((await multiMap.get(items.keys)).map((values) => [...values])).toEqual([[1, 4], [2], [3], [1, 4]]);
  });

  it('and are read before the first wait', async () => {
    for (const held of Object.values(HOLDERS)) {
      const bytes = held(saved.multiMap);
      const opening = MultiMap.fromBytes(gpu, bytes, { scheme });
      bytes.fill(0xff);
      using multiMap = await opening;
      expect((await multiMap.get(items.keys)).map((values) => [...values])).toEqual([[1, 4], [2], [3], [1, 4]]);
    }
  });

  it('and may be transferred at once', async () => {
    using names = await HashMap.from(gpu, { keys: ['ada', 'bob'], values: new Uint32Array([1, 2]) }, { scheme });
    for (const bytes of [await names.toBytes(), await names.toBytes()]) {
      const opening = HashMap.fromBytes(gpu, bytes, { scheme, key: utf8 });
      structuredClone(bytes, { transfer: [bytes.buffer] });
      using opened = await opening;
      expect((await opened.get(['ada', 'bob', 'eve'])).values).toEqual(Uint32Array.of(1, 2, 0));
    }
  });

  it('and a file cut to nothing, or an array that was transferred away, is a typed error', async () => {
    const bytes = new Uint8Array(saved.map);
    structuredClone(bytes, { transfer: [bytes.buffer] });
    await expect(HashMap.fromBytes(gpu, bytes, { scheme })).rejects.toBeInstanceOf(FormatError);
    await expect(HashMap.fromBytes(gpu, bytes, { scheme })).rejects.toThrow(/transferred/);
  });

  it('and what is no array of bytes is refused by name', async () => {
    const { buffer } = new Uint8Array(saved.map);
    const others: readonly [string, unknown][] = [
      ['ArrayBuffer', buffer],
      ['DataView', new DataView(buffer)],
      ['Uint32Array', new Uint32Array(4)],
      ['Uint8ClampedArray', new Uint8ClampedArray(buffer)],
      ['Array', [...saved.map]],
      ["'HNST'", 'HNST'],
      ['null', null],
      ['undefined', undefined],
    ];
    for (const [name, other] of others) {
      const opening = HashMap.fromBytes(gpu, other as Uint8Array, { scheme });
      await expect(opening).rejects.toBeInstanceOf(InvalidInputError);
      await expect(opening).rejects.toThrow(`bytes must be a Uint8Array, not ${name}`);
    }
  });
});
