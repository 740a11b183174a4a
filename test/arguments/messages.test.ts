/** What messages say: the name that was meant, what was given, and what to do. */
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import {
  Aggregate,
  bucketCuckoo,
  bytes,
  chaining,
  cuckoo,
  doubleHashing,
  encodeSort,
  exclusiveScan,
  eytzinger,
  Gpu,
  gatherRows,
  HashMap,
  HashnestError,
  HashSet,
  InvalidInputError,
  KeyIndex,
  linearProbing,
  MultiMap,
  mix,
  perfect,
  perfectSpatial,
  quadraticProbing,
  sort,
  sortedArray,
  tuple,
  twoLevelCuckoo,
  u32,
  vec3i,
  wgsl,
  wordsKey,
} from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { errorOf } from './odd.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();
const words = Uint32Array.of(1, 2, 3);
const buffer = gpu.upload('test', new Uint32Array(64));
const output = gpu.createBuffer('test', 256);
const third = gpu.createBuffer('test', 256);
const encoder = gpu.device.createCommandEncoder();

const map = await HashMap.from(gpu, { keys: words, values: words }, { scheme });
const set = await HashSet.from(gpu, { keys: words }, { scheme });
const index = await KeyIndex.from(gpu, { keys: words }, { scheme, construction: 'table' });
const multi = await MultiMap.from(gpu, { keys: words, values: words }, { scheme, construction: 'table' });
const sums = await Aggregate.from(
  gpu,
  { keys: words, values: words },
  { scheme, combine: 'sum', construction: 'table' },
);
const saved = await map.toBytes();
afterAll(() => {
  for (const collection of [map, set, index, multi, sums]) collection.destroy();
  for (const made of [buffer, output, third]) made.destroy();
});

const mapInput = { keys: words, values: words };
const mapBuffers = { keys: buffer, values: buffer, count: 3 };
const searches = { queries: buffer, values: output, found: third, count: 3 };

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
