/** Every call of the static collections with things that it does not take, as plain JavaScript can pass them. */
import { afterAll, describe, expect, it } from 'vitest';
import { Aggregate, HashMap, HashSet, KeyIndex, linearProbing, MultiMap, u32, valueTypes } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { describeRefusals, NUMBERS, OBJECTS, type Odd, refusal } from './odd.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();
const words = Uint32Array.of(1, 2, 3);
const buffer = gpu.upload('test', new Uint32Array(64));
const output = gpu.createBuffer('test', 256);
const third = gpu.createBuffer('test', 256);
const encoder = gpu.device.createCommandEncoder();

const map = await HashMap.from(gpu, { keys: words, values: words }, { scheme });
const vectors = await HashMap.from(
  gpu,
  { keys: words, values: new Float32Array(9) },
  { scheme, value: valueTypes.vec3f },
);
const set = await HashSet.from(gpu, { keys: words }, { scheme });
const names = await HashSet.from(gpu, { keys: ['a', 'b'] }, { scheme });
const index = await KeyIndex.from(gpu, { keys: words }, { scheme, construction: 'table' });
const multi = await MultiMap.from(gpu, { keys: words, values: words }, { scheme, construction: 'table' });
const sums = await Aggregate.from(
  gpu,
  { keys: words, values: words },
  { scheme, combine: 'sum', construction: 'table' },
);
const saved = await map.toBytes();
const collections = [map, vectors, set, names, index, multi, sums];
afterAll(() => {
  for (const collection of collections) collection.destroy();
  for (const made of [buffer, output, third]) made.destroy();
});

const u = 'undefined' as const;
const mapInput = { keys: words, values: words };
const mapBuffers = { keys: buffer, values: buffer, count: 3 };
const withKey = { key: u32, scheme };

/** What can be iterated, where that will do. */
const ITERATED: Readonly<Record<string, readonly Odd[]>> = {
  HashMap: ['array'],
  HashSet: ['array', 'numbers', 'strings'],
  KeyIndex: ['array', 'numbers', 'strings'],
  MultiMap: ['array'],
  Aggregate: ['array'],
};

/** What the five collections have in common. */
const made = (
  [
    [HashMap, 'HashMap', {}],
    [HashSet, 'HashSet', {}],
    [KeyIndex, 'KeyIndex', {}],
    [MultiMap, 'MultiMap', {}],
    [Aggregate, 'Aggregate', { combine: 'sum' }],
  ] as const
).flatMap(([type, name, more]) => {
  const { from, encodeBuild } = type as unknown as Record<'from' | 'encodeBuild', (...args: unknown[]) => unknown>;
  const host = (input: object, options: object) =>
    from.call(type, gpu, { ...mapInput, ...input }, { scheme, ...more, ...options });
  const encoded = (input: object, options: object) =>
    encodeBuild.call(type, gpu, encoder, { ...mapBuffers, ...input }, { ...withKey, ...more, ...options });
  const hasValues = name !== 'HashSet' && name !== 'KeyIndex';
  return [
    refusal(`${name}.from`, 'gpu', (odd) => from.call(type, odd, mapInput, { scheme, ...more }), ['gpu']),
    refusal(
      `${name}.from`,
      'keys|values|entries',
      (odd) => from.call(type, gpu, odd, { scheme, ...more }),
      ITERATED[name],
    ),
    refusal(`${name}.from`, 'keys', (keys) => host({ keys }, {}), [
      'uint32',
      'int32',
      'float32',
      'bigInt64',
      'bigUint64',
      'array',
      'numbers',
      'strings',
    ]),
    refusal(`${name}.from`, 'count', (count) => host({ count }, {}), [u, 'zero']),
    refusal(`${name}.from`, 'key', (key) => host({}, { key }), [u]),
    refusal(`${name}.from`, 'scheme', (odd) => host({}, { scheme: odd }), [u]),
    refusal(`${name}.from`, 'seed', (seed) => host({}, { seed }), [u, 'zero']),
    refusal(
      `${name}.encodeBuild`,
      'gpu',
      (odd) => encodeBuild.call(type, odd, encoder, mapBuffers, { ...withKey, ...more }),
      ['gpu'],
    ),
    refusal(`${name}.encodeBuild`, 'target', (odd) =>
      encodeBuild.call(type, gpu, odd, mapBuffers, { ...withKey, ...more }),
    ),
    refusal(`${name}.encodeBuild`, 'keys', (keys) => encoded({ keys }, {}), ['buffer']),
    refusal(`${name}.encodeBuild`, 'count', (count) => encoded({ count }, {}), ['zero', 'place']),
    refusal(`${name}.encodeBuild`, 'key', (key) => encoded({}, { key })),
    ...(hasValues
      ? [
          refusal(`${name}.from`, 'values', (values) => host({ values }, {}), [
            'uint32',
            'int32',
            'float32',
            'bigInt64',
            'bigUint64',
            'buffer',
          ]),
          refusal(`${name}.from`, 'value', (value) => host({}, { value }), [u]),
          refusal(`${name}.encodeBuild`, 'values', (values) => encoded({ values }, {}), ['buffer']),
        ]
      : []),
  ];
});

const opened = [
  refusal('HashMap.fromBytes', 'gpu', (odd) => HashMap.fromBytes(odd, saved, { scheme }), ['gpu']),
  refusal('HashMap.fromBytes', 'key', (key) => HashMap.fromBytes(gpu, saved, { scheme, key }), [u]),
  refusal('HashMap.fromBytes', 'value', (value) => HashMap.fromBytes(gpu, saved, { scheme, value }), [u]),
  refusal('HashMap.fromBytes', 'scheme', (odd) => HashMap.fromBytes(gpu, saved, { scheme: odd }), [u]),
  refusal('MultiMap.from', 'order', (order) => MultiMap.from(gpu, mapInput, { scheme, order }), [u]),
  refusal('KeyIndex.from', 'construction', (construction) => KeyIndex.from(gpu, mapInput, { scheme, construction }), [
    u,
  ]),
  refusal('HashMap.from', 'duplicates', (duplicates) => HashMap.from(gpu, mapInput, { scheme, duplicates }), [u]),
  refusal('Aggregate.from', 'combine|accumulator', (combine) => Aggregate.from(gpu, mapInput, { scheme, combine })),
];

const searches = { queries: buffer, values: output, found: third, count: 3 };
const u32Fine: Odd[] = ['uint32'];
const u32KeysFine: Odd[] = [...u32Fine, 'array', 'numbers'];
const searched = [
  refusal('HashMap.get', 'keys', (keys) => map.get(keys), u32KeysFine),
  refusal('HashMap.has', 'keys', (keys) => map.has(keys), u32KeysFine),
  refusal('HashSet.has', 'keys', (keys) => set.has(keys), u32KeysFine),
  refusal('HashSet.has', 'keys', (keys) => names.has(keys), ['array', 'strings']),
  refusal('KeyIndex.ids', 'keys', (keys) => index.ids(keys), u32KeysFine),
  refusal('KeyIndex.keysOf', 'ids', (ids) => index.keysOf(ids), u32Fine),
  refusal('MultiMap.get', 'keys', (keys) => multi.get(keys), u32KeysFine),
  refusal('MultiMap.count', 'keys', (keys) => multi.count(keys), u32KeysFine),
  refusal('MultiMap.retrieve', 'keys', (keys) => multi.retrieve(keys), u32KeysFine),
  refusal('Aggregate.get', 'keys', (keys) => sums.get(keys), u32KeysFine),
  refusal('HashMap.stats', 'absent', (absent) => map.stats({ absent }), [u, ...u32KeysFine]),
  refusal('HashMap.get', 'option', (options) => map.get(words, options), [u, ...OBJECTS]),
  refusal('HashMap.get', 'missing', (missing) => map.get(words, { missing }), [u, 'zero']),
  refusal('HashMap.get', 'missing', (missing) => vectors.get(words, { missing }), [u, ...NUMBERS]),
  refusal('KeyIndex.ids', 'missing', (missing) => index.ids(words, { missing }), [u, 'zero']),
  refusal('Aggregate.get', 'missing', (missing) => sums.get(words, { missing }), [u, 'zero']),
  refusal('HashMap.rebuild', 'keys|count', (keys) => map.rebuild({ keys, values: words }), u32KeysFine),
  refusal('HashMap.rebuild', 'values', (values) => map.rebuild({ keys: words, values }), ['uint32', 'buffer']),
  refusal('HashMap.rebuild', 'count', (count) => map.rebuild({ ...mapInput, count }), [u, 'zero']),
  refusal('HashSet.rebuild', 'keys|count', (keys) => set.rebuild({ keys }), u32KeysFine),
  refusal('KeyIndex.rebuild', 'keys|count', (keys) => index.rebuild({ keys }), u32KeysFine),
  refusal('MultiMap.rebuild', 'values', (values) => multi.rebuild({ keys: words, values }), ['uint32', 'buffer']),
  refusal('Aggregate.rebuild', 'values', (values) => sums.rebuild({ keys: words, values }), ['uint32', 'buffer']),
  ...([map, set, index, multi, sums] as const).flatMap((collection) => {
    const rebuild = collection.encodeRebuild.bind(collection) as (target: unknown, input: object) => void;
    return [
      refusal('encodeRebuild', 'target', (target) => rebuild(target, mapBuffers)),
      refusal('encodeRebuild', 'keys', (keys) => rebuild(encoder, { ...mapBuffers, keys }), ['buffer']),
      refusal('encodeRebuild', 'count', (count) => rebuild(encoder, { ...mapBuffers, count }), ['zero', 'place']),
      refusal('encodeHas', 'found', (found) => collection.encodeHas(encoder, { ...searches, found }), ['buffer']),
      refusal('encodeHas', 'queries', (queries) => collection.encodeHas(encoder, { ...searches, queries }), ['buffer']),
    ];
  }),
  ...(['target', 'buffers|keys', 'keys', 'count'] as const).flatMap((argument) =>
    ([map, set, index, multi, sums] as const).map((collection) =>
      refusal(
        `${collection.constructor.name}.encodeKeys`,
        argument,
        (odd) => {
          const io = { keys: output, count: { buffer: third }, [argument]: odd };
          collection.encodeKeys(argument === 'target' ? odd : encoder, argument.includes('|') ? odd : io);
        },
        argument === 'keys' ? ['buffer'] : argument === 'count' ? ['place'] : [],
      ),
    ),
  ),
  ...([map, multi, sums] as const).flatMap((collection) =>
    (['keys', 'values', 'count'] as const).map((argument) => {
      const io = { keys: output, values: third, count: { buffer: gpu.upload('test', words) } };
      const fine: Odd[] = argument === 'count' ? ['place'] : ['buffer'];
      const make = (odd: never) => collection.encodeEntries(encoder, { ...io, [argument]: odd });
      return refusal(`${collection.constructor.name}.encodeEntries`, argument, make, fine);
    }),
  ),
  refusal(
    'KeyIndex.encodeEntries',
    'ids',
    (ids) => index.encodeEntries(encoder, { keys: output, ids, count: { buffer: third } }),
    ['buffer'],
  ),
  ...([map, multi, sums] as const).map((collection) =>
    refusal('encodeRebuild', 'values', (values) => collection.encodeRebuild(encoder, { ...mapBuffers, values }), [
      'buffer',
    ]),
  ),
  refusal('HashMap.encodeGet', 'target', (target) => map.encodeGet(target, searches)),
  refusal('HashMap.encodeGet', 'buffers|values', (buffers) => map.encodeGet(encoder, buffers)),
  refusal('HashMap.encodeGet', 'values', (values) => map.encodeGet(encoder, { ...searches, values }), ['buffer']),
  refusal('HashMap.encodeGet', 'found', (found) => map.encodeGet(encoder, { ...searches, found }), [u, 'buffer']),
  refusal('HashMap.encodeGet', 'count', (count) => map.encodeGet(encoder, { ...searches, count }), ['zero', 'place']),
  refusal('HashMap.encodeGet', 'missing', (missing) => map.encodeGet(encoder, { ...searches, missing }), [u, 'zero']),
  refusal('KeyIndex.encodeIds', 'ids', (ids) => index.encodeIds(encoder, { ...searches, ids }), ['buffer']),
  refusal('KeyIndex.encodeKeysOf', 'ids', (ids) => index.encodeKeysOf(encoder, { ids, keys: output, count: 3 }), [
    'buffer',
  ]),
  refusal('KeyIndex.encodeKeysOf', 'keys', (keys) => index.encodeKeysOf(encoder, { ids: output, keys, count: 3 }), [
    'buffer',
  ]),
  refusal(
    'MultiMap.encodeCount',
    'counts',
    (counts) => multi.encodeCount(encoder, { queries: output, counts, count: 3 }),
    ['buffer'],
  ),
  refusal(
    'MultiMap.encodeCount',
    'starts',
    (starts) => multi.encodeCount(encoder, { queries: output, counts: third, starts, count: 3 }),
    [u, 'buffer'],
  ),
  ...(['queries', 'offsets', 'values', 'total', 'count', 'capacity'] as const).map((name) => {
    const io = { queries: buffer, offsets: output, values: third, total: { buffer: gpu.constants(0) }, count: 3 };
    const fine = {
      queries: ['buffer'],
      offsets: [],
      values: [],
      total: [],
      count: ['zero', 'place'],
      capacity: [u, 'zero'],
    } as const;
    return refusal(
      'MultiMap.encodeRetrieve',
      name,
      (odd) => multi.encodeRetrieve(encoder, { ...io, [name]: odd }),
      fine[name],
    );
  }),
  refusal('Aggregate.encodeGet', 'values', (values) => sums.encodeGet(encoder, { ...searches, values }), ['buffer']),
  refusal('Aggregate.encodeGet', 'missing', (missing) => sums.encodeGet(encoder, { ...searches, missing }), [
    u,
    'zero',
  ]),
];

const faces = [
  refusal('HashMap.wgsl', 'option|name', (options) => map.wgsl(options)),
  refusal('HashMap.wgsl', 'name', (name) => map.wgsl({ name, group: 1 }), ['text']),
  refusal('HashMap.wgsl', 'group', (group) => map.wgsl({ name: 'm', group }), ['zero']),
  refusal('HashMap.wgsl', 'firstBinding', (firstBinding) => map.wgsl({ name: 'm', group: 0, firstBinding }), [
    u,
    'zero',
  ]),
  refusal('HashMap.wgsl', 'visibility', (visibility) => map.wgsl({ name: 'm', group: 0, visibility }), [u]),
  refusal('HashSet.wgsl', 'context', (context) => names.wgsl({ name: 'm', group: 0, context }), ['text']),
];

describeRefusals(gpu, buffer, { made, opened, searched, faces });

describe('afterwards', () => {
  it('every collection answers as before, and nothing was recorded', async () => {
    gpu.device.queue.submit([encoder.finish()]);
    expect([...(await map.get(words)).values]).toEqual([1, 2, 3]);
    expect([...(await vectors.has(words))]).toEqual([1, 1, 1]);
    expect([...(await set.has(words))]).toEqual([1, 1, 1]);
    expect([...(await names.has(['b', 'c']))]).toEqual([1, 0]);
    expect((await index.ids(words)).every((id) => id < 3)).toBe(true);
    expect((await multi.get(words)).map((values) => [...values])).toEqual([[1], [2], [3]]);
    expect([...(await sums.get(words)).values]).toEqual([1, 2, 3]);
  });
});
