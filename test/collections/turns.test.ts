import { describe, expect, it } from 'vitest';
import type { MapInput } from '../../src/collections/hashMap.ts';
import { Aggregate, HashMap, HashSet, KeyIndex, MultiMap } from '../../src/collections/index.ts';
import { DuplicateKeyError, InvalidInputError, UnsupportedError } from '../../src/gpu/index.ts';
import { u32, vec2i } from '../../src/keys/index.ts';
import { chaining, linearProbing, perfectSpatial } from '../../src/schemes/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();

type Input = MapInput<Uint32Array, Uint32Array>;

/** A collection as these tests use it: what it answers for a key is a number, or nothing. */
interface Subject {
  readonly name: string;
  from(input: Input): Promise<AnyCollection>;
}
interface AnyCollection {
  readonly made: { destroy(): void; readonly size: number; settle(): Promise<unknown> };
  rebuild(input: Input): Promise<unknown>;
  ask(keys: Uint32Array): Promise<(number | undefined)[]>;
}

const answers = (values: ArrayLike<number>, found: Uint8Array) =>
  Array.from(found, (flag, i) => (flag ? values[i] : undefined));

/** A collection, and how these tests ask it. */
const asked = <Made extends AnyCollection['made'] & { rebuild(input: Input): Promise<unknown> }>(
  made: Made,
  ask: AnyCollection['ask'],
): AnyCollection => ({ made, rebuild: (input) => made.rebuild(input), ask });

const SUBJECTS: readonly Subject[] = [
  {
    name: 'a map',
    from: async (input) => {
      const made = await HashMap.from(gpu, input, { scheme });
      return asked(made, async (keys) => {
        const { values, found } = await made.get(keys);
        return answers(values, found);
      });
    },
  },
  {
    name: 'a set',
    from: async (input) => {
      const made = await HashSet.from(gpu, input, { scheme });
      // The value of a key is the key plus one in all these tests.
      return asked(made, async (keys) => {
        const given = keys.slice();
        return Array.from(await made.has(keys), (flag, i) => (flag ? (given[i] as number) + 1 : undefined));
      });
    },
  },
  {
    name: 'an index',
    from: async (input) => {
      const made = await KeyIndex.from(gpu, input, { scheme });
      return asked(made, async (keys) => {
        const given = keys.slice();
        return Array.from(await made.ids(keys), (id, i) => (id < 2 ** 31 ? (given[i] as number) + 1 : undefined));
      });
    },
  },
  {
    name: 'a multi-map',
    from: async (input) => {
      const made = await MultiMap.from(gpu, input, { scheme });
      return asked(made, async (keys) => (await made.get(keys)).map(([value]) => value));
    },
  },
  {
    name: 'an aggregate',
    from: async (input) => {
      const made = await Aggregate.from(gpu, input, { scheme, combine: 'sum' });
      return asked(made, async (keys) => {
        const { values, found } = await made.get(keys);
        return answers(values, found);
      });
    },
  },
];

/** Keys from `first` on, each with the next number as its value. */
function itemsFrom(first: number, count = 300): { keys: Uint32Array<ArrayBuffer>; values: Uint32Array<ArrayBuffer> } {
  const keys = Uint32Array.from({ length: count }, (_, i) => first + i);
  return { keys, values: keys.map((key) => key + 1) };
}
const expectedFrom = (first: number, queries: Uint32Array, count = 300) =>
  Array.from(queries, (key) => (key >= first && key < first + count ? key + 1 : undefined));

const queries = Uint32Array.from({ length: 500 }, (_, i) => i * 5);

describe.each(SUBJECTS)('calls of $name that nobody waits for', ({ from }) => {
  it('are answered in their order', async () => {
    const { made, rebuild, ask } = await from(itemsFrom(0));
    try {
      const before = ask(queries);
      const first = rebuild(itemsFrom(1000));
      const between = [ask(queries), ask(queries)];
      // This one needs a larger table.
      const second = rebuild(itemsFrom(2000, 900));
      const after = ask(queries);
      expect(await before).toEqual(expectedFrom(0, queries));
      for (const answer of between) expect(await answer).toEqual(expectedFrom(1000, queries));
      expect(await after).toEqual(expectedFrom(2000, queries, 900));
      await Promise.all([first, second]);
      expect(made.size).toBe(900);
    } finally {
      made.destroy();
    }
  });

  it('read the arrays before they return', async () => {
    const spoil = (...arrays: Uint32Array[]) => {
      for (const array of arrays) array.fill(7);
    };
    const first = itemsFrom(0);
    const building = from(first);
    spoil(first.keys, first.values);
    const { made, rebuild, ask } = await building;
    try {
      const asked = [queries.slice(), queries.slice(), queries.slice()] as const;
      const input = [itemsFrom(1000), itemsFrom(2000)] as const;
      const before = ask(asked[0]);
      spoil(asked[0]);
      rebuild(input[0]);
      spoil(input[0].keys, input[0].values);
      const between = ask(asked[1]);
      spoil(asked[1]);
      rebuild(input[1]);
      spoil(input[1].keys, input[1].values);
      const after = ask(asked[2]);
      structuredClone(asked[2], { transfer: [asked[2].buffer] });
      expect(await before).toEqual(expectedFrom(0, queries));
      expect(await between).toEqual(expectedFrom(1000, queries));
      expect(await after).toEqual(expectedFrom(2000, queries));
    } finally {
      made.destroy();
    }
  });

  it('that are refused neither wait nor change anything', async () => {
    const { made, rebuild, ask } = await from(itemsFrom(0));
    try {
      const good = rebuild(itemsFrom(1000));
      const wrong = rebuild({ keys: new Float32Array(3) as never, values: new Uint32Array(3) });
      const asked = ask(queries);
      await expect(wrong).rejects.toThrow(InvalidInputError);
      await good;
      expect(await asked).toEqual(expectedFrom(1000, queries));
    } finally {
      made.destroy();
    }
  });

  it('end with an error if it is destroyed before their turn', async () => {
    const { made, rebuild, ask } = await from(itemsFrom(0));
    const calls = [rebuild(itemsFrom(1000)), ask(queries), rebuild(itemsFrom(2000, 900)), ask(queries)];
    made.destroy();
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'destroyed' } });
    }
  });
});

describe('a table that is being rebuilt', () => {
  it('has neither a size nor a report', async () => {
    using map = await HashMap.from(gpu, itemsFrom(0), { scheme });
    const { queue } = gpu.device;
    const { submit } = queue;
    let looks = 0;
    queue.submit = (commands) => {
      expect(() => map.size).toThrow(InvalidInputError);
      expect(() => map.report).toThrow(InvalidInputError);
      looks++;
      return submit.call(queue, commands);
    };
    try {
      await map.rebuild(itemsFrom(1000));
    } finally {
      queue.submit = submit;
    }
    expect(looks).toBeGreaterThan(0);
    expect(map.size).toBe(itemsFrom(1000).keys.length);
  });
});

describe('the encoder face', () => {
  const some = { queries, found: new Uint32Array(queries.length) };

  it('refuses to record against a table that is being rebuilt', async () => {
    using buffers = new TestBuffers(gpu);
    using map = await HashMap.from(gpu, itemsFrom(0), { scheme });
    const rebuilding = map.rebuild(itemsFrom(1000));
    const encoder = gpu.device.createCommandEncoder();
    const io = { queries: buffers.upload(queries), found: buffers.words(queries.length), count: queries.length };
    expect(() => map.encodeHas(encoder, io)).toThrow(InvalidInputError);
    expect(() => map.wgsl({ name: 'map', group: 1 })).toThrow(InvalidInputError);
    const more = { keys: io.queries, values: io.queries, count: 10 };
    expect(() => map.encodeRebuild(encoder, more)).toThrow(InvalidInputError);
    await rebuilding;
    map.encodeHas(encoder, io);
  });

  it('is not answered on the host before its build has been submitted, and then without further ado', async () => {
    using buffers = new TestBuffers(gpu);
    const { keys, values } = itemsFrom(0);
    const input = { keys: buffers.upload(keys), values: buffers.upload(values), count: keys.length };
    const encoder = gpu.device.createCommandEncoder();
    using map = HashMap.encodeBuild(gpu, encoder, input, { key: u32, scheme });
    await expect(map.get(queries)).rejects.toThrow(/submitted/);
    await expect(map.entries()).rejects.toThrow(/submitted/);
    await expect(map.toBytes()).rejects.toThrow(/submitted/);
    await expect(map.stats()).rejects.toThrow(/submitted/);
    gpu.device.queue.submit([encoder.finish()]);
    const asked = queries.slice();
    const answer = map.get(asked);
    asked.fill(1);
    const { values: got, found } = await answer;
    expect(answers(got, found)).toEqual(expectedFrom(0, queries));
  });

  it('says that it was destroyed where a rebuild met that in the middle, also in a table that is built on the host', async () => {
    const options = { key: vec2i, scheme: perfectSpatial(), construction: 'sort' } as const;
    for (let turns = 0; turns < 40; turns++) {
      const index = await KeyIndex.from(gpu, { keys: new Int32Array(0) }, options);
      const rebuilt = index.rebuild({ keys: Int32Array.of(5, 6) }).then(
        () => 'rebuilt',
        ({ code }) => code,
      );
      for (let turn = 0; turn < turns; turn++) await (turn % 4 === 3 ? new Promise(setImmediate) : Promise.resolve());
      index.destroy();
      expect(['rebuilt', 'destroyed']).toContain(await rebuilt);
    }
  });

  it('makes no buffer for a scheme that builds on the host', () => {
    using buffers = new TestBuffers(gpu);
    const input = { keys: buffers.words(4), values: buffers.words(2), count: 2 };
    const encoder = gpu.device.createCommandEncoder();
    const watched = watchBuffers(gpu);
    try {
      const options = { key: vec2i, scheme: perfectSpatial() };
      expect(() => HashMap.encodeBuild(gpu, encoder, input, options)).toThrow(UnsupportedError);
      expect(watched.madeBytes()).toBe(0);
    } finally {
      watched.restore();
    }
  });

  it('has commands that may be submitted after a rebuild on the host: their scratch is kept', async () => {
    using buffers = new TestBuffers(gpu);
    const keys = Uint32Array.of(1, 2, 3);
    // It sorts its items, which takes scratch.
    using map = await HashMap.from(gpu, { keys, values: keys }, { scheme: chaining() });
    const encoder = gpu.device.createCommandEncoder();
    map.encodeRebuild(encoder, { keys: buffers.upload(keys), values: buffers.upload(keys), count: 3 });
    await map.rebuild({ keys, values: keys });
    gpu.device.pushErrorScope('validation');
    gpu.device.queue.submit([encoder.finish()]);
    expect(await gpu.device.popErrorScope()).toBeNull();
    expect([...(await map.get(keys)).values]).toEqual([1, 2, 3]);
  });

  it('finds nothing in a table that was never built, or whose build failed', async () => {
    using buffers = new TestBuffers(gpu);
    const keys = Uint32Array.from([1, 2, 3, 1, 5]);
    const input = { keys: buffers.upload(keys), values: buffers.upload(keys), count: keys.length };
    const never = gpu.device.createCommandEncoder();
    using unsubmitted = HashMap.encodeBuild(gpu, never, input, { key: u32, scheme });
    using failing = await gpu.checked(() => {
      const encoder = gpu.device.createCommandEncoder();
      const map = HashMap.encodeBuild(gpu, encoder, input, { key: u32, scheme, duplicates: 'error' });
      gpu.device.queue.submit([encoder.finish()]);
      return map;
    });
    const io = { queries: buffers.upload(some.queries), count: some.queries.length };
    for (const map of [unsubmitted, failing]) {
      const found = buffers.upload(Uint32Array.from(queries, () => 9));
      const [bytes] = await gpu.run(
        (encoder) => map.encodeHas(encoder, { ...io, found }),
        [{ buffer: found, bytes: 4 * queries.length }],
      );
      expect(new Set(new Uint32Array(bytes as ArrayBuffer))).toEqual(new Set([0]));
    }
    await expect(failing.get(queries)).rejects.toThrow(DuplicateKeyError);
    await expect(failing.get(queries)).rejects.toThrow(DuplicateKeyError);
  });
});

describe('memory', () => {
  it('that only the build needs is free after a build on the host', async () => {
    const watched = watchBuffers(gpu);
    using map = await HashMap.from(gpu, itemsFrom(0), { scheme: chaining() });
    const { length } = watched.labels();
    expect(watched.labels().filter((label) => label.includes('scratch'))).toEqual([]);
    await map.rebuild(itemsFrom(1000));
    expect(watched.labels()).toHaveLength(length);
    watched.restore();
  });

  it.each(SUBJECTS)('of $name does not pile up when it grows again and again', async ({ from }) => {
    const { made, rebuild } = await from(itemsFrom(0, 10));
    const live = watchBuffers(gpu);
    try {
      const bytes: number[] = [];
      for (let count = 100; count < 2000; count += 200) {
        await rebuild(itemsFrom(0, count));
        bytes.push(live.bytes());
      }
      // Every table is larger than the one before, and nothing else is left.
      await rebuild(itemsFrom(0, 1900));
      expect(live.bytes()).toBe(bytes.at(-1));
      expect(live.count()).toBeLessThan(12);
    } finally {
      live.restore();
      made.destroy();
    }
  });
});
