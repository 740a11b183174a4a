import { describe, expect, it } from 'vitest';
import { Aggregate, HashMap, InvalidInputError, KeyIndex, MultiMap, OutOfMemoryError, utf8 } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { watchDevice } from '../soak/faults.ts';

const gpu = await sharedGpu('default');

it('ends a search before it says that there was no memory for the bytes of its keys', async () => {
  const map = await HashMap.from(gpu, { keys: ['a', 'b'], values: new Uint32Array([1, 2]) }, { key: utf8 });
  const watched = watchDevice(gpu);
  try {
    watched.arm({ fault: 'memory', after: 0 });
    await expect(map.get(['a'])).rejects.toBeInstanceOf(OutOfMemoryError);
    expect([...watched.live().keys()]).toEqual([]);
  } finally {
    watched.release();
    map.destroy();
  }
});

describe('progress', () => {
  /** Keys that an aggregate sends at once. */
  const AT_ONCE = 1 << 22;
  const few = new Uint32Array([1, 2, 3]);

  it('is told after every part, and at last that all is done', async () => {
    using sums = await Aggregate.from(gpu, { keys: few, values: few }, { combine: 'sum' });
    const keys = Uint32Array.from({ length: AT_ONCE + 5 }, (_, i) => i & 3);
    const told: [number, number][] = [];
    const { values } = await sums.get(keys, { onProgress: (...progress) => void told.push(progress) });
    expect(told).toEqual([
      [AT_ONCE, AT_ONCE + 5],
      [AT_ONCE + 5, AT_ONCE + 5],
    ]);
    expect([...values.slice(-5)]).toEqual([0, 1, 2, 3, 0]);

    // Given up meanwhile: the rest is not asked for any more, and nobody is told of it.
    const controller = new AbortController();
    const reason = new Error('enough');
    const into = { values: new Uint32Array(keys.length).fill(9) };
    let calls = 0;
    const onProgress = () => {
      calls++;
      controller.abort(reason);
    };
    await expect(sums.get(keys, { signal: controller.signal, onProgress, into })).rejects.toBe(reason);
    await gpu.run(() => {});
    expect(calls).toBe(1);
    expect([...into.values.slice(-6)]).toEqual([3, 9, 9, 9, 9, 9]);
  });

  it('is told of by get, has and ids; not where there are no keys', async () => {
    using map = await HashMap.from(gpu, { keys: few, values: few });
    using index = await KeyIndex.from(gpu, { keys: few });
    const told: number[] = [];
    const onProgress = (done: number, total: number) => void told.push(done, total);
    await map.get(few, { onProgress });
    await map.has(few.subarray(1), { onProgress });
    await index.ids(few.subarray(2), { onProgress });
    await map.get(new Uint32Array(), { onProgress });
    expect(told).toEqual([3, 3, 2, 2, 1, 1]);
  });

  it('of a multi-map is told when counts are there, or values', async () => {
    using multi = await MultiMap.from(gpu, { keys: Uint32Array.of(1, 2, 2), values: Uint32Array.of(5, 6, 7) });
    const keys = Uint32Array.from({ length: AT_ONCE + 2 }, (_, i) => (i < AT_ONCE ? 9 : 2));
    const told: [number, number][] = [];
    const onProgress = (...progress: [number, number]) => void told.push(progress);
    const twice = [
      [AT_ONCE, AT_ONCE + 2],
      [AT_ONCE + 2, AT_ONCE + 2],
    ];
    expect([...(await multi.count(keys, { onProgress })).subarray(-3)]).toEqual([0, 2, 2]);
    expect(told.splice(0)).toEqual(twice);
    expect([...(await multi.retrieve(keys, { onProgress })).values]).toEqual([6, 7, 6, 7]);
    expect(told.splice(0)).toEqual(twice);
    expect((await multi.get(few, { onProgress })).map((values) => [...values])).toEqual([[5], [6, 7], []]);
    await multi.get(new Uint32Array(), { onProgress });
    expect(told.splice(0)).toEqual([[3, 3]]);

    // Given up after the first values: nobody is told of the rest.
    const controller = new AbortController();
    const giveUp = (...progress: [number, number]) => {
      told.push(progress);
      controller.abort();
    };
    const { signal } = controller;
    await expect(multi.retrieve(keys, { signal, onProgress: giveUp })).rejects.toThrow(
      expect.objectContaining({ name: 'AbortError' }),
    );
    await gpu.run(() => {});
    expect(told).toEqual([[AT_ONCE, AT_ONCE + 2]]);
  });

  it('that throws ends the call, and what is no function is refused', async () => {
    using map = await HashMap.from(gpu, { keys: few, values: few });
    const error = new Error('of the caller');
    const onProgress = () => {
      throw error;
    };
    await expect(map.get(few, { onProgress })).rejects.toBe(error);
    await expect(map.get(few, { onProgress: 3 as never })).rejects.toBeInstanceOf(InvalidInputError);
    expect([...(await map.get(few)).values]).toEqual([1, 2, 3]);
  });
});
