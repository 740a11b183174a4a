/** What `encodeEntries` and `encodeKeys` ask of the caller's buffers. That they list what there is, the conformance list tells. */
import { describe, expect, it } from 'vitest';
import { USAGE } from '../../src/gpu/index.ts';
import {
  Aggregate,
  DestroyedError,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  HashMap,
  HashSet,
  InvalidInputError,
  KeyIndex,
  linearProbing,
  MultiMap,
  u32,
  utf8,
  valueTypes,
} from '../../src/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');
const keys = Uint32Array.of(7, 9, 7, 8);
const values = Uint32Array.of(1, 2, 3, 4);
const items = { keys, values };
/** The one whose kernels are compiled fastest. */
const scheme = linearProbing();

/** Every collection, with a list of entries and of keys, each by the same names. */
const COLLECTIONS = {
  HashMap: () => HashMap.from(gpu, items, { scheme }),
  HashSet: () => HashSet.from(gpu, { keys }, { scheme }),
  'KeyIndex by a sort': () => KeyIndex.from(gpu, { keys }, { scheme, construction: 'sort' }),
  'KeyIndex by the table': () => KeyIndex.from(gpu, { keys }, { scheme, construction: 'table' }),
  MultiMap: () => MultiMap.from(gpu, items, { scheme }),
  Aggregate: () => Aggregate.from(gpu, items, { scheme, combine: 'sum' }),
  DynamicMap: async () => {
    const map = await DynamicMap.create(gpu, { key: u32 });
    await map.insert(keys, values);
    return map;
  },
  DynamicSet: async () => {
    const set = await DynamicSet.create(gpu, { key: u32 });
    await set.insert(keys);
    return set;
  },
  DynamicIndex: async () => {
    const index = await DynamicIndex.create(gpu, { key: u32 });
    await index.activate(keys);
    return index;
  },
} as const;

type Made = Awaited<ReturnType<(typeof COLLECTIONS)[keyof typeof COLLECTIONS]>>;

interface Io {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  readonly count: { readonly buffer: GPUBuffer; readonly offset?: number };
}

/** How a collection lists all that it has, and how many that can be. */
const listed = (made: Made, target: GPUCommandEncoder, { keys, values, count }: Io): void => {
  if (made instanceof HashSet || made instanceof DynamicSet) made.encodeKeys(target, { keys, count });
  else if (made instanceof KeyIndex || made instanceof DynamicIndex) {
    made.encodeEntries(target, { keys, ids: values, count });
  } else (made as HashMap<Uint32Array>).encodeEntries(target, { keys, values, count });
};
const capacityOf = (made: Made): number => (made instanceof MultiMap ? made.valueCapacity : made.keyCapacity);
const hasValues = (made: Made): boolean => !(made instanceof HashSet || made instanceof DynamicSet);

describe.each(Object.entries(COLLECTIONS))('the entries of a %s', (_, make) => {
  it('go into buffers with exactly as much room as the capacity tells, as often as one likes', async () => {
    using made = await make();
    using buffers = new TestBuffers(gpu);
    const capacity = capacityOf(made);
    const io = { keys: buffers.words(capacity), values: buffers.words(capacity), count: { buffer: buffers.words(1) } };
    for (let i = 0; i < 2; i++) await gpu.run((encoder) => listed(made, encoder, io));
    const size = (await buffers.read(io.count.buffer, 1))[0] as number;
    expect(size).toBe(made instanceof MultiMap ? 4 : 3);
    const expected = made instanceof MultiMap ? keys : Uint32Array.of(7, 8, 9);
    expect((await buffers.read(io.keys, size)).sort()).toEqual(expected.slice().sort());
  });

  it('need room, a buffer for each thing, and none that the table has itself', async () => {
    using made = await make();
    using buffers = new TestBuffers(gpu);
    const capacity = capacityOf(made);
    const io = { keys: buffers.words(capacity), values: buffers.words(capacity), count: { buffer: buffers.words(1) } };
    const small = gpu.device.createBuffer({ size: 4, usage: USAGE.STORAGE });
    const uniforms = gpu.device.createBuffer({ size: 1 << 16, usage: USAGE.UNIFORM });
    const own = made.table.buffers.header;
    const wrong: [Partial<Io>, string][] = [
      [{ keys: small }, `keys has room for 1, but there may be ${capacity}`],
      [{ keys: uniforms }, 'keys must be a buffer with the usage STORAGE'],
      [{ keys: own }, 'keys must not be a buffer of the table itself'],
      [{ count: { buffer: io.keys } }, 'count and keys must not be the same buffer'],
      [{ count: { buffer: own } }, 'count must not be a buffer of the table itself'],
      [{ count: { buffer: small, offset: 4 } }, 'count.offset is 4, but the buffer has only 4 bytes'],
      [{ count: { buffer: small, offset: 2 } }, 'count.offset must be a multiple of 4'],
      ...((hasValues(made)
        ? [
            [{ values: small }, `has room for 1, but there may be ${capacity}`],
            [{ values: io.keys }, 'must not be the same buffer'],
            [{ values: own }, 'must not be a buffer of the table itself'],
          ]
        : []) as [Partial<Io>, string][]),
      ...(made instanceof KeyIndex
        ? ([[{ count: made.sizeOnGpu }, 'count must not be a buffer of the table itself']] as [Partial<Io>, string][])
        : []),
      ...('left' in made
        ? ([[{ count: made.left }, 'count must not be a buffer of the table itself']] as [Partial<Io>, string][])
        : []),
      ...(made instanceof DynamicIndex
        ? ([[{ count: made.idLimitOnGpu }, 'count must not be a buffer of the table itself']] as [
            Partial<Io>,
            string,
          ][])
        : []),
    ];
    const { error, live } = await liveBuffers(gpu, async () => {
      const encoder = gpu.device.createCommandEncoder();
      for (const [change, message] of wrong) {
        const call = () => listed(made, encoder, { ...io, ...change });
        expect(call, message).toThrow(InvalidInputError);
        expect(call).toThrow(message);
      }
    });
    expect(error).toBeUndefined();
    expect(live).toEqual([]);
    for (const buffer of [small, uniforms]) buffer.destroy();
  });

  it('are not read while a call changes the collection, nor after it was destroyed', async () => {
    const made = await make();
    using buffers = new TestBuffers(gpu);
    const room = 4 * capacityOf(made);
    const io = { keys: buffers.words(room), values: buffers.words(room), count: { buffer: buffers.words(1) } };
    const encoder = gpu.device.createCommandEncoder();
    const changing = 'clear' in made ? made.clear() : made.rebuild(items as never);
    expect(() => listed(made, encoder, io)).toThrow(/the table is being (changed|rebuilt)/);
    await changing;
    listed(made, encoder, io);
    made.destroy();
    expect(() => listed(made, encoder, io)).toThrow(DestroyedError);
    expect(() => made.encodeKeys(encoder, io)).toThrow(DestroyedError);
    expect(() => made.context).toThrow(DestroyedError);
  });
});

describe('entries on the GPU', () => {
  it('have values as wide as those of the map, and of an aggregate', async () => {
    using buffers = new TestBuffers(gpu);
    const wide = Float32Array.from({ length: 12 }, (_, i) => i);
    using map = await HashMap.from(gpu, { keys, values: wide }, { scheme, value: valueTypes.vec3f });
    const io = { keys: buffers.words(4), values: buffers.words(12), count: { buffer: buffers.words(1) } };
    await gpu.run((encoder) => map.encodeEntries(encoder, io));
    const found = [...(await buffers.read(io.keys, 3))];
    const floats = new Float32Array((await buffers.read(io.values, 9)).buffer);
    for (const [key, first] of [
      [7, 6],
      [8, 9],
      [9, 3],
    ] as const) {
      const at = 3 * found.indexOf(key);
      expect([...floats.subarray(at, at + 3)]).toEqual([first, first + 1, first + 2]);
    }
    const short = { ...io, values: buffers.words(11) };
    expect(() => map.encodeEntries(gpu.device.createCommandEncoder(), short)).toThrow('values has room for 3');
    using many = await MultiMap.from(gpu, { keys, values: wide }, { scheme, value: valueTypes.vec3f });
    await gpu.run((encoder) => many.encodeEntries(encoder, io));
    const all = new Float32Array((await buffers.read(io.values, 12)).buffer);
    const [first, second] = [...(await buffers.read(io.keys, 4)).entries()].filter(([, key]) => key === 7);
    expect(second?.[0]).toBe((first?.[0] as number) + 1);
    expect([...all.subarray(3 * (first?.[0] as number), 3 * (first?.[0] as number) + 6)]).toEqual([0, 1, 2, 6, 7, 8]);
  });

  it('rebuild the very table that they come from, with its own bytes', async () => {
    using buffers = new TestBuffers(gpu);
    const names = Array.from({ length: 300 }, (_, i) => `name ${i}`);
    using map = await HashMap.from(gpu, { keys: names, values: Uint32Array.from(names, (_, i) => i) }, { scheme });
    const io = { keys: buffers.words(600), values: buffers.words(300), count: { buffer: buffers.words(1) } };
    await gpu.run((encoder) => {
      map.encodeEntries(encoder, io);
      map.encodeRebuild(encoder, { ...io, context: map.context as GPUBuffer });
    });
    await map.settle();
    expect(map.size).toBe(300);
    expect([...(await map.get(['name 0', 'name 299', 'name 300'], { missing: 7 })).values]).toEqual([0, 299, 7]);
  });

  it('of tables that live, also after batches of the same encoder, build others, strings too', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await DynamicMap.create(gpu, { key: utf8, reserve: 600 });
    const names = Array.from({ length: 300 }, (_, i) => `name ${i}`);
    await map.insert(
      names,
      Uint32Array.from(names, (_, i) => i),
    );
    await map.delete(names.slice(0, 100));
    const more = utf8.encode(names.slice(200).map((name) => `more than ${name}`));
    const [bytes = new Uint8Array()] = more.context ?? [];
    const context = buffers.words(Math.ceil(bytes.length / 4));
    gpu.write(context, bytes);
    await map.reserve(600, context.size);
    const capacity = map.keyCapacity;
    const io = {
      keys: buffers.words(2 * capacity),
      values: buffers.words(capacity),
      count: { buffer: buffers.words(1) },
    };
    const keyBuffer = buffers.upload(more.words);
    const encoder = gpu.device.createCommandEncoder();
    map.encodeInsert(encoder, { keys: keyBuffer, values: keyBuffer, count: 100, context });
    map.encodeEntries(encoder, io);
    const source = { ...io, context: map.context as GPUBuffer };
    using copy = HashMap.encodeBuild(gpu, encoder, source, { key: utf8, scheme });
    using set = HashSet.encodeBuild(gpu, encoder, source, { key: utf8, scheme });
    const again = { ...io, keys: buffers.words(2 * capacity), values: buffers.words(capacity) };
    copy.encodeEntries(encoder, again);
    using index = KeyIndex.encodeBuild(
      gpu,
      encoder,
      { ...again, context: copy.context as GPUBuffer },
      { key: utf8, scheme },
    );
    gpu.device.queue.submit([encoder.finish()]);
    for (const made of [copy, set, index]) {
      await made.settle();
      expect(made.size).toBe(300);
    }
    expect(await map.settle()).toEqual({ left: 0 });
    const queries = ['name 99', 'name 100', 'more than name 250', 'name'];
    expect([...(await copy.has(queries))]).toEqual([0, 1, 1, 0]);
    expect([...(await set.has(queries))]).toEqual([0, 1, 1, 0]);
    expect([...(await index.has(queries))]).toEqual([0, 1, 1, 0]);
    expect([...(await copy.get(['name 250'])).values]).toEqual([250]);
  });

  it('of an index that lives go with ids of their own, and fill another table that lives', async () => {
    using buffers = new TestBuffers(gpu);
    using index = await DynamicIndex.create(gpu, { key: u32, reserve: 500 });
    await index.activate(Uint32Array.from({ length: 400 }, (_, i) => i));
    await index.release(Uint32Array.from({ length: 150 }, (_, i) => 2 * i));
    using map = await DynamicMap.create(gpu, { key: u32, reserve: 2 * index.keyCapacity });
    const capacity = index.keyCapacity;
    const io = { keys: buffers.words(capacity), ids: buffers.words(capacity), count: { buffer: buffers.words(1) } };
    await gpu.run((encoder) => {
      index.encodeEntries(encoder, io);
      map.encodeInsert(encoder, { keys: io.keys, values: io.ids, count: io.count });
    });
    await map.settle();
    const queries = Uint32Array.from({ length: 400 }, (_, i) => i);
    const NONE = 0xffff_ffff;
    expect(map.size).toBe(250);
    expect((await map.get(queries, { missing: NONE })).values).toEqual(await index.ids(queries));
  });
});
