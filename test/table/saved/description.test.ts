import { beforeAll, describe, expect, it } from 'vitest';
import { HashMap, HashSet, KeyIndex, MultiMap } from '../../../src/collections/index.ts';
import { FormatError, Gpu, InvalidInputError, TooLargeError } from '../../../src/gpu/index.ts';
import {
  bucketCuckoo,
  cuckoo,
  linearProbing,
  polynomial32,
  quadraticProbing,
  u32,
  u64,
  valueTypes,
} from '../../../src/index.ts';
import { headerOffset } from '../../../src/schemes/contract/index.ts';
import { pack, unpack } from '../../forging/forge.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();

/** As the tests built it; its options are those of the bytes. */
const open = (gpu: Gpu, bytes: Uint8Array) => HashMap.fromBytes(gpu, bytes, { scheme: linearProbing() });

describe('saved bytes', () => {
  /** Gone, so that every attempt to make a buffer would throw another error. */
  let noGpu: Gpu;
  let bytes: Uint8Array;
  const items = { keys: new Uint32Array([5, 6, 7, 5]), values: new Float32Array([0.5, 1, 2, 4]) };

  beforeAll(async () => {
    noGpu = await Gpu.open();
    noGpu.destroy();
    using map = await HashMap.from(gpu, items, { scheme: linearProbing({ loadFactor: 0.5 }), seed: 3 });
    bytes = await map.toBytes();
  });

  it('carry all that describes the table', () => {
    const { version, description } = unpack(bytes);
    expect(version).toBe(3);
    expect(description).toMatchObject({
      kind: 'map',
      scheme: 'linearProbing',
      options: { loadFactor: 0.5, hash: 'mix' },
      format: 'linearProbing/1',
      key: 'u32',
      value: 'f32',
      duplicates: 'last',
      hashVersion: 1,
      items: 4,
      size: 3,
      seed: 3,
    });
  });

  it('open again when they were only repacked', async () => {
    const repacked = pack(unpack(bytes));
    expect(repacked).toEqual(bytes);
    using map = await open(gpu, repacked);
    expect([...(await map.get(items.keys)).values]).toEqual([4, 1, 2, 4]);
  });

  const altered: [string, Record<string, unknown>][] = [
    ['of an unknown kind', { kind: 'bag' }],
    ['of a set', { kind: 'set' }],
    ['of an unknown scheme', { scheme: 'magicHashing' }],
    ['of a scheme that is named like something else', { scheme: 'toString' }],
    ['of an unknown hash family', { options: { loadFactor: 0.5, hash: 'sha' } }],
    ['with an impossible load', { options: { loadFactor: 2, hash: 'mix' } }],
    ['with another load', { options: { loadFactor: 0.25, hash: 'mix' } }],
    ['of an unknown key type', { key: 'u128' }],
    ['of another key type', { key: 'u64' }],
    ['of an unknown value type', { value: 'f64' }],
    ['without a value type', { value: null }],
    ['hashed by another version', { hashVersion: 2 }],
    ['with an unknown policy', { duplicates: 'some' }],
    ['with more items', { items: 5 }],
    ['with fewer items than it has', { items: 2 }],
    ['with a negative number of items', { items: -1 }],
    ['with half an item', { items: 2.5 }],
    ['with another size', { size: 4 }],
    ['with another growth', { growth: 3 }],
    ['with a wrong seed', { seed: 'x' }],
    ['with a seed of more than a word', { seed: 2 ** 32 }],
    ['with a negative seed', { seed: -1 }],
    ['without buffers', { buffers: [] }],
    ['with buffers that are none', { buffers: [null] }],
    ['with buffers of another size', { buffers: [{ name: 'slots', bytes: 64 }] }],
    ['with no options', { options: null }],
    ['with no items', { items: undefined }],
  ];

  it.each(altered)('%s are refused before a buffer is made', async (_, changes) => {
    const saved = unpack(bytes);
    const wrong = pack({ ...saved, description: { ...saved.description, ...changes } });
    await expect(open(noGpu, wrong)).rejects.toBeInstanceOf(FormatError);
  });

  const ofAnotherKind: [field: string, value: unknown][] = [
    ...['scheme', 'format', 'key', 'value', 'duplicates'].map((name): [string, unknown] => [name, 5]),
    ...['hashVersion', 'items', 'size', 'growth', 'seed'].flatMap((name): [string, unknown][] =>
      [-1, 0.5, 2 ** 32, '1', {}].map((value) => [name, value]),
    ),
    ...[null, 'a', [], { a: null }, { a: [] }, { a: {} }].map((value): [string, unknown] => ['options', value]),
    ...[null, 'a', [], { a: 1 }, { a: null }].map((value): [string, unknown] => ['details', value]),
    ...['buffers', 'extras'].flatMap((name): [string, unknown][] =>
      [
        null,
        {},
        [null],
        [{ name: 5, bytes: 16 }],
        [{ bytes: 16 }],
        [{ name: 'a' }],
        [{ name: 'a', bytes: '16' }],
        [{ name: 'a', bytes: -4 }],
        [{ name: 'a', bytes: 6 }],
        [{ name: 'a', bytes: 2 ** 60 }],
        [{ name: 'a', bytes: 16 }, { name: 'b' }],
      ].map((value) => [name, value]),
    ),
  ];

  it.each(ofAnotherKind)('whose field %s is %j are refused, and it is named', async (name, value) => {
    const saved = unpack(bytes);
    const wrong = pack({ ...saved, description: { ...saved.description, [name]: value } });
    await expect(open(noGpu, wrong)).rejects.toBeInstanceOf(FormatError);
    await expect(open(noGpu, wrong)).rejects.toThrow(`the field '${name}' is missing, or not what it should be`);
  });

  it('that have grown more often than any table are refused before a plan is made of them', async () => {
    const saved = unpack(bytes);
    const grown = (growth: number) => pack({ ...saved, description: { ...saved.description, growth } });
    await expect(open(noGpu, grown(65))).rejects.toThrow('more often than any does');
    await expect(open(noGpu, grown(64))).rejects.toThrow('more often than linearProbing does');
  });

  it.each([
    ['no description', 'null'],
    ['an empty one', '{}'],
    ['a list', '[]'],
    ['a word', '"map"'],
    ['broken JSON', '{"kind":'],
  ])('with %s are refused', async (_, description) => {
    const wrong = pack({ ...unpack(bytes), description });
    await expect(open(noGpu, wrong)).rejects.toBeInstanceOf(FormatError);
  });

  it('with a body that is too short or too long are refused', async () => {
    const { body, ...rest } = unpack(bytes);
    for (const length of [0, 10, 64, body.length - 4, body.length + 4]) {
      const other = new Uint8Array(length);
      other.set(body.subarray(0, length));
      await expect(open(noGpu, pack({ ...rest, body: other }))).rejects.toBeInstanceOf(FormatError);
    }
  });

  it.each([
    ['another capacity', headerOffset('capacity')],
    ['more items', headerOffset('count')],
    ['a failed build', headerOffset('status')],
    ['other copies', headerOffset('copies')],
    ['another probe limit', headerOffset('rounds') + 4],
  ])('with a header that has %s are refused', async (_, offset) => {
    const saved = unpack(bytes);
    const view = new DataView(saved.body.buffer, saved.body.byteOffset);
    view.setUint32(offset, view.getUint32(offset, true) + 1, true);
    await expect(open(noGpu, pack(saved))).rejects.toBeInstanceOf(FormatError);
  });

  it('of a later format say which they are in', async () => {
    const later = open(noGpu, pack({ ...unpack(bytes), version: 4 }));
    await expect(later).rejects.toThrow(/format 4/);
    await expect(later).rejects.toBeInstanceOf(FormatError);
    // The shortest file that has a version, and one that has none.
    const shortest = pack({ version: 4, description: '', body: new Uint8Array() });
    await expect(open(noGpu, shortest)).rejects.toThrow(/format 4/);
    await expect(open(noGpu, shortest.subarray(0, -1))).rejects.toThrow('not a saved');
  });

  it('that are nothing of ours are refused', async () => {
    for (const other of [new Uint8Array(), new Uint8Array(100), new TextEncoder().encode('{"kind":"map"}        ')]) {
      await expect(HashMap.fromBytes(noGpu, other)).rejects.toBeInstanceOf(FormatError);
      await expect(HashSet.fromBytes(noGpu, other)).rejects.toBeInstanceOf(FormatError);
    }
  });

  it('are refused if the caller names another scheme, another hash family or another type', async () => {
    const openAs = (options: Parameters<typeof HashMap.fromBytes>[2]) => HashMap.fromBytes(noGpu, bytes, options);
    await expect(openAs({ scheme: quadraticProbing() })).rejects.toBeInstanceOf(FormatError);
    const otherHash = linearProbing({ loadFactor: 0.5, hash: polynomial32 });
    await expect(openAs({ scheme: otherHash })).rejects.toBeInstanceOf(FormatError);
    await expect(openAs({ scheme: linearProbing(), key: u64 })).rejects.toBeInstanceOf(FormatError);
    await expect(openAs({ scheme: linearProbing(), value: valueTypes.u32 })).rejects.toThrow("the value type 'f32'");
  });

  it('of a scheme that is not the default say which to name', async () => {
    await expect(HashMap.fromBytes(noGpu, bytes)).rejects.toBeInstanceOf(FormatError);
    await expect(HashMap.fromBytes(noGpu, bytes)).rejects.toThrow('{ scheme: linearProbing() }');
  });

  it('of the default scheme need no scheme to be named', async () => {
    using map = await HashMap.from(gpu, items, { scheme: bucketCuckoo({ loadFactor: 0.7 }) });
    using opened = await HashMap.fromBytes(gpu, await map.toBytes());
    expect(opened.scheme.options).toEqual({ loadFactor: 0.7 });
    expect([...(await opened.get(items.keys)).values]).toEqual([4, 1, 2, 4]);
  });

  it('open with their own options, whatever those of the scheme that the caller names', async () => {
    const scheme = linearProbing({ loadFactor: 0.9 });
    using map = await HashMap.fromBytes(gpu, bytes, { scheme, key: u32 });
    expect(map.scheme.options).toEqual({ loadFactor: 0.5, hash: 'mix' });
    expect([...(await map.get(items.keys)).values]).toEqual([4, 1, 2, 4]);
  });

  it('open by the types and the scheme of a collection that is still there', async () => {
    const input = { keys: ['a', 'b'], values: new Float32Array([0.5, 2]) };
    using map = await HashMap.from(gpu, input, { scheme: cuckoo({ functions: 3 }) });
    using opened = await HashMap.fromBytes(gpu, await map.toBytes(), map);
    expect(await opened.getOne('b')).toBe(2);
    using other = await HashMap.from(gpu, { keys: [1], values: [2] });
    await expect(HashMap.fromBytes(gpu, await map.toBytes(), other)).rejects.toBeInstanceOf(FormatError);
    using groups = await MultiMap.from(gpu, input);
    using index = await KeyIndex.from(gpu, input);
    using set = await HashSet.from(gpu, input);
    using sameGroups = await MultiMap.fromBytes(gpu, await groups.toBytes(), groups);
    using sameIndex = await KeyIndex.fromBytes(gpu, await index.toBytes(), index);
    using sameSet = await HashSet.fromBytes(gpu, await set.toBytes(), set);
    expect([sameGroups, sameIndex, sameSet].map(({ size }) => size)).toEqual([2, 2, 2]);
  });

  it('of every hash family open again', async () => {
    const scheme = linearProbing({ hash: polynomial32 });
    using map = await HashMap.from(gpu, items, { scheme });
    using opened = await HashMap.fromBytes(gpu, await map.toBytes(), { scheme });
    expect(opened.table.plan.family).toBe(polynomial32);
    expect([...(await opened.get(items.keys)).values]).toEqual([4, 1, 2, 4]);
  });

  it.each([
    ['no options', undefined],
    ['an option that is null', { load: null }],
    ['an option that JSON has no number for', { load: Number.NaN }],
    ['an option that JSON cannot have', { load: 1n }],
    ['lists for options', { loads: [0.5] }],
  ])('are not written for a scheme of your own with %s: nobody could open them', async (_, options) => {
    const own = { ...linearProbing(), name: 'own', options } as never;
    using map = await HashMap.from(gpu, items, { scheme: own });
    const saving = map.toBytes();
    await expect(saving).rejects.toBeInstanceOf(InvalidInputError);
    await expect(saving).rejects.toThrow(/^HashMap\.toBytes: a table of this scheme .* could not be opened again/);
    expect([...(await map.get(items.keys)).values]).toEqual([4, 1, 2, 4]);
  });

  it('are not written where options take more room than a file has for them', async () => {
    const own = { ...linearProbing(), name: 'own', options: { text: 'x'.repeat(70_000) } };
    using map = await HashMap.from(gpu, items, { scheme: own });
    const saving = map.toBytes();
    await expect(saving).rejects.toBeInstanceOf(InvalidInputError);
    await expect(saving).rejects.toThrow(/^HashMap\.toBytes: what describes the table takes 70\d+ bytes of the 65536/);
  });

  it('of a table too large for the device are not the fault of the bytes', async () => {
    const saved = unpack(bytes);
    const small = { ...gpu.limits, maxBufferSize: 16, maxStorageBufferBindingSize: 16 };
    const smallGpu = new Proxy(gpu, { get: (target, name) => (name === 'limits' ? small : Reflect.get(target, name)) });
    await expect(open(smallGpu, pack(saved))).rejects.toBeInstanceOf(TooLargeError);
  });

  it('of which a buffer beside the table is too large for the device are not the fault of the bytes', async () => {
    const scheme = linearProbing();
    using multiMap = await MultiMap.from(gpu, { keys: new Uint32Array(100), values: new Uint32Array(100) }, { scheme });
    const saved = await multiMap.toBytes();
    const small = { ...gpu.limits, maxBufferSize: 256, maxStorageBufferBindingSize: 256 };
    const smallGpu = new Proxy(gpu, { get: (target, name) => (name === 'limits' ? small : Reflect.get(target, name)) });
    const opening = MultiMap.fromBytes(smallGpu, saved, { scheme });
    await expect(opening).rejects.toBeInstanceOf(TooLargeError);
    await expect(opening).rejects.toThrow("'values' has 400 bytes");
  });
});
