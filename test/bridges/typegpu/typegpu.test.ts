import fc from 'fast-check';
import tgpu, { d, type TgpuRoot } from 'typegpu';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  Aggregate,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  f32,
  GPUBufferUsage,
  GPUMapMode,
  GPUShaderStage,
  Gpu,
  HashMap,
  HashSet,
  i32,
  KeyIndex,
  MultiMap,
  tuple,
  u32,
  u64,
  utf8,
  type ValueType,
  valueTypes,
  vec3i,
} from '../../../src/index.ts';
import { schemes } from '../../../src/schemes/registry.ts';
import { SpatialGrid } from '../../../src/spatial.ts';
import { gpuOf, itemsOf, type Shaded, type StoredArray, type TypedTable, typed } from '../../../src/typegpu.ts';
import { sharedGpu } from '../../sharedGpu.ts';

// TypeGPU expects them to be there, as in browsers.
Object.assign(globalThis, { GPUBufferUsage, GPUMapMode, GPUShaderStage });

const shared = await sharedGpu();
const root = tgpu.initFromDevice({ device: shared.device });
const gpu = gpuOf(root);

const stored = <Element extends d.AnyWgslData>(element: Element, numbers: readonly unknown[]) =>
  root
    .createBuffer(d.arrayOf(element as d.U32, numbers.length), numbers as number[])
    .$usage('storage') as unknown as StoredArray<Element>;

/** What WGSL makes of a `hit` for each of some keys, as floats. */
function searcher<Key extends d.AnyWgslData>(
  table: TypedTable<Key, Record<never, never>>,
  key: Key,
  asked: readonly unknown[],
  expression: string,
): () => Promise<number[]> {
  const queries = root.createReadonly(d.arrayOf(key, asked.length), asked as never);
  const answers = root.createMutable(d.arrayOf(d.f32, asked.length));
  const main = tgpu.computeFn({ workgroupSize: [64], in: { id: d.builtin.globalInvocationId } })(`{
    if (in.id.x >= ${asked.length}u) { return; }
    let hit = find(queries[in.id.x]);
    answers[in.id.x] = ${expression};
  }`);
  const pipeline = root.createComputePipeline({ compute: main.$uses({ find: table.find, queries, answers }) });
  return async () => {
    pipeline.with(table.bindGroup).dispatchWorkgroups(Math.ceil(asked.length / 64));
    return answers.read();
  };
}

const FEW = { keys: new Uint32Array([7, 9, 0xffffffff]), values: new Float32Array([0.5, 2, 80]) };
const VALUE = 'select(-1.0, f32(hit.value), hit.found)';

describe('typed', () => {
  // It is for points.
  const { perfectSpatial, ...forWords } = schemes;
  it.each(Object.entries(forWords))('finds what a Map finds, by %s', async (_, scheme) => {
    const keys = Uint32Array.from({ length: 300 }, (_, i) => Math.imul(i, 2654435761) >>> (i % 3));
    const values = Float32Array.from(keys, (_, i) => i / 2);
    using map = await HashMap.from(gpu, { keys, values }, { scheme: scheme() });
    const oracle = new Map([...keys].map((key, i) => [key, values[i] as number]));
    const asked = [...keys, 0, 1, 2, 3, 0xffffffff, 0x80000000];
    const prices = typed(root, map, { key: d.u32, value: d.f32 });
    expect(await searcher(prices, d.u32, asked, VALUE)()).toEqual(asked.map((key) => oracle.get(key) ?? -1));
  });

  it('finds whatever there is, for any keys', async () => {
    using map = await HashMap.from(gpu, FEW);
    const prices = typed(root, map, { key: d.u32, value: d.f32 });
    const asked = Array.from({ length: 50 }, (_, i) => i);
    const search = searcher(prices, d.u32, asked, VALUE);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(60), { maxLength: 40 }), async (list) => {
        const values = Float32Array.from(list, (_, i) => i);
        await map.rebuild({ keys: Uint32Array.from(list), values });
        const oracle = new Map(list.map((key, i) => [key, i]));
        expect(await search()).toEqual(asked.map((key) => oracle.get(key) ?? -1));
      }),
      { numRuns: 20 },
    );
  });

  it('follows a map into larger buffers, with the same pipeline', async () => {
    using map = await HashMap.from(gpu, FEW);
    const prices = typed(root, map, { key: d.u32, value: d.f32 });
    const search = searcher(prices, d.u32, [7, 8, 0xffffffff], VALUE);
    expect(await search()).toEqual([0.5, -1, 80]);
    const { bindGroup } = prices;
    expect(prices.bindGroup).toBe(bindGroup);
    await map.rebuild({
      keys: Uint32Array.from({ length: 5000 }, (_, i) => i),
      values: new Float32Array(5000).fill(3),
    });
    expect(prices.bindGroup).not.toBe(bindGroup);
    expect(await search()).toEqual([3, 3, -1]);
  });

  it('may be asked while its collection is rebuilt in larger buffers: before, nothing, or after', async () => {
    const many = { keys: Uint32Array.from({ length: 3000 }, (_, i) => i), values: new Float32Array(3000).fill(3) };
    using map = await HashMap.from(gpu, FEW);
    using votes = await MultiMap.from(gpu, FEW);
    using index = await KeyIndex.from(gpu, FEW);
    using living = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    await living.insert(FEW.keys, FEW.values);
    const asked = [7, 8, 0xffffffff];
    const searches = [
      [typed(root, map, { key: d.u32 }), () => map.rebuild(many)],
      [typed(root, votes, { key: d.u32 }), () => votes.rebuild(many)],
      [typed(root, index, { key: d.u32 }), () => index.rebuild(many)],
      [typed(root, living, { key: d.u32 }), () => living.insert(many.keys, many.values)],
    ] as const;
    for (const [table, change] of searches) {
      const search = searcher(table, d.u32, asked, 'f32(hit.found)');
      let isDone = false;
      const changing = change().then(() => {
        isDone = true;
      });
      const seen = new Set<string>();
      while (!isDone) seen.add(String(await search()));
      await changing;
      const after = table === searches[3][0] ? '1,1,1' : '1,1,0';
      expect(['1,0,1', '0,0,0', after]).toEqual(expect.arrayContaining([...seen]));
      expect(String(await search())).toBe(after);
    }
  });

  it('follows a map that lives', async () => {
    using map = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    const search = searcher(typed(root, map, { key: d.u32, value: d.f32 }), d.u32, [7, 8], VALUE);
    expect(await search()).toEqual([-1, -1]);
    await map.insert(
      Uint32Array.from({ length: 3000 }, (_, i) => 2 * i),
      new Float32Array(3000).fill(4),
    );
    expect(await search()).toEqual([-1, 4]);
  });

  it('finds strings by the bytes that they point into, and follows their map into larger buffers', async () => {
    const keys = ['ada', '', 'Zoë', '𝄞 clef', 'a'.repeat(300), ...Array.from({ length: 200 }, (_, i) => `name ${i}`)];
    using map = await HashMap.from(gpu, {
      keys: keys.slice(0, 9),
      values: Float32Array.from({ length: 9 }, (_, i) => i),
    });
    const asked = [...keys, 'ad', 'adaa', 'zoë', 'name', 'name 1000', ' '];
    const { words, context = [] } = utf8.encode(asked);
    const bytes = new Uint32Array(Math.ceil((context[0]?.length ?? 0) / 4));
    new Uint8Array(bytes.buffer).set(context[0] as Uint8Array);
    const needles = asked.map((_, i) => d.vec2u(words[2 * i] as number, words[2 * i + 1] as number));
    const names = typed(root, map, { key: d.vec2u, value: d.f32 }, { context: stored(d.u32, [...bytes]) });
    const search = searcher(names, d.vec2u, needles, VALUE);
    expect(await search()).toEqual(asked.map((_, i) => (i < 9 ? i : -1)));
    await map.rebuild({ keys, values: Float32Array.from(keys, (_, i) => i) });
    expect(await search()).toEqual(asked.map((_, i) => (i < keys.length ? i : -1)));
  });

  it.each(['map', 'set', 'index'] as const)('asks for keys that are not there, of a %s', async (kind) => {
    using map = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    using set = await DynamicSet.create(gpu, { key: u32 });
    using index = await DynamicIndex.create(gpu, { key: u32 });
    const collection = { map, set, index }[kind];
    using requests = await collection.requests(100);
    const types = { key: d.u32, ...(kind === 'map' && { value: d.f32 }) };
    const table = typed(root, collection, types as { key: d.U32 }, { requests });
    const room = root.createMutable(d.arrayOf(d.u32, 120));
    const ids = stored(d.u32, Array<number>(120).fill(0));
    const main = tgpu.computeFn({ workgroupSize: [120], in: { id: d.builtin.globalInvocationId } })(`{
      let key = 3u * in.id.x;
      if (!find(key).found) { room[in.id.x] = u32(request(key${kind === 'map' ? ', f32(key) / 2.0' : ''})); }
    }`);
    const { find, request } = table;
    const pipeline = root.createComputePipeline({ compute: main.$uses({ find, request, room }) });
    pipeline.with(table.bindGroup).dispatchWorkgroups(1);
    // There is room for a hundred, or a few more.
    const { capacity } = requests;
    expect((await room.read()).reduce((a, b) => a + b)).toBe(Math.min(120, capacity));
    await gpu.run((encoder) => {
      if (kind === 'index') index.encodeActivateRequests(encoder, requests, { ids: ids.buffer });
      else if (kind === 'set') set.encodeInsertRequests(encoder, requests);
      else map.encodeInsertRequests(encoder, requests);
    });
    await collection.settle();
    expect(collection.size).toBe(Math.min(120, capacity));
    const keys = await collection.keys();
    expect([...keys].every((key) => key % 3 === 0 && key < 360)).toBe(true);
    if (kind === 'map') expect([...(await map.get(keys)).values]).toEqual(Array.from(keys, (key) => key / 2));
  });

  it('takes other keys, and all that collections find', async () => {
    const keys = new Uint32Array([7, 8, 7]);
    using points = await HashSet.from(gpu, { keys: new Int32Array([1, -2, 3]) }, { key: vec3i });
    const asked = [d.vec3i(1, -2, 3), d.vec3i(1, -2, 4)];
    expect(await searcher(typed(root, points, { key: d.vec3i }), d.vec3i, asked, 'f32(hit.found)')()).toEqual([1, 0]);

    using wide = await HashMap.from(gpu, new Map([[2n ** 40n, 5]]), { key: u64 });
    const long = typed(root, wide, { key: d.vec2u, value: d.u32 });
    expect(await searcher(long, d.vec2u, [d.vec2u(0, 256), d.vec2u(256, 0)], VALUE)()).toEqual([5, -1]);

    using votes = await MultiMap.from(gpu, { keys, values: new Float32Array([1, 2, 3]) });
    const many = typed(root, votes, { key: d.u32, start: d.u32, count: d.u32 });
    expect(await searcher(many, d.u32, [7, 8, 9], 'f32(hit.count)')()).toEqual([2, 1, 0]);

    using sums = await Aggregate.from(gpu, { keys, values: keys }, { combine: { n: 'count', total: 'sum' } });
    const both = typed(root, sums, { key: d.u32, n: d.u32, total: d.u32 });
    expect(await searcher(both, d.u32, [7, 9], 'f32(hit.n * 100 + hit.total)')()).toEqual([214, 0]);

    using index = await KeyIndex.from(gpu, { keys }, { construction: 'table' });
    expect(await searcher(typed(root, index, { key: d.u32, value: d.u32 }), d.u32, [8, 7, 9], VALUE)()).toEqual([
      1, 0, -1,
    ]);
  });

  it('finds tuples, which are structs with the members a, b, c', async () => {
    const [x, y] = [
      Uint32Array.from({ length: 200 }, (_, i) => i % 14),
      Int32Array.from({ length: 200 }, (_, i) => -i),
    ];
    using map = await HashMap.from(
      gpu,
      { keys: [x, y], values: Float32Array.from(x, (_, i) => i) },
      { key: tuple(u32, i32) },
    );
    const Edge = d.struct({ a: d.u32, b: d.i32 });
    const edges = typed(root, map, { key: Edge, value: d.f32 });
    const asked = [...x.keys()].flatMap((i) => [
      { a: x[i] as number, b: y[i] as number },
      { a: (x[i] as number) + 20, b: y[i] as number },
    ]);
    const expected = [...x.keys()].flatMap((i) => [i, -1]);
    expect(await searcher(edges, Edge, asked, VALUE)()).toEqual(expected);
    const queries = stored(Edge, asked);
    const values = stored(d.f32, Array(asked.length).fill(0));
    await gpu.run((encoder) => map.encodeGet(encoder, { ...edges.buffers({ queries, values }), missing: -1 }));
    expect(await (values as unknown as { read(): Promise<number[]> }).read()).toEqual(expected);
  });

  it('finds tuples of vectors, and tuples in tuples, wherever their members lie', async () => {
    const key = tuple(u32, vec3i, tuple(u64, f32));
    const keys = [
      new Uint32Array([1, 2]),
      new Int32Array([1, -2, 3, 4, 5, -6]),
      [new BigUint64Array([2n ** 33n + 5n, 7n]), new Float32Array([0.5, -1])],
    ] as const;
    using set = await HashSet.from(gpu, { keys }, { key });
    const Key = d.struct({ a: d.u32, b: d.vec3i, c: d.struct({ a: d.vec2u, b: d.f32 }) });
    const table = typed(root, set, { key: Key });
    const one = { a: 1, b: d.vec3i(1, -2, 3), c: { a: d.vec2u(5, 2), b: 0.5 } };
    const asked = [one, { ...one, a: 2 }, { a: 2, b: d.vec3i(4, 5, -6), c: { a: d.vec2u(7, 0), b: -1 } }];
    expect(await searcher(table, Key, asked, 'f32(hit.found)')()).toEqual([1, 0, 1]);
    expect(() => table.buffers({ queries: stored(Key, asked) })).toThrow(/gaps/);
  });

  it('asks for tuples', async () => {
    using set = await DynamicSet.create(gpu, { key: tuple(u32, u32) });
    const Pair = d.struct({ a: d.u32, b: d.u32 });
    using requests = await set.requests(10);
    const { request, bindGroup } = typed(root, set, { key: Pair }, { requests });
    const main = tgpu.computeFn({ workgroupSize: [4], in: { id: d.builtin.globalInvocationId } })(
      '{ request(Pair(in.id.x, 7u)); }',
    );
    const pipeline = root.createComputePipeline({ compute: main.$uses({ request, Pair }) });
    pipeline.with(bindGroup).dispatchWorkgroups(1);
    await gpu.run((encoder) => set.encodeInsertRequests(encoder, requests));
    const asked = [new Uint32Array([0, 3, 4]), new Uint32Array([7, 7, 7])];
    expect([...(await set.has(asked as never))]).toEqual([1, 1, 0]);
  });

  it('refuses structs with other members than a tuple has', async () => {
    using set = await HashSet.from(gpu, { keys: [new Uint32Array(1), new Uint32Array(1)] }, { key: tuple(u32, u32) });
    for (const members of [{ a: d.u32 }, { a: d.u32, b: d.i32 }, { b: d.u32, a: d.u32 }, { a: d.u32, c: d.u32 }]) {
      expect(() => typed(root, set, { key: d.struct(members as { a: d.U32 }) })).toThrow(
        /key must be of the type struct \{ a: u32, b: u32 \}/,
      );
    }
    expect(() => typed(root, set, { key: d.u32 })).toThrow(/struct/);
    const Pair = d.struct({ a: d.u32, b: d.u32 });
    const other = d.struct({ a: d.u32, b: d.u32 });
    const table = typed(root, set, { key: Pair });
    expect(() => table.buffers({ queries: stored(other, [{ a: 1, b: 2 }]) as never })).toThrow(/struct of keys/);
  });

  it('lets one function search two tables', async () => {
    using prices = await HashMap.from(gpu, FEW);
    using stock = await HashMap.from(gpu, { keys: FEW.keys, values: new Uint32Array([1, 2, 3]) });
    const [price, amount] = [
      typed(root, prices, { key: d.u32, value: d.f32 }),
      typed(root, stock, { key: d.u32, value: d.u32 }),
    ];
    const worth = tgpu.fn([d.u32], d.f32)`(key: u32) -> f32 { return price(key).value * f32(amount(key).value); }`;
    worth.$uses({ price: price.find, amount: amount.find });
    const answers = root.createMutable(d.arrayOf(d.f32, 2));
    const main = tgpu.computeFn({ workgroupSize: [1] })`{ answers[0] = worth(9u); answers[1] = worth(8u); }`;
    const pipeline = root.createComputePipeline({ compute: main.$uses({ worth, answers }) });
    pipeline.with(price.bindGroup).with(amount.bindGroup).dispatchWorkgroups(1);
    expect(await answers.read()).toEqual([4, 0]);
  });

  it('has names that are given, and others that differ', async () => {
    using map = await HashMap.from(gpu, FEW);
    const named = typed(root, map, { key: d.u32, value: d.f32 }, { name: 'prices' });
    expect(tgpu.resolve([named.find])).toMatch(/fn prices_find\(key/);
    const both = tgpu.resolve([1, 2].map(() => typed(root, map, { key: d.u32, value: d.f32 }).find));
    const functions = [...both.matchAll(/fn (\w+)_find\(/g)].map(([, name]) => name);
    expect(new Set(functions).size).toBe(2);
  });

  it('knows its types', async () => {
    using map = await HashMap.from(gpu, FEW);
    const prices = typed(root, map, { key: d.u32, value: d.f32 });
    expectTypeOf<Parameters<typeof prices.find>>().toEqualTypeOf<[number]>();
    expectTypeOf<ReturnType<typeof prices.find>>().toExtend<{ found: boolean; slot: number; value: number }>();
    const floats = stored(d.f32, [1]);
    // @ts-expect-error: keys are u32
    expect(() => prices.buffers({ queries: floats })).toThrow('queries must be an array of u32');
  });
});

describe('typed buffers', () => {
  it('are items, with their types', async () => {
    const [items, types] = itemsOf({ keys: stored(d.u32, [7, 9]), values: stored(d.f32, [0.5, 2]) });
    expect(items.count).toBe(2);
    expectTypeOf<typeof types.value>().toEqualTypeOf<ValueType<Float32Array>>();
    using map = await HashMap.from(gpu, items, types);
    expectTypeOf<typeof map.value>().toEqualTypeOf<ValueType<Float32Array>>();
    expect((await map.get([9, 8])).values).toEqual(new Float32Array([2, 0]));
    using set = await HashSet.from(gpu, ...itemsOf({ keys: stored(d.vec2i, [d.vec2i(1, -1), d.vec2i(2, -2)]) }));
    expect(await set.has(new Int32Array([2, -2, 2, 2]))).toEqual(new Uint8Array([1, 0]));
    using long = await HashMap.from(
      gpu,
      ...itemsOf({ keys: stored(d.vec2u, [d.vec2u(1, 2)]), values: stored(d.vec4f, [d.vec4f(1, 2, 3, 4)]) }),
    );
    expect((await long.get([2n ** 33n + 1n])).values).toEqual(new Float32Array([1, 2, 3, 4]));
  });

  it('of different lengths have as many items as the shortest', () => {
    expect(itemsOf({ keys: stored(d.u32, [1, 2, 3]), values: stored(d.u32, [1, 2]) })[0].count).toBe(2);
  });

  it('get answers, and are items of a rebuild', async () => {
    using map = await HashMap.from(gpu, FEW);
    const prices = typed(root, map, { key: d.u32, value: d.f32 });
    const [queries, values, found] = [stored(d.u32, [9, 8]), stored(d.f32, [0, 0]), stored(d.u32, [7, 7])];
    await gpu.run((encoder) => map.encodeGet(encoder, { ...prices.buffers({ queries, values, found }), missing: -1 }));
    expect(await values.read()).toEqual([2, -1]);
    expect(await found.read()).toEqual([1, 0]);
    await gpu.run((encoder) => map.encodeRebuild(encoder, prices.buffers({ keys: queries, values })));
    expect((await map.get([9, 8, 7])).values).toEqual(new Float32Array([2, -1, 0]));
  });

  const unusable = () => root.createBuffer(d.arrayOf(d.u32, 1));
  const gone = () => {
    const buffer = stored(d.u32, [1]);
    buffer.destroy();
    return buffer;
  };

  it.each<[string, () => unknown, string]>([
    ['nothing', () => undefined, 'items must be an object'],
    ['keys that are no buffer', () => ({ keys: FEW.keys }), 'keys must be a buffer of root.createBuffer'],
    ['a single number', () => ({ keys: root.createBuffer(d.u32) }), 'keys must be a buffer'],
    ['a buffer without the usage', () => ({ keys: unusable() }), "keys needs .$usage('storage')"],
    ['a destroyed buffer', () => ({ keys: gone() }), 'keys was destroyed'],
    ['vectors with gaps', () => ({ keys: stored(d.vec3i, [d.vec3i()]) }), 'use vec4'],
    [
      'keys of no type',
      () => ({ keys: stored(d.vec4u, [d.vec4u()]) }),
      'keys must be an array of u32, i32, f32, vec2u, vec2i',
    ],
    ['a misspelt name', () => ({ keys: stored(d.u32, [1]), vales: stored(d.u32, [1]) }), 'did you mean values?'],
  ])('refuses %s', (_, items, message) => {
    expect(() => itemsOf(items() as never)).toThrow(message);
    expect(() => itemsOf(items() as never)).toThrow('itemsOf: ');
  });
});

const map = await HashMap.from(gpu, FEW);

describe('typed and gpuOf refuse', () => {
  const types = { key: d.u32, value: d.f32 };
  const typedOf = (...parts: unknown[]) => typed(...(parts as [TgpuRoot, Shaded, typeof types]));

  it.each<[string, () => unknown, string]>([
    ['no root', () => gpuOf(undefined as never), 'root must be a root'],
    ['a device for a root', () => gpuOf(gpu.device as never), 'root must be a root'],
    ['a Gpu for a root', () => typedOf(gpu, map, types), 'root must be a root'],
    ['no collection', () => typedOf(root, undefined, types), 'collection must be'],
    ['no types', () => typedOf(root, map), 'types must be an object'],
    ['no key', () => typedOf(root, map, { value: d.f32 }), 'key must be of the type u32'],
    ['another key', () => typedOf(root, map, { key: d.i32, value: d.f32 }), 'key must be of the type u32'],
    ['another value', () => typedOf(root, map, { key: d.u32, value: d.u32 }), 'value must be of the type f32'],
    [
      'a member that is not found',
      () => typedOf(root, map, { key: d.u32, count: d.u32 }),
      'has no count; there are found',
    ],
    ['a misspelt option', () => typedOf(root, map, types, { nmae: 'x' }), 'did you mean name?'],
    ['a name that WGSL has not', () => typedOf(root, map, types, { name: '1st' }), 'name must be a name'],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message);
    expect(call).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });

  it('collections without a find, and keys that their schemas cannot say', async () => {
    using grid = await SpatialGrid.from(gpu, { points: new Float32Array(3) }, { radius: 1 });
    expect(() => typedOf(root, grid, types)).toThrow('it has no find');
    using names = await HashMap.from(gpu, { keys: ['ada'], values: new Uint32Array(1) }, { key: utf8 });
    expect(() => typedOf(root, names, types)).toThrow('shaders with utf8 keys need a `context`');
    const bytes = stored(d.u32, [0]);
    expect(() => typed(root, map, { key: d.u32 }, { context: bytes })).toThrow('u32 keys have no context');
    expect(() => typed(root, names, { key: d.u32 }, { context: bytes })).toThrow('key must be of the type vec2u');
    expect(() => typed(root, names, { key: d.vec2u }, { context: stored(d.f32, [0]) as never })).toThrow(
      "context must be an array of u32, not 'f32'",
    );
    for (const nothing of [null, 0, '', false]) {
      expect(() => typed(root, names, { key: d.vec2u }, { context: nothing as never })).toThrow(
        'context must be a buffer',
      );
    }
    using living = await DynamicMap.create(gpu, { key: u32, value: valueTypes.f32 });
    using requests = await living.requests(10);
    expect(() => typed(root, map, { key: d.u32 }, { requests })).toThrow('options have no requests');
    expect(() => typed(root, living, { key: d.u32 }, { requests })).toThrow('value must be of the type f32');
    using pairs = await HashMap.from(
      gpu,
      { keys: [new Uint32Array(1), new Uint32Array(1)], values: new Uint32Array(1) },
      { key: tuple(u32, u32) },
    );
    expect(() => typedOf(root, pairs, types)).toThrow('key must be');
  });

  it('collections of another device, and tables that are gone', async () => {
    using other = await Gpu.open();
    using foreign = await HashMap.from(other, FEW);
    expect(() => typedOf(root, foreign, types)).toThrow('another device than the root');
    const short = await HashMap.from(gpu, FEW);
    const prices = typed(root, short, types);
    short.destroy();
    expect(() => prices.bindGroup).toThrow(expect.objectContaining({ code: 'destroyed' }));
    expect(() => typedOf(root, short, types)).toThrow(expect.objectContaining({ code: 'destroyed' }));
  });

  it('a device that is lost', async () => {
    const own = await Gpu.open();
    const lost = tgpu.initFromDevice({ device: own.device });
    const alone = gpuOf(lost);
    expect(gpuOf(lost)).toBe(alone);
    own.device.destroy();
    await own.lost;
    await expect(HashMap.from(alone, FEW)).rejects.toThrow(expect.objectContaining({ code: 'device-lost' }));
    alone.destroy();
    expect(gpuOf(lost)).not.toBe(alone);
  });
});
