/** Calls of collections that live, with each of their steps at the device failing: nothing of them is left, and the next call is right. */
import { describe, expect, it } from 'vitest';
import { DynamicIndex, DynamicMap, HashnestError, u32, utf8 } from '../../src/index.ts';
import { injecting, withoutMemory } from '../injecting.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');
const { steps, failing } = injecting(gpu);

const upTo = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
const namesUpTo = (count: number) => Array.from({ length: count }, (_, i) => `name ${i}`);
const FEW = 20;
/** More than the smallest table holds. */
const MANY = 600;

interface Case {
  readonly make: () => Promise<{ destroy(): void }>;
  readonly call: (made: never) => Promise<unknown>;
  /** What has to be so after the call has succeeded, whatever went before. */
  readonly check: (made: never) => Promise<void>;
}

const made = <T extends { destroy(): void }>(
  make: () => Promise<T>,
  call: (made: T) => Promise<unknown>,
  check: (made: T) => Promise<void>,
): Case => ({ make, call, check }) as unknown as Case;

const mapOf = (count: number) => async () => {
  const map = await DynamicMap.create(gpu, { key: u32, seed: 1 });
  await map.insert(upTo(count), upTo(count));
  return map;
};
const holds = (count: number) => async (map: DynamicMap<Uint32Array>) => {
  expect(map.size).toBe(count);
  expect([...(await map.get(Uint32Array.of(0, count - 1, count))).found]).toEqual([1, 1, 0]);
};

const CASES: Readonly<Record<string, Case>> = {
  'insert, and the table grows': made(mapOf(FEW), (map) => map.insert(upTo(MANY), upTo(MANY)), holds(MANY)),
  'delete, and the table shrinks': made(mapOf(MANY), (map) => map.delete(upTo(MANY).subarray(FEW)), holds(FEW)),
  reserve: made(mapOf(FEW), (map) => map.reserve(MANY), holds(FEW)),
  'shrink, and bytes of keys that are gone': made(
    async () => {
      const map = await DynamicMap.create(gpu, { key: utf8, seed: 1 });
      await map.insert(namesUpTo(90), upTo(90));
      await map.delete(namesUpTo(90).slice(FEW));
      return map;
    },
    (map) => map.shrink(),
    async (map) => {
      expect([...(await map.get(['name 3', 'name 19', 'name 20'])).found]).toEqual([1, 1, 0]);
    },
  ),
  'insert, and there is more room for bytes of keys': made(
    async () => {
      const map = await DynamicMap.create(gpu, { key: utf8, seed: 1 });
      await map.insert(namesUpTo(FEW), upTo(FEW));
      return map;
    },
    (map) => map.insert(namesUpTo(90), upTo(90)),
    async (map) => {
      expect([...(await map.get(['name 3', 'name 89', 'name 90'])).found]).toEqual([1, 1, 0]);
    },
  ),
  'activate, and there are more ids': made(
    () => DynamicIndex.create(gpu, { key: u32, seed: 1 }),
    (index) => index.activate(upTo(MANY)),
    async (index) => {
      expect([...(await index.activeIds())]).toEqual([...upTo(MANY)]);
    },
  ),
};

describe.each(Object.entries(CASES))('%s', (_, { make, call, check }) => {
  it.each(steps)('frees all when %s fails, and succeeds the next time', async (step) => {
    for (let nth = 1, error: unknown = step; error !== undefined; nth++) {
      const live = watchBuffers(gpu);
      const collection = await make();
      error = await failing(step, nth, () => call(collection as never).then(() => undefined));
      await call(collection as never);
      await check(collection as never);
      collection.destroy();
      live.restore();
      expect(live.labels(), `${step} ${nth}`).toEqual([]);
    }
  });
});

it.each(steps)('an index knows its ids after keys got theirs and %s failed', async (step) => {
  for (let nth = 1, error: unknown = step; error !== undefined; nth++) {
    using index = await DynamicIndex.create(gpu, { key: u32, seed: 1 });
    await index.activate(upTo(FEW));
    error = await failing(step, nth, () => index.activate(upTo(MANY)).then(() => undefined));
    expect(index.idLimit, `${step} ${nth}`).toBe(index.size);
    using saved = await DynamicIndex.fromBytes(gpu, await index.toBytes(), { key: u32 });
    expect(saved.idLimit).toBe(index.size);
  }
});

describe('a batch that has run, but whose answers cannot be read', () => {
  it('is there in whole, and so are the bytes of its keys', async () => {
    const map = await DynamicMap.create(gpu, { key: utf8, seed: 1 });
    await map.insert(['ada', 'bob'], Uint32Array.of(1, 2));
    // Those that earlier calls have left would be used again.
    gpu.trim();
    const { createBuffer } = gpu.device;
    let faults = 0;
    gpu.device.createBuffer = (descriptor) => {
      const buffer = createBuffer.call(gpu.device, descriptor);
      // Only the first: what the counters say can be read.
      if (descriptor.label === 'hashnest/spare/readback' && faults++ === 0) {
        buffer.mapAsync = () => Promise.reject(new DOMException('no map today', 'OperationError'));
      }
      return buffer;
    };
    await expect(map.insert(['charles', 'dora'], Uint32Array.of(3, 4))).rejects.toThrow(HashnestError);
    gpu.device.createBuffer = createBuffer;
    expect(map.size).toBe(4);
    await map.insert(['eve was here'], Uint32Array.of(5));
    const { values } = await map.get(['ada', 'bob', 'charles', 'dora', 'eve was here', 'eve']);
    expect([...values]).toEqual([1, 2, 3, 4, 5, 0]);
    map.destroy();
  });
});

describe('a table that may have been cleared or not, because nobody could tell', () => {
  it('has no keys, and gives out ids from 0, if it was', async () => {
    using index = await DynamicIndex.create(gpu, { key: u32, seed: 1 });
    await index.activate(upTo(FEW));
    const restore = withoutMemory(gpu);
    await expect(index.clear()).rejects.toThrow('no memory today');
    restore();
    await index.settle();
    expect([index.size, index.idLimit]).toEqual([0, 0]);
    expect([...(await index.keys())]).toEqual([]);
    expect((await index.activate(upTo(3))).ids.sort()).toEqual(upTo(3));
    using saved = await DynamicIndex.fromBytes(gpu, await index.toBytes(), { key: u32 });
    expect([saved.size, saved.idLimit]).toEqual([3, 3]);
  });
});

it('an index whose release nobody could tell of has lost no id', async () => {
  using index = await DynamicIndex.create(gpu, { key: u32, seed: 1, reserve: MANY });
  await index.activate(upTo(FEW));
  for (let after = 1; after < 9; after++) {
    let scopes = 0;
    const { popErrorScope } = gpu.device;
    gpu.device.popErrorScope = async () => {
      const isMemory = ++scopes === 2 * after - 1;
      const error = await popErrorScope.call(gpu.device);
      return isMemory ? ({ message: 'no memory today' } as GPUError) : error;
    };
    await index.release(Uint32Array.of(after)).catch(() => {});
    gpu.device.popErrorScope = popErrorScope;
    await index.activate(Uint32Array.of(after, 100 + after));
    await index.release(Uint32Array.of(100 + after));
    using saved = await DynamicIndex.fromBytes(gpu, await index.toBytes(), { key: u32 });
    expect(saved.size).toBe(FEW);
    expect(index.idLimit).toBe(FEW + 1);
    expect(await index.activeIds()).toEqual(await saved.activeIds());
  }
});
