/** Every public call with things that it does not take, as plain JavaScript can pass them. */
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import {
  Aggregate,
  arrowKeys,
  bucketCuckoo,
  bytes,
  chaining,
  compact,
  cuckoo,
  doubleHashing,
  encodeCompact,
  encodeExclusiveScan,
  encodeFill,
  encodeGatherRows,
  encodeHistogram,
  encodeSort,
  exclusiveScan,
  eytzinger,
  fill,
  Gpu,
  gatherRows,
  HashMap,
  HashnestError,
  HashSet,
  histogram,
  InvalidInputError,
  KeyIndex,
  linearProbing,
  MultiMap,
  mix,
  perfect,
  perfectSpatial,
  quadraticProbing,
  sliceKeys,
  sort,
  sortedArray,
  tuple,
  twoLevelCuckoo,
  u32,
  utf8,
  valueTypes,
  vec3i,
  Workspace,
  wgsl,
  wordsKey,
} from '../src/index.ts';
import { watchBuffers } from './liveBuffers.ts';
import { sharedGpu } from './sharedGpu.ts';

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

const typedArrays = {
  int8: new Int8Array(12),
  uint8: new Uint8Array(12),
  clamped: new Uint8ClampedArray(12),
  int16: new Int16Array(12),
  uint16: new Uint16Array(12),
  int32: new Int32Array(4),
  uint32: new Uint32Array(4),
  float32: new Float32Array(4),
  float64: new Float64Array(4),
  bigInt64: new BigInt64Array(4),
  bigUint64: new BigUint64Array(4),
};

/** What nobody would pass on purpose, by name. */
const ODD = {
  undefined: undefined,
  null: null,
  NaN: Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  negative: -1,
  fraction: 1.5,
  huge: 2 ** 53,
  zero: 0,
  bigint: 10n,
  true: true,
  empty: '',
  text: 'text',
  symbol: Symbol('odd'),
  function: () => {},
  class: Uint32Array,
  array: [],
  numbers: [1, 2],
  strings: ['a', 'b'],
  holes: new Array(3),
  sparse: new Array(2 ** 32 - 1),
  object: {},
  bare: Object.create(null),
  lengthy: { length: 2 ** 40 },
  date: new Date(0),
  promise: Promise.resolve(),
  dataView: new DataView(new ArrayBuffer(16)),
  arrayBuffer: new ArrayBuffer(16),
  proxy: new Proxy(new Uint32Array(4), {}),
  impostor: Object.create(Uint32Array.prototype),
  device: gpu.device,
  gpu,
  buffer,
  uniforms: gpu.device.createBuffer({ size: 16, usage: 0x40 }),
  place: { buffer, offset: 0 },
  misplaced: { buffer, offset: 2 },
  ...typedArrays,
};
type Odd = keyof typeof ODD;

const NUMBERS: Odd[] = ['NaN', 'infinity', 'negative', 'fraction', 'huge', 'zero'];
const OBJECTS: Odd[] = [
  'object',
  'bare',
  'lengthy',
  'date',
  'promise',
  'place',
  'misplaced',
  'gpu',
  'device',
  'buffer',
  'arrayBuffer',
  'impostor',
  'uniforms',
];

interface Refusal {
  /** As messages begin. */
  readonly call: string;
  /** As messages name it: a regular expression. */
  readonly argument: string;
  /** Makes the call with something else there. */
  readonly make: (odd: never) => unknown;
  /** What may be passed all the same. */
  readonly fine: readonly Odd[];
}

const refusal = (
  call: string,
  argument: string,
  make: (odd: never) => unknown,
  fine: readonly Odd[] = [],
): Refusal => ({
  call,
  argument,
  make,
  fine,
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

const primitives = [
  refusal('sort', 'gpu', (odd) => sort(odd, words), ['gpu']),
  refusal('sort', 'keys', (keys) => sort(gpu, keys), u32KeysFine),
  refusal('sort', 'values', (values) => sort(gpu, new Uint32Array(4), { values }), [u, 'uint32']),
  refusal('sort', 'firstBit', (firstBit) => sort(gpu, words, { firstBit }), [u, 'zero']),
  refusal('sort', 'bits', (bits) => sort(gpu, words, { bits }), [u, 'zero']),
  refusal('exclusiveScan', 'input', (input) => exclusiveScan(gpu, input), u32Fine),
  refusal('compact', 'values', (values) => compact(gpu, values, new Uint32Array(4)), u32Fine),
  refusal('compact', 'flags', (flags) => compact(gpu, new Uint32Array(4), flags), u32Fine),
  refusal('histogram', 'values', (values) => histogram(gpu, values, 4), u32Fine),
  refusal('histogram', 'bins', (bins) => histogram(gpu, words, bins)),
  refusal('fill', 'length', (length) => fill(gpu, length, 1), ['zero']),
  refusal('fill', 'value', (value) => fill(gpu, 3, value), ['zero']),
  refusal('gatherRows', 'rows', (rows) => gatherRows(gpu, { rows, rowWords: 1, indices: words }), [
    'buffer',
    ...(Object.keys(typedArrays) as Odd[]),
  ]),
  refusal('gatherRows', 'rowWords|words wanted', (rowWords) =>
    gatherRows(gpu, { rows: words, rowWords, indices: words }),
  ),
  refusal('gatherRows', 'indices', (indices) => gatherRows(gpu, { rows: words, rowWords: 1, indices }), u32Fine),
  refusal('encodeSort', 'gpu', (odd) => encodeSort(odd, encoder, { keys: buffer, count: 3 }), ['gpu']),
  refusal('encodeSort', 'target', (target) => encodeSort(gpu, target, { keys: buffer, count: 3 })),
  refusal('encodeSort', 'options|keys', (options) => encodeSort(gpu, encoder, options)),
  refusal('encodeSort', 'keys', (keys) => encodeSort(gpu, encoder, { keys, count: 0 }), ['buffer']),
  refusal('encodeSort', 'count', (count) => encodeSort(gpu, encoder, { keys: output, count }), ['zero', 'place']),
  refusal('encodeSort', 'workspace', (workspace) => encodeSort(gpu, encoder, { keys: output, count: 0, workspace }), [
    u,
  ]),
  refusal(
    'encodeExclusiveScan',
    'total',
    (total) => encodeExclusiveScan(gpu, encoder, { input: output, output: third, count: 0, total }),
    [u, 'place'],
  ),
  refusal(
    'encodeCompact',
    'total',
    (total) => encodeCompact(gpu, encoder, { values: output, flags: output, output: third, count: 0, total }),
    ['place'],
  ),
  refusal(
    'encodeFill',
    'offsetItems',
    (offsetItems) => encodeFill(gpu, encoder, { output, value: 0, count: 0, offsetItems }),
    [u, 'zero', 'huge'],
  ),
  refusal(
    'encodeHistogram',
    'values',
    (values) => encodeHistogram(gpu, encoder, { values, output, bins: 4, count: 0 }),
    ['buffer'],
  ),
  refusal(
    'encodeGatherRows',
    'rows',
    (rows) => encodeGatherRows(gpu, encoder, { rows, rowWords: 1, indices: output, output: third, count: 0 }),
    ['buffer'],
  ),
];

const numbers = {
  loadFactor: linearProbing,
  functions: cuckoo,
  stashSlots: cuckoo,
  chainLimit: cuckoo,
  buckets: chaining,
  bucketsPerItem: chaining,
  capacitySlots: doubleHashing,
  bucketCapacity: twoLevelCuckoo,
  offsetsPerItem: perfectSpatial,
};
const others = [
  ...Object.entries(numbers).map(([name, make]) =>
    refusal(
      make === perfectSpatial ? 'perfectSpatial' : '',
      name,
      (odd) => (make as (options: object) => unknown)({ [name]: odd }),
      [u, ...NUMBERS],
    ),
  ),
  refusal('perfect', 'hash', (hash) => perfect({ hash }), [u]),
  refusal('', 'gpu', (odd) => new Workspace(odd), ['gpu']),
  refusal('', 'device', (device) => Gpu.from(device), ['device', 'gpu']),
  refusal('', 'data', (data) => gpu.upload('test', data), ['dataView', ...(Object.keys(typedArrays) as Odd[])]),
  refusal('', 'bytes', (size) => gpu.createBuffer('test', size), ['zero', 'huge']),
  refusal('', 'tuple', (part) => tuple(u32, part)),
  refusal('', 'bytes', (odd) => sliceKeys(utf8, { bytes: odd, offsets: new Uint32Array(1) }), ['uint8']),
  refusal('', 'offsets', (offsets) => sliceKeys(utf8, { bytes: new Uint8Array(0), offsets }), [
    'uint32',
    'int32',
    'bigInt64',
  ]),
  refusal('', 'type', (type) => sliceKeys(type, { bytes: new Uint8Array(0), offsets: new Uint32Array(1) })),
  refusal('', 'column', (column) => arrowKeys(utf8, column)),
];

/** Throws or rejects, as the caller would see it. */
const errorOf = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe.each(Object.entries({ made, opened, searched, faces, primitives, others }))('calls: %s', (_, refusals) => {
  it.each(refusals.map((one) => [`${one.call} (${one.argument})`, one] as const))(
    '%s',
    async (_, { call, argument, make, fine }) => {
      const live = watchBuffers(gpu);
      const wrong: string[] = [];
      for (const [name, odd] of Object.entries(ODD)) {
        if (fine.includes(name as Odd)) continue;
        const error = await errorOf(() => make(odd as never));
        const told =
          error instanceof HashnestError && new RegExp(argument).test(error.message) && error.message.includes(call);
        if (!told) wrong.push(`${name}: ${error}`);
      }
      live.restore();
      expect(wrong).toEqual([]);
      expect(live.count()).toBe(0);
    },
  );
});

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

describe('arrays of another make are taken for what they are', () => {
  class Mine extends Uint32Array {}

  it.each([
    ['of another realm', runInNewContext('Uint32Array.of(1, 2, 3)') as Uint32Array],
    ['of a class of their own', Mine.of(1, 2, 3)],
    ['that are a part of their memory', Uint32Array.of(9, 1, 2, 3, 9).subarray(1, 4)],
  ])('%s', async (_, array) => {
    using built = await HashMap.from(gpu, { keys: array, values: array }, { scheme });
    expect([...(await built.get(array)).values]).toEqual([1, 2, 3]);
    expect([...(await exclusiveScan(gpu, array)).output]).toEqual([0, 1, 3]);
    const rows = await gatherRows(gpu, { rows: array, rowWords: 1, indices: array });
    expect(Object.getPrototypeOf(rows)).toBe(Uint32Array.prototype);
    expect([...rows]).toEqual([2, 3, 0]);
  });
});

describe('misspelt options are refused with the name that was meant', () => {
  const listed = { ids: buffer, keys: output };
  const counted = { queries: buffer, counts: output, count: 3 };
  const retrieved = { queries: buffer, offsets: output, values: third, total: { buffer: gpu.constants(0) }, count: 3 };

  it.each([
    ['HashMap.from', () => HashMap.from(gpu, mapInput, { schema: scheme } as never), 'scheme'],
    ['HashMap.from', () => HashMap.from(gpu, mapInput, { scheme, duplicate: 'first' } as never), 'duplicates'],
    ['HashMap.from', () => HashMap.from(gpu, mapInput, { scheme, Seed: 1 } as never), 'seed'],
    ['HashMap.from', () => HashMap.from(gpu, { ...mapInput, cuont: 2 } as never, { scheme }), 'count'],
    ['HashSet.from', () => HashSet.from(gpu, mapInput, { sceme: scheme } as never), 'scheme'],
    ['KeyIndex.from', () => KeyIndex.from(gpu, mapInput, { scheme, constuction: 'sort' } as never), 'construction'],
    ['MultiMap.from', () => MultiMap.from(gpu, mapInput, { scheme, oder: 'any' } as never), 'order'],
    ['Aggregate.from', () => Aggregate.from(gpu, mapInput, { scheme, combiner: 'sum' } as never), 'combine'],
    ['HashMap.encodeBuild', () => HashMap.encodeBuild(gpu, encoder, mapBuffers, { keys: u32, scheme } as never), 'key'],
    ['HashMap.fromBytes', () => HashMap.fromBytes(gpu, saved, { shceme: scheme } as never), 'scheme'],
    ['HashMap.rebuild', () => map.rebuild({ ...mapInput, contex: buffer } as never), 'context'],
    ['HashMap.get', () => map.get(words, { mising: 7 } as never), 'missing'],
    ['HashMap.encodeGet', () => map.encodeGet(encoder, { ...searches, mising: 7 } as never), 'missing'],
    ['HashSet.encodeHas', () => set.encodeHas(encoder, { ...searches, contxt: buffer } as never), 'context'],
    ['KeyIndex.ids', () => index.ids(words, { mising: 7 } as never), 'missing'],
    ['KeyIndex.encodeIds', () => index.encodeIds(encoder, { ...searches, ids: third, mising: 7 } as never), 'missing'],
    ['KeyIndex.encodeKeysOf', () => index.encodeKeysOf(encoder, { ...listed, cuont: 3 } as never), 'count'],
    ['MultiMap.encodeCount', () => multi.encodeCount(encoder, { ...counted, start: third } as never), 'starts'],
    ['MultiMap.encodeRetrieve', () => multi.encodeRetrieve(encoder, { ...retrieved, capcity: 1 } as never), 'capacity'],
    ['Aggregate.get', () => sums.get(words, { mising: 7 } as never), 'missing'],
    ['Aggregate.encodeGet', () => sums.encodeGet(encoder, { ...searches, mising: 7 } as never), 'missing'],
    ['HashMap.stats', () => map.stats({ abscent: words } as never), 'absent'],
    ['HashMap.wgsl', () => map.wgsl({ name: 'm', gruop: 0 } as never), 'group'],
    ['sort', () => sort(gpu, words, { firstbit: 3 } as never), 'firstBit'],
    ['encodeSort', () => encodeSort(gpu, encoder, { keys: output, count: 0, bit: 3 } as never), 'bits'],
    ['bucketCuckoo', () => bucketCuckoo({ loadfactor: 0.5 } as never), 'loadFactor'],
    ['linearProbing', () => linearProbing({ capacity: 5 } as never), 'capacitySlots'],
    ['quadraticProbing', () => quadraticProbing({ load: 0.5 } as never), 'loadFactor'],
    ['doubleHashing', () => doubleHashing({ hashFamily: mix } as never), 'hash'],
    ['cuckoo', () => cuckoo({ function: 3 } as never), 'functions'],
    ['chaining', () => chaining({ bucket: 3 } as never), 'buckets'],
    ['twoLevelCuckoo', () => twoLevelCuckoo({ bucketcapacity: 512 } as never), 'bucketCapacity'],
    ['perfect', () => perfect({ hsah: mix } as never), 'hash'],
    ['perfectSpatial', () => perfectSpatial({ offsetPerItem: 1 } as never), 'offsetsPerItem'],
  ])('%s %s', async (call, make, meant) => {
    const error = await errorOf(make);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as Error).message).toMatch(new RegExp(`^${call}: .*did you mean ${meant}\\?`));
  });

  it('others are refused with the names that there are', async () => {
    expect(() => sortedArray({ loadFactor: 1 } as never)).toThrow(
      'sortedArray: options have no loadFactor; there are none',
    );
    expect(() => eytzinger({ wide: 1 } as never)).toThrow(InvalidInputError);
    const error = await errorOf(() => HashSet.from(gpu, mapInput, { scheme, wibble: 1 } as never));
    expect((error as Error).message).toBe(
      'HashSet.from: options have no wibble; there are key, scheme, duplicates, seed, signal',
    );
  });

  it('an option that is left undefined is none, and data may have members of its own', async () => {
    const input = { ...mapInput, title: 'mine', columns: 'mine too' } as never;
    using built = await HashSet.from(gpu, input, { scheme, wibble: undefined } as never);
    using map = await HashMap.from(gpu, input, { scheme });
    expect([built.size, map.size]).toEqual([3, 3]);
  });
});

describe('messages say what was given and what to do', () => {
  it.each([
    [
      () => HashMap.from(gpu.device as never, mapInput),
      'gpu must be a Gpu, by await Gpu.open() or Gpu.from(device), not GPUDevice',
    ],
    [() => HashMap.from(Gpu.open as never, mapInput), 'not a function'],
    [
      () => HashMap.from(gpu, mapInput, { scheme: cuckoo as never }),
      'HashMap.from: scheme must be called: { scheme: linearProbing() }',
    ],
    [
      () => HashMap.from(gpu, mapInput, { scheme: 'cuckoo' as never }),
      "scheme must be a scheme such as linearProbing(), not 'cuckoo'",
    ],
    [
      () => HashMap.from(gpu, mapInput, { scheme: linearProbing({ loadFactor: 1.5 }) }),
      'linearProbing: loadFactor must be above 0 and at most 1, not 1.5',
    ],
    [() => HashMap.from(gpu, mapInput, { scheme: 'x'.repeat(50) as never }), `, not '${'x'.repeat(40)}'`],
    [() => HashMap.from(gpu, mapInput, { key: 'u32' as never }), "key must be a key type such as u32, not 'u32'"],
    [
      () => HashSet.from(gpu, { keys: new Uint32Array(7) } as never, { key: vec3i, scheme }),
      'HashSet.from: keys must be an Int32Array of 3 numbers a key (vec3i), not Uint32Array(7)',
    ],
    [
      () => HashSet.from(gpu, { keys: ['a'] } as never, { key: bytes, scheme }),
      'keys must be an array of Uint8Array (bytes), not Array(1)',
    ],
    [
      () => HashSet.from(gpu, { keys: [words] } as never, { key: tuple(u32, u32), scheme }),
      'keys must be an array of 2 arrays, one for each part (tuple(u32, u32)), not Array(1)',
    ],
    [() => map.get(new Int32Array(2) as never), 'HashMap.get: keys must be a Uint32Array (u32), not Int32Array(2)'],
    [
      () => HashMap.from(gpu, { ...mapInput, count: { buffer } } as never, { scheme }),
      'HashMap.from: count on the host face must be a whole number, not Object',
    ],
    [
      () => Aggregate.from(gpu, mapInput, undefined as never),
      'Aggregate.from: options must be an object { key, scheme, seed, construction, keepItems, value, combine, signal }, not undefined',
    ],
    [
      () => Aggregate.from(gpu, mapInput, { scheme } as never),
      'combine must be count, sum, sum64, mean, min, max or a combiner of your own, not undefined',
    ],
    [() => Aggregate.from(gpu, mapInput, { scheme, combine: 'toString' as never }), "not 'toString'"],
    [() => Aggregate.from(gpu, { keys: words } as never, { scheme, combine: 'sum' }), 'there are no values to combine'],
    [
      () => map.wgsl({ name: 'm', group: gpu.limits.maxBindGroups }),
      'HashMap.wgsl: group must be an integer from 0 to',
    ],
    [
      () => map.wgsl({ name: 'm', group: 0, firstBinding: gpu.limits.maxBindingsPerBindGroup }),
      'firstBinding must be an integer from 0 to',
    ],
    [() => map.wgsl({ name: 'm', group: 0, visibility: 8 }), 'visibility must be an integer from 1 to 7, not 8'],
    [() => sort(gpu, new Int32Array(2) as never), 'sort: keys must be a Uint32Array, not Int32Array(2)'],
  ])('%s', async (make, message) => {
    const error = await errorOf(make);
    expect(error).toBeInstanceOf(HashnestError);
    expect((error as Error).message).toContain(message);
  });

  it('of a combiner of your own name its part', async () => {
    const good = { accumulator: 'u32', identity: 0, combine: wgsl`fn add(a: u32, b: u32) -> u32 { return a + b; }` };
    for (const [part, value] of [
      ['accumulator', 'vec3f'],
      ['accumulator', 'u64'],
      ['accumulator', undefined],
      ['identity', -1],
      ['identity', undefined],
      ['combine', 'a + b'],
      ['lift', 5],
    ] as const) {
      const error = await errorOf(() =>
        Aggregate.from(gpu, mapInput, { scheme, combine: { ...good, [part]: value } as never }),
      );
      expect(error, part).toBeInstanceOf(InvalidInputError);
      expect((error as Error).message, part).toContain(part);
    }
  });

  it('of prepared keys name their part', async () => {
    const good = { type: u32, count: 2, words: new Uint32Array(2) };
    for (const [part, value] of [
      ['words', [1, 2]],
      ['words', new Uint32Array(3)],
      ['count', 3],
      ['count', undefined],
      ['context', []],
      ['type', 'u32'],
    ] as const) {
      const error = await errorOf(() => map.has({ ...good, [part]: value } as never));
      expect(error, part).toBeInstanceOf(InvalidInputError);
      expect((error as Error).message, part).toContain('HashMap.has: keys');
    }
  });

  it('of a key type of your own that makes half a key say so', async () => {
    const pairs = wordsKey<Uint32Array>({
      name: 'pairs',
      words: 2,
      accepts: (keys): keys is Uint32Array => keys instanceof Uint32Array,
      encode: (keys) => keys,
      decode: (stored) => stored,
    });
    const error = await errorOf(() => HashSet.from(gpu, { keys: words }, { key: pairs, scheme }));
    expect(String(error)).toContain('HashSet.from: the number of pairs keys must be a whole number, not 1.5');
  });

  it("an error of the caller's own comes through as it is", async () => {
    const own = new RangeError('mine');
    const input = {
      get keys(): never {
        throw own;
      },
    };
    expect(await errorOf(() => HashSet.from(gpu, input as never, { scheme }))).toBe(own);
    expect(() => new InvalidInputError('later')).not.toThrow();
    expect(new InvalidInputError('later').message).toBe('later');
  });
});
