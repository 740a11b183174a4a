import { Utf8, vectorFromArray } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caseless } from '../../examples/strings.ts';
import { Aggregate, HashMap, HashSet, KeyIndex, MultiMap } from '../../src/collections/index.ts';
import { InvalidInputError, UnsupportedError } from '../../src/gpu/index.ts';
import { mix } from '../../src/hashing/index.ts';
import { arrowKeys, bytes, sliceKeys, u32, u64, utf8 } from '../../src/keys/index.ts';
import { linearProbing, type Scheme, schemes } from '../../src/schemes/index.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { carries, schemeNames } from '../conformance/subjects.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const numbered = (count: number) => Uint32Array.from({ length: count }, (_, i) => i);
const encoder = new TextEncoder();

/** Strings one behind the other, as a caller has them on the GPU. */
function onGpu(strings: readonly string[]) {
  const { words, context = [] } = utf8.encode(strings);
  return { words: gpu.upload('test/keys', words), context: gpu.upload('test/bytes', context[0] as Uint8Array) };
}

describe('strings', () => {
  it('answer like a Map, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 40 }), async (keys) => {
        using map = await HashMap.from(gpu, { keys, values: numbered(keys.length) });
        const oracle = new Map(keys.map((key, i) => [key, i]));
        const queries = [...keys, '', 'a', 'no such key'];
        const { values, found } = await map.get(queries, { missing: 7 });
        expect([...values]).toEqual(queries.map((key) => oracle.get(key) ?? 7));
        expect([...found]).toEqual(queries.map((key) => Number(oracle.has(key))));
      }),
      { numRuns: 20, seed: 3 },
    );
  });

  it('of a megabyte are keys like others', async () => {
    const long = 'Alcantara '.repeat(104_858);
    const keys = [long, `${long}.`, long.slice(1), 'short', ''];
    for (const scheme of [schemes.bucketCuckoo(), schemes.sortedArray(), schemes.perfect()]) {
      using map = await HashMap.from(gpu, { keys, values: numbered(5) }, { scheme });
      const { values, found } = await map.get([`${long}.`, `${long}!`, long, 'short', long.slice(2)]);
      expect([...found]).toEqual([1, 0, 1, 1, 0]);
      expect([values[0], values[2], values[3]]).toEqual([1, 0, 3]);
    }
  });

  it('need not be named as the key type, and come back as they were', async () => {
    using set = await HashSet.from(gpu, { keys: ['b', 'a', 'b'] });
    expect(set.key).toBe(utf8);
    expect([...(await set.keys())].sort()).toEqual(['a', 'b']);
  });

  it('are searched by keys of the same type only', async () => {
    using set = await HashSet.from(gpu, { keys: ['a'] });
    const wrong = sliceKeys(bytes, { bytes: encoder.encode('a'), offsets: Uint32Array.of(0, 1) });
    await expect(set.has(wrong as never)).rejects.toThrow('these are bytes keys, not utf8 keys');
    await expect(set.has(Uint32Array.of(1) as never)).rejects.toThrow(InvalidInputError);
  });

  it('of an Arrow column or a byte array are built from and searched for', async () => {
    const column = vectorFromArray(['ada', 'bob', 'eve'], new Utf8()).concat(vectorFromArray(['zoe'], new Utf8()));
    using map = await HashMap.from(gpu, { keys: arrowKeys(utf8, column), values: numbered(4) });
    const needles = sliceKeys(utf8, { bytes: encoder.encode('evezoe?'), offsets: Uint32Array.of(0, 3, 6, 7) });
    expect([...(await map.get(needles)).values]).toEqual([2, 3, 0]);
    expect([...(await map.keys())].sort()).toEqual(['ada', 'bob', 'eve', 'zoe']);
  });

  it('that a table keeps survive the bytes that they came in', async () => {
    const { words, context } = onGpu(['ada', 'bob']);
    using set = await HashSet.from(gpu, { keys: words, context, count: 2 }, { key: utf8 });
    gpu.write(context, encoder.encode('xxxxxxxx'));
    expect([...(await set.has(['ada', 'bob', 'xxx']))]).toEqual([1, 1, 0]);
    context.destroy();
    words.destroy();
  });
});

describe('strings of tables that change', () => {
  const many = Array.from({ length: 500 }, (_, i) => `key number ${i}`);

  it('that stay are found at any time of a rebuild from buffers', async () => {
    using set = await HashSet.from(gpu, { keys: many });
    const { words, context } = onGpu(many.toReversed());
    const rebuilt = set.rebuild({ keys: words, context, count: many.length });
    for (let i = 0; i < 5; i++) expect((await set.has(many)).indexOf(0)).toBe(-1);
    await rebuilt;
    expect((await set.has(many)).indexOf(0)).toBe(-1);
  });

  it('are read back whole, all old or all new', async () => {
    using set = await HashSet.from(gpu, { keys: many });
    const others = many.map((key) => `other ${key}`);
    const [keys] = await Promise.all([
      set.keys().catch((error: unknown) => error),
      Promise.resolve().then(() => set.rebuild({ keys: others })),
    ]);
    if (keys instanceof Error) expect(keys).toBeInstanceOf(InvalidInputError);
    else expect([[...many].sort(), [...others].sort()]).toContainEqual([...(keys as string[])].sort());
  });

  it('leave room for as many again, and commands that are recorded already', async () => {
    using set = await HashSet.from(gpu, { keys: many });
    const { words, context } = onGpu(many);
    const found = gpu.createBuffer('test/found', 4 * many.length);
    const recorded = gpu.device.createCommandEncoder();
    set.encodeHas(recorded, { queries: words, context, found, count: many.length });
    await set.rebuild({ keys: ['x'] });
    await gpu.checked(() => gpu.device.queue.submit([recorded.finish()]));
    const again = gpu.device.createCommandEncoder();
    set.encodeRebuild(again, { keys: words, context, count: many.length });
    gpu.device.queue.submit([again.finish()]);
    await set.settle();
    expect(set.size).toBe(many.length);
  });

  it('are not half changed by an index that cannot be rebuilt', async () => {
    using index = await KeyIndex.from(gpu, { keys: ['aa', 'bb'] }, { construction: 'sort' });
    const large = onGpu(['x'.repeat(400)]);
    const commands = gpu.device.createCommandEncoder();
    const rebuild = () => index.encodeRebuild(commands, { keys: large.words, context: large.context, count: 1 });
    expect(rebuild).toThrow(InvalidInputError);
    gpu.device.queue.submit([commands.finish()]);
    expect([...(await index.keys())].sort()).toEqual(['aa', 'bb']);
  });
});

describe('strings that are odd', () => {
  it('keep a mark at their beginning', async () => {
    const keys = ['\ufeffa', 'a', '\ufeffa'];
    using map = await MultiMap.from(gpu, { keys, values: Uint32Array.of(1, 2, 3) });
    const entries = await map.entries();
    const pairs = entries.keys.map((key, i) => [
      key,
      ...entries.values.subarray(entries.offsets[i], entries.offsets[i + 1]),
    ]);
    expect(pairs.sort()).toEqual([
      ['a', 2],
      ['\ufeffa', 1, 3],
    ]);
  });

  it('may be no UTF-8 at all, and still have values of their own', async () => {
    const keys = sliceKeys(utf8, { bytes: Uint8Array.of(0xe9, 0xe8), offsets: Uint32Array.of(0, 1, 2) });
    using map = await MultiMap.from(gpu, { keys, values: Uint32Array.of(1, 2) });
    expect([...(await map.entries()).values].sort()).toEqual([1, 2]);
  });

  it('are refused where one is missing', async () => {
    // biome-ignore lint/suspicious/noSparseArray: that is what is refused.
    await expect(HashSet.from(gpu, { keys: ['a', , 'b'] as string[] }, { key: utf8 })).rejects.toThrow(
      InvalidInputError,
    );
  });
});

describe('strings on the encoder face', () => {
  const names = ['ada', 'bob', '', 'a longer name that takes several words'];

  it('are built and searched with the bytes that each side brings', async () => {
    const [items, queries] = [onGpu(names), onGpu(['somebody', 'bob', 'ada'])];
    const values = gpu.upload('test/values', numbered(4));
    const [got, found] = [gpu.createBuffer('test/got', 12), gpu.createBuffer('test/found', 12)];
    const commands = gpu.device.createCommandEncoder();
    const input = { keys: items.words, values, count: 4, context: items.context };
    using map = HashMap.encodeBuild(gpu, commands, input, { key: utf8 });
    map.encodeGet(commands, {
      queries: queries.words,
      context: queries.context,
      values: got,
      found,
      count: 3,
      missing: 9,
    });
    gpu.device.queue.submit([commands.finish()]);
    await map.settle();
    const [values_, found_] = await gpu.run(() => {}, [
      { buffer: got, bytes: 12 },
      { buffer: found, bytes: 12 },
    ]);
    expect([...new Uint32Array(values_ as ArrayBuffer)]).toEqual([9, 1, 0]);
    expect([...new Uint32Array(found_ as ArrayBuffer)]).toEqual([0, 1, 1]);

    const larger = onGpu(['x'.repeat(500)]);
    const rebuild = () =>
      map.encodeRebuild(gpu.device.createCommandEncoder(), {
        keys: larger.words,
        values,
        count: 1,
        context: larger.context,
      });
    expect(rebuild).toThrow(/made for keys of \d+ bytes/);
  });

  it('need their bytes, and only they do', async () => {
    const { words, context } = onGpu(names);
    const commands = gpu.device.createCommandEncoder();
    expect(() => HashSet.encodeBuild(gpu, commands, { keys: words, count: 4 }, { key: utf8 })).toThrow(
      'need a `context`',
    );
    expect(() => HashSet.encodeBuild(gpu, commands, { keys: words, count: 4, context }, { key: u64 })).toThrow(
      'u64 keys have no context',
    );
    await expect(HashSet.from(gpu, { keys: names, context })).rejects.toThrow('goes with keys in a GPUBuffer only');
    const odd = gpu.device.createBuffer({ size: 6, usage: context.usage });
    const build = () => HashSet.encodeBuild(gpu, commands, { keys: words, count: 1, context: odd }, { key: utf8 });
    expect(build).toThrow('a whole number of words');
    using set = await HashSet.from(gpu, { keys: names });
    const found = gpu.createBuffer('test/found', 16);
    expect(() => set.encodeHas(commands, { queries: words, found, count: 4 })).toThrow('need a `context`');
  });

  it('are counted, retrieved and combined with the bytes that queries bring', async () => {
    const keys = ['b', 'a', 'b', 'c', 'b'];
    const input = { keys, values: Uint32Array.of(1, 2, 3, 4, 5) };
    using map = await MultiMap.from(gpu, input);
    expect((await map.get(['c', 'x', 'b'])).map((values) => [...values])).toEqual([[4], [], [1, 3, 5]]);
    expect([...(await map.count(['b', 'x']))]).toEqual([3, 0]);
    using sums = await Aggregate.from(gpu, input, { combine: 'sum' });
    expect([...(await sums.get(['x', 'b', 'a'])).values]).toEqual([0, 9, 2]);
    using index = await KeyIndex.from(gpu, { keys });
    expect(await index.keysOf(await index.ids(['c', 'a']))).toEqual(['c', 'a']);
  });
});

describe('strings in a shader', () => {
  const shaderOf = (code: string) => `
@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read_write> answers: array<u32>;
${code}
@compute @workgroup_size(1) fn main() {
  // 'bob', 'ob' and 'bobby' in the caller's own text.
  answers[0] = ids_find(vec2u(4u, 3u)).value;
  answers[1] = u32(ids_find(vec2u(5u, 2u)).found);
  answers[2] = ids_find(vec2u(4u, 5u)).value;
}`;

  it('are slices of a buffer that the caller names', async () => {
    using map = await HashMap.from(gpu, { keys: ['ada', 'bob', 'bobby'], values: Uint32Array.of(11, 22, 33) });
    const face = map.wgsl({ name: 'ids', group: 1, context: 'text' });
    const { device } = gpu;
    const text = gpu.upload('test/text', encoder.encode('eve bobby'));
    const answers = gpu.createBuffer('test/answers', 12);
    const own = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: 4, buffer: { type: 'read-only-storage' } },
        { binding: 1, visibility: 4, buffer: { type: 'storage' } },
      ],
    });
    const [bytesOut] = await gpu.run(
      (commands) => {
        const pipeline = device.createComputePipeline({
          layout: device.createPipelineLayout({ bindGroupLayouts: [own, face.layout] }),
          compute: { module: device.createShaderModule({ code: shaderOf(face.code) }), entryPoint: 'main' },
        });
        const pass = commands.beginComputePass();
        pass.setPipeline(pipeline);
        const entries = [text, answers].map((buffer, binding) => ({ binding, resource: { buffer } }));
        pass.setBindGroup(0, device.createBindGroup({ layout: own, entries }));
        pass.setBindGroup(1, face.bindGroup);
        pass.dispatchWorkgroups(1);
        pass.end();
      },
      [{ buffer: answers, bytes: 12 }],
    );
    expect([...new Uint32Array(bytesOut as ArrayBuffer)]).toEqual([22, 0, 33]);
    expect(() => map.wgsl({ name: 'ids', group: 1 })).toThrow('need a `context`');
    expect(() => map.wgsl({ name: 'ids', group: 1, context: 'key' })).toThrow("the name 'key' is used inside");
    expect(() => map.wgsl({ name: 'ids', group: 1, context: 'not a name' })).toThrow(InvalidInputError);
  });
});

describe('strings whose hashes are alike', () => {
  const constants = [1, 2, 3, 4] as const;

  /** The first hash word of a string. */
  function hashOf(string: string): number | undefined {
    const padded = new Uint8Array(Math.ceil(string.length / 4) * 4);
    padded.set(encoder.encode(string));
    return mix.stream?.twin(string.length, new Uint32Array(padded.buffer), constants)[0];
  }

  it('in 32 bits are told apart by every scheme', async () => {
    // The first two of the numbers in base 36 that collide; if the hash changes, look for others.
    const [one, other] = ['fbc0', '10pi0'];
    expect(hashOf(one)).toBe(hashOf(other));
    // Every table is drawn the constants for which the two collide.
    const keys = [one, other, 'x', 'y'];
    for (const name of schemeNames.filter((name) => carries(name, keyKinds.utf8))) {
      const drawn = schemes[name]();
      const family = { ...mix, draw: () => constants };
      const scheme: Scheme = { ...drawn, plan: (request) => ({ ...drawn.plan(request), family }) };
      using map = await HashMap.from(gpu, { keys, values: numbered(4) }, { scheme });
      expect([...(await map.get([other, one, 'z'])).values], name).toEqual([1, 0, 0]);
      using set = await HashSet.from(gpu, { keys: [one] }, { scheme });
      expect([...(await set.has([one, other]))], name).toEqual([1, 0]);
    }
  });
});

describe('a key type of your own', () => {
  it('may fold strings, so that others find them', async () => {
    using map = await HashMap.from(gpu, { keys: ['Ada', 'BOB', 'ada'], values: numbered(3) }, { key: caseless });
    expect(map.size).toBe(2);
    expect([...(await map.get(['ADA', 'bob', 'eve'])).values]).toEqual([2, 1, 0]);
    const opened = await HashMap.fromBytes(gpu, await map.toBytes(), { key: caseless });
    expect([...(await opened.has(['BoB', 'Eve']))]).toEqual([1, 0]);
    opened.destroy();
    await expect(HashMap.fromBytes(gpu, await map.toBytes())).rejects.toThrow("key type 'caseless'");
  });

  it('without an order is refused by the schemes that sort', async () => {
    const { order, ...unordered } = u64;
    expect(order).toBeDefined();
    for (const scheme of [schemes.sortedArray(), schemes.eytzinger()]) {
      const build = HashSet.from(gpu, { keys: BigUint64Array.of(1n) }, { key: unordered, scheme });
      await expect(build).rejects.toThrow(UnsupportedError);
    }
    using set = await HashSet.from(gpu, { keys: BigUint64Array.of(1n) }, { key: unordered });
    expect([...(await set.has(BigUint64Array.of(1n, 2n)))]).toEqual([1, 0]);
  });
});

describe('a hash family for numbers', () => {
  it('is refused for strings before anything is built', async () => {
    const { polynomial32 } = await import('../../src/hashing/index.ts');
    const build = HashSet.from(gpu, { keys: ['a'] }, { scheme: linearProbing({ hash: polynomial32 }) });
    await expect(build).rejects.toThrow(UnsupportedError);
    expect(u32.name).toBe('u32');
  });
});
