/** What callers may do wrong, and in which order they may do things. */
import { describe, expect, it } from 'vitest';
import { slotsBetween } from '../../src/dynamic/fits.ts';
import {
  DestroyedError,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  dyCuckoo,
  HashnestError,
  linearProbing,
  regionCuckoo,
  TooLargeError,
  tuple,
  UnsupportedError,
  u32,
  utf8,
  valueTypes,
  vec4i,
  wgsl,
} from '../../src/index.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');
const words = Uint32Array.of(1, 2, 3);
const any = (value: unknown): never => value as never;

const map = await DynamicMap.create(gpu, { key: u32 });
const index = await DynamicIndex.create(gpu, { key: u32 });
const set = await DynamicSet.create(gpu, { key: utf8 });
const buffer = gpu.upload('test', new Uint32Array(64));
const other = gpu.createBuffer('test', 256);
const small = gpu.createBuffer('test', 16);
const encoder = gpu.device.createCommandEncoder();

/** Calls, and what their messages say. */
const WRONG: Record<string, [() => unknown, RegExp]> = {
  'no gpu': [() => DynamicMap.create(any(undefined), { key: u32 }), /DynamicMap.create: gpu must be/],
  'no options': [() => DynamicMap.create(gpu, any(undefined)), /options must be/],
  'half an item to prepare for': [
    () => DynamicMap.prepare(gpu, { key: u32, items: 0.5 }),
    /items must be a whole number, not 0.5/,
  ],
  'no number of items to prepare for': [
    () => DynamicSet.prepare(gpu, any({ key: u32 })),
    /items must be a whole number, not undefined/,
  ],
  'no key type': [() => DynamicMap.create(gpu, any({})), /key must be a key type/],
  'the name of a key type': [() => DynamicSet.create(gpu, any({ key: 'u32' })), /key must be a key type/],
  'a misspelt option': [() => DynamicMap.create(gpu, any({ key: u32, vlaue: 1 })), /did you mean value/],
  'a value type of no library': [() => DynamicMap.create(gpu, any({ key: u32, value: 'f32' })), /value must be/],
  'a reserve that is no number': [() => DynamicMap.create(gpu, any({ key: u32, reserve: '9' })), /reserve must be/],
  'a seed that is no word': [() => DynamicIndex.create(gpu, { key: u32, seed: -1 }), /seed must be/],
  'a static scheme': [() => DynamicMap.create(gpu, { key: u32, scheme: any(linearProbing) }), /scheme must be/],
  'bounds too close': [
    () => DynamicMap.create(gpu, { key: u32, lowest: 0.8, highest: 0.85 }),
    /at most 0.8 of highest/,
  ],
  'bounds too high': [() => DynamicMap.create(gpu, { key: u32, highest: 0.99 }), /highest must be/],
  'keys of another type': [
    () => map.insert(any(Int32Array.of(1)), Uint32Array.of(1)),
    /DynamicMap.insert: keys must be/,
  ],
  'keys that are called unique in other words': [
    () => map.insert(words, words, any({ unique: 'yes' })),
    /unique must be true or false, not 'yes'/,
  ],
  'keys on the GPU, whose number nobody can tell it': [
    () => map.insert(any(buffer), words),
    /DynamicMap.insert: keys must be a Uint32Array \(a GPUBuffer goes into a batch on an encoder\)/,
  ],
  'values of another type': [() => map.insert(words, any(Float32Array.of(1, 2, 3))), /values must be u32 values/],
  'too few values': [() => map.insert(words, Uint32Array.of(1)), /3 keys but 1 values/],
  'no values': [() => map.insert(words, any(undefined)), /values must be/],
  'an unknown policy': [() => map.insert(words, words, { onExisting: any('add') }), /onExisting must be/],
  'a misspelt policy': [() => map.insert(words, words, any({ onExisiting: 'keep' })), /did you mean onExisting/],
  'a combiner without a function': [
    () => map.insert(words, words, { onExisting: { identity: 0, combine: any('a + b') } }),
    /combine must be/,
  ],
  'an identity that is no value': [
    () =>
      map.insert(words, words, {
        onExisting: { identity: 0.5, combine: wgsl`fn f(a: u32, b: u32) -> u32 { return a; }` },
      }),
    /identity must be/,
  ],
  'keys that are no array': [() => map.delete(any(7)), /DynamicMap.delete: keys must be/],
  'strings that are numbers': [() => set.insert(any([1, 2])), /keys must be an array of strings/],
  'a query of another type': [() => map.get(any(['a'])), /DynamicMap.get: keys\[0\] must be/],
  'a missing that is no value': [() => map.get(words, { missing: any('x') }), /missing must be/],
  'half a reserve': [() => map.reserve(0.5), /keys must be a whole number/],
  'bytes that are none': [() => set.reserve(5, any('5')), /bytes must be a whole number/],
  'no target': [() => map.encodeInsert(any(gpu), { keys: buffer, values: buffer, count: 1 }), /target must be/],
  'no buffers': [() => map.encodeInsert(encoder, any(undefined)), /buffers must be/],
  'an array for a buffer': [
    () => map.encodeInsert(encoder, { keys: any(words), values: buffer, count: 1 }),
    /keys must be/,
  ],
  'a count that is too great': [
    () => map.encodeInsert(encoder, { keys: buffer, values: buffer, count: 65 }),
    /count is 65/,
  ],
  'a buffer that is read and written': [
    () => map.encodeInsert(encoder, { keys: buffer, values: other, count: 4, found: buffer }),
    /keys and found must not be the same/,
  ],
  'a list that is too short': [
    () => map.encodeInsert(encoder, { keys: buffer, values: buffer, count: 64, left: small }),
    /left has no word for each/,
  ],
  'strings without their bytes': [() => set.encodeInsert(encoder, { keys: buffer, count: 2 }), /need a `context`/],
  'more bytes than there is room for': [
    () => set.encodeInsert(encoder, { keys: buffer, context: gpu.createBuffer('test', 1 << 16), count: 2 }),
    /reserve\(keys, bytes\)/,
  ],
  'the bytes of the table as those of a batch': [
    () => set.encodeDelete(encoder, { keys: buffer, context: any(set.context), count: 2 }),
    /DynamicSet.encodeDelete: context of the table and context must not be the same/,
  ],
  'no ids': [() => index.encodeActivate(encoder, any({ keys: buffer, count: 1 })), /ids must be/],
  'ids over the keys': [() => index.encodeActivate(encoder, { keys: buffer, ids: buffer, count: 1 }), /keys and ids/],
  'a name that WGSL has not': [() => map.wgsl({ name: '1st', group: 1 }), /name must be/],
  'bytes that are none at all': [() => DynamicMap.fromBytes(gpu, any('x')), /bytes must be a Uint8Array/],
};

describe('a collection that lives', () => {
  it.each(Object.entries(WRONG))('refuses %s, and stays as it is', async (_, [call, message]) => {
    const { error, live } = await liveBuffers(gpu, async () => call());
    expect(error).toBeInstanceOf(HashnestError);
    expect((error as Error).message).toMatch(message);
    expect(live.filter((label) => label !== 'hashnest/test')).toEqual([]);
    expect([map.size, index.size, set.size]).toEqual([0, 0, 0]);
  });

  it('leaves alone what else is in the object that the keys are in', async () => {
    using mine = await DynamicIndex.create(gpu, { key: u32, reserve: 10 });
    using numbers = await DynamicSet.create(gpu, { key: u32, reserve: 10 });
    const keys = gpu.upload('test', words);
    const input = { keys, count: 3, values: 'my own' };
    await gpu.run((commands) => {
      mine.encodeActivate(commands, { ...input, ids: other });
      numbers.encodeInsert(commands, input);
    });
    await mine.settle();
    await numbers.settle();
    expect([mine.size, numbers.size]).toEqual([3, 3]);
    await gpu.run((commands) => {
      mine.encodeRelease(commands, input);
      numbers.encodeDelete(commands, input);
    });
    await mine.settle();
    await numbers.settle();
    expect([mine.size, numbers.size]).toEqual([0, 0]);
    keys.destroy();
  });

  it('combines values of one word only, with a function of the caller too', async () => {
    using wide = await DynamicMap.create(gpu, { key: u32, value: valueTypes.vec2u });
    await expect(wide.insert(words, new Uint32Array(6), { onExisting: 'sum' })).rejects.toThrow(UnsupportedError);
    using floats = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    await floats.insert(words, Float32Array.of(1, 5, 2));
    await floats.insert(Uint32Array.of(1, 1, 3), Float32Array.of(4, 3, 1), { onExisting: 'max' });
    expect([...(await floats.get(words)).values]).toEqual([4, 5, 2]);
    using bits = await DynamicMap.create(gpu, { key: u32 });
    const either = { identity: 0, combine: wgsl`fn either(a: u32, b: u32) -> u32 { return a | b; }` };
    await bits.insert(Uint32Array.of(1, 2, 1), Uint32Array.of(1, 2, 4), { onExisting: either });
    await bits.insert(Uint32Array.of(1, 2), Uint32Array.of(8, 16), { onExisting: either });
    expect([...(await bits.get(words)).values]).toEqual([13, 18, 0]);
  });

  it('reads arrays before a call returns', async () => {
    using mine = await DynamicMap.create(gpu, { key: u32 });
    const keys = Uint32Array.of(5, 6);
    const values = Uint32Array.of(50, 60);
    const inserted = mine.insert(keys, values);
    keys.fill(9);
    values.fill(9);
    const deleted = mine.delete(keys.fill(6));
    keys.fill(9);
    const got = mine.get(keys.fill(5));
    keys.fill(9);
    expect(await inserted).toEqual(Uint8Array.of(1, 1));
    expect(await deleted).toEqual(Uint8Array.of(1, 1));
    expect([...(await got).values]).toEqual([50, 50]);
  });

  it('does one thing after the other, whoever waits for what', async () => {
    using mine = await DynamicMap.create(gpu, { key: u32 });
    const many = Uint32Array.from({ length: 3000 }, (_, i) => i);
    const calls = [
      mine.insert(many, many),
      mine.delete(many.subarray(0, 1000)),
      mine.insert(many.subarray(0, 10), many.subarray(0, 10)),
      mine.shrink(),
      mine.clear(),
      mine.insert(words, words),
    ];
    const flags = await Promise.all(calls);
    expect(flags[0]).toEqual(new Uint8Array(3000).fill(1));
    expect(flags[1]).toEqual(new Uint8Array(1000).fill(1));
    expect(flags[2]).toEqual(new Uint8Array(10).fill(1));
    expect(mine.size).toBe(3);
  });

  it('says that it was destroyed, also to calls that were under way', async () => {
    const outcome = await liveBuffers(gpu, async () => {
      const mine = await DynamicIndex.create(gpu, { key: utf8 });
      const names = Array.from({ length: 2000 }, (_, i) => `name ${i}`);
      const calls = [mine.activate(names), mine.release(names), mine.activeIds(), mine.compact()];
      mine.destroy();
      for (const call of await Promise.allSettled<unknown>(calls)) {
        expect((call as PromiseRejectedResult).reason).toBeInstanceOf(DestroyedError);
      }
      await expect(mine.activate(['a'])).rejects.toThrow(DestroyedError);
      await expect(mine.settle()).rejects.toThrow(DestroyedError);
      expect(() => mine.size).toThrow(DestroyedError);
      expect(() => mine.idLimit).toThrow(DestroyedError);
      expect(() => mine.wgsl({ name: 'a', group: 1 })).toThrow(DestroyedError);
      mine.destroy();
    });
    expect(outcome.error).toBeUndefined();
    expect(outcome.live).toEqual([]);
  });

  it('says so whenever an index is destroyed while keys get ids, and nothing else goes wrong', async () => {
    const { queue } = gpu.device;
    const { submit } = queue;
    let submissions = 0;
    for (let after = 1; after === 1 || submissions >= after - 1; after++) {
      submissions = 0;
      const mine = await DynamicIndex.create(gpu, { key: u32 });
      queue.submit = (commands) => {
        submit.call(queue, commands);
        if (++submissions === after) mine.destroy();
      };
      const outcome = await mine.activate(words).catch((error: unknown) => error);
      queue.submit = submit;
      // Once the last answers are on their way, nothing is missing.
      if (outcome instanceof Error) expect(outcome, `${after}`).toBeInstanceOf(DestroyedError);
      mine.destroy();
    }
    // The shared device has seen no error that nobody caught.
    await gpu.device.queue.onSubmittedWorkDone();
    expect(submissions).toBeGreaterThan(1);
  });

  it('refuses the words that the table keeps as buffers of a batch', async () => {
    using mine = await DynamicMap.create(gpu, { key: u32, reserve: 10 });
    const { buffer: left } = mine.left;
    for (const output of [{ left }, { found: left }]) {
      expect(() => mine.encodeInsert(encoder, { keys: buffer, values: other, count: 1, ...output })).toThrow(
        'must not be the same buffer',
      );
    }
    const searches = [
      () => mine.encodeGet(encoder, { queries: buffer, count: 1, values: left }),
      () => mine.encodeGet(encoder, { queries: buffer, count: 1, values: other, found: left }),
      () => mine.encodeHas(encoder, { queries: buffer, count: 1, found: left }),
    ];
    for (const search of searches) expect(search).toThrow('must not be a buffer of the table itself');
    expect(await mine.insert(Uint32Array.of(1), Uint32Array.of(1))).toEqual(Uint8Array.of(1));
    using index = await DynamicIndex.create(gpu, { key: u32, reserve: 10 });
    const { buffer: limit } = index.idLimitOnGpu;
    expect(() => index.encodeActivate(encoder, { keys: buffer, count: 1, ids: limit })).toThrow('idLimitOnGpu');
    expect(() => index.encodeRelease(encoder, { keys: buffer, count: 1, found: limit })).toThrow('idLimitOnGpu');
    expect(() => index.encodeIds(encoder, { queries: buffer, count: 1, ids: limit })).toThrow('of the table itself');
  });

  it('takes no call once it was destroyed, and makes no buffer for one', async () => {
    const made = await DynamicMap.create(gpu, { key: u32 });
    const ids = await DynamicIndex.create(gpu, { key: u32 });
    const asked = await ids.requests(10);
    made.destroy();
    ids.destroy();
    const batch = { keys: buffer, count: 3 };
    const queries = { queries: buffer, count: 3 };
    const calls: Record<string, () => unknown> = {
      insert: () => made.insert(words, words),
      getOrInsert: () => made.getOrInsert(words, words),
      delete: () => made.delete(words),
      get: () => made.get(words),
      has: () => made.has(words),
      entries: () => made.entries(),
      keys: () => made.keys(),
      toBytes: () => made.toBytes(),
      clear: () => made.clear(),
      reserve: () => made.reserve(1000),
      compact: () => made.compact(),
      shrink: () => made.shrink(),
      settle: () => made.settle(),
      requests: () => made.requests(10),
      left: () => made.left,
      filledFactor: () => made.filledFactor,
      encodeInsert: () => made.encodeInsert(encoder, { ...batch, values: other }),
      encodeDelete: () => made.encodeDelete(encoder, batch),
      encodeGet: () => made.encodeGet(encoder, { ...queries, values: other }),
      encodeHas: () => made.encodeHas(encoder, { ...queries, found: other }),
      encodeKeys: () => made.encodeKeys(encoder, { keys: other, count: { buffer } }),
      ids: () => ids.ids(words),
      'ids.clear': () => ids.clear(),
      'ids.reserve': () => ids.reserve(1000),
      'ids.toBytes': () => ids.toBytes(),
      idLimitOnGpu: () => ids.idLimitOnGpu,
      encodeActivate: () => ids.encodeActivate(encoder, { ...batch, ids: other }),
      encodeActivateRequests: () => ids.encodeActivateRequests(encoder, asked, { ids: other }),
      encodeRelease: () => ids.encodeRelease(encoder, batch),
      encodeIds: () => ids.encodeIds(encoder, { ...queries, ids: other }),
    };
    for (const [name, call] of Object.entries(calls)) {
      const { error, madeBytes } = await liveBuffers(gpu, async () => call());
      expect(error, name).toBeInstanceOf(DestroyedError);
      expect((error as Error).message, name).toContain('this table was destroyed');
      expect(madeBytes, name).toBe(0);
    }
    asked.destroy();
  });

  it('frees everything in the end', async () => {
    const { error, live } = await liveBuffers(gpu, async () => {
      using mine = await DynamicIndex.create(gpu, { key: utf8 });
      await mine.activate(Array.from({ length: 2000 }, (_, i) => `name ${i}`));
      await mine.release(['name 3', 'name 4', 'name 3']);
      await mine.compact();
      using again = await DynamicIndex.fromBytes(gpu, await mine.toBytes());
      await again.shrink();
    });
    expect(error).toBeUndefined();
    expect(live).toEqual([]);
  });

  it('refuses tables and batches that the device cannot hold', async () => {
    await expect(DynamicMap.create(gpu, { key: u32, reserve: 2 ** 31 })).rejects.toThrow(TooLargeError);
    await expect(map.reserve(2 ** 31)).rejects.toThrow(TooLargeError);
    expect(map.size).toBe(0);
  });

  it.each([regionCuckoo(), dyCuckoo()])('says how many keys fit, to one: $name', async (scheme) => {
    const refused = (call: Promise<unknown>): Promise<TooLargeError> => call.then(any, (error) => error);
    const { largestItems, message } = await refused(DynamicMap.create(gpu, { key: vec4i, scheme, reserve: 1e8 }));
    expect(message).toContain(`this device holds at most ${largestItems}`);
    const isHeld = (keys: number): boolean => {
      const { buffers } = scheme.plan({ slots: Math.ceil(keys / 0.85), key: vec4i, valueWords: 1 });
      return buffers.every(({ bytes }) => bytes <= gpu.limits.maxStorageBufferBindingSize);
    };
    expect([largestItems, largestItems + 1].map(isHeld)).toEqual([true, false]);
    using mine = await DynamicMap.create(gpu, { key: vec4i, scheme });
    const { error, madeBytes } = await liveBuffers(gpu, () => mine.reserve(largestItems + 1));
    expect([(error as TooLargeError).largestItems, madeBytes]).toEqual([largestItems, 0]);
    expect((error as Error).message).toContain('DynamicMap.reserve: a table for');
  });

  it('refuses batches that the device cannot take before anything is uploaded', async () => {
    using mine = await DynamicSet.create(gpu, { key: u32, scheme: dyCuckoo() });
    const { error, madeBytes } = await liveBuffers(gpu, () => mine.insert(new Uint32Array(3_000_000)));
    expect(error).toBeInstanceOf(TooLargeError);
    expect((error as Error).message).toContain('DynamicSet.insert: a batch of 3000000 items');
    expect(madeBytes).toBe(0);
  });

  it('refuses keys that are wider than any scratch of their batch', async () => {
    using mine = await DynamicSet.create(gpu, { key: tuple(vec4i, vec4i, vec4i, vec4i), scheme: dyCuckoo() });
    const most = gpu.limits.maxStorageBufferBindingSize / 64;
    const keys = gpu.createBuffer('test', 64 * (most + 1));
    const call = () => mine.encodeDelete(encoder, { keys, count: most + 1 });
    expect(call).toThrow(`this device takes at most ${most} at once`);
    keys.destroy();
    expect(mine.size).toBe(0);
  });

  it('takes as few slots as there may be where more of them would be too large a table', () => {
    const slotsWith = (bytes: number): number => {
      const limits = { maxBufferSize: bytes, maxStorageBufferBindingSize: bytes };
      const planFor = (slots: number) => regionCuckoo().plan({ slots, key: u32, valueWords: 1 });
      return slotsBetween(any({ limits }), 10_000, { lowest: 0.5, highest: 0.85 }, planFor);
    };
    expect([1e6, 1e5].map(slotsWith)).toEqual([Math.ceil(10_000 / Math.sqrt(0.5 * 0.85)), Math.ceil(10_000 / 0.85)]);
  });
});
