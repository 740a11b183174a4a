/** Tables that live, as bytes. */
import { describe, expect, it } from 'vitest';
import {
  bytes as byteStrings,
  DynamicIndex,
  DynamicMap,
  DynamicSet,
  dyCuckoo,
  FormatError,
  HashMap,
  InvalidInputError,
  regionCuckoo,
  tuple,
  u32,
  u64,
  utf8,
  valueTypes,
  vec4i,
} from '../../src/index.ts';
import { pack, unpack } from '../forging/forge.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');

const sorted = <K, V>(keys: Iterable<K>, values: Iterable<V>): [K, V][] => {
  const rest = [...values];
  return [...keys].map((key, i): [K, V] => [key, rest[i] as V]).sort((a, b) => (a[0] < b[0] ? -1 : 1));
};

describe('a collection that lives, saved and opened', () => {
  it('has the same entries, whatever it went through', async () => {
    using map = await DynamicMap.create(gpu, { key: u64, value: valueTypes.vec3f, lowest: 0.3, highest: 0.7 });
    const keys = BigUint64Array.from({ length: 3000 }, (_, i) => BigInt(i) << 20n);
    await map.insert(
      keys,
      Float32Array.from({ length: 9000 }, (_, i) => i / 2),
    );
    await map.delete(keys.subarray(100, 1500));
    const saved = await map.toBytes();
    using opened = await DynamicMap.fromBytes(gpu, saved, { key: u64, value: valueTypes.vec3f });
    expect(opened.size).toBe(1600);
    expect(opened.filledFactor).toBeLessThanOrEqual(0.7);
    expect(await opened.get(keys)).toEqual(await map.get(keys));
    expect(await opened.insert(keys, new Float32Array(9000))).toEqual(
      Uint8Array.from(keys, (_, i) => Number(i >= 100 && i < 1500)),
    );
    using again = await DynamicMap.fromBytes(gpu, saved, { highest: 0.85, reserve: 10_000 });
    expect(again.capacitySlots).toBeGreaterThan(10_000);
    expect(again.value.name).toBe('vec3f');
  });

  it('carries the bytes of its keys and of no others', async () => {
    using map = await DynamicMap.create(gpu, { key: utf8, value: valueTypes.i32 });
    const names = Array.from({ length: 500 }, (_, i) => 'name '.repeat(i % 7) + i);
    await map.insert(
      names,
      Int32Array.from(names, (_, i) => -i),
    );
    const whole = await map.toBytes();
    await map.delete(names.slice(10));
    const few = await map.toBytes();
    expect(few.length).toBeLessThan(whole.length / 10);
    expect(map.size).toBe(10);
    for (const [bytes, count] of [
      [whole, 500],
      [few, 10],
    ] as const) {
      using opened = await DynamicMap.fromBytes(gpu, bytes, { key: utf8, value: valueTypes.i32 });
      const { keys, values } = await opened.entries();
      const expected = sorted(
        names.slice(0, count),
        names.slice(0, count).map((_, i) => (i === 0 ? 0 : -i)),
      );
      expect(sorted(keys, values)).toEqual(expected);
      await opened.insert(['new'], Int32Array.of(7));
      expect([...(await opened.get(['new', names[3] as string])).values]).toEqual([7, -3]);
    }
  });

  it('may be empty, or a set', async () => {
    using set = await DynamicSet.create(gpu, { key: byteStrings });
    for (const keys of [[], [Uint8Array.of(1, 2), new Uint8Array()]]) {
      await set.insert(keys);
      using opened = await DynamicSet.fromBytes(gpu, await set.toBytes(), { key: byteStrings });
      expect(opened.size).toBe(keys.length);
      expect(await opened.has([Uint8Array.of(1, 2), Uint8Array.of(1)])).toEqual(
        Uint8Array.of(Number(keys.length > 0), 0),
      );
    }
  });

  it('may be empty with keys of many words', async () => {
    const key = tuple(vec4i, u32);
    for (const scheme of [regionCuckoo(), dyCuckoo()]) {
      using map = await DynamicMap.create(gpu, { key, scheme });
      using opened = await DynamicMap.fromBytes(gpu, await map.toBytes(), { key, scheme });
      expect(opened.size).toBe(0);
    }
  });

  it('is refused where it is not what is asked for', async () => {
    using map = await DynamicMap.create(gpu, { key: u32 });
    await map.insert(Uint32Array.of(1, 2), Uint32Array.of(3, 4));
    const saved = await map.toBytes();
    await expect(DynamicSet.fromBytes(gpu, saved)).rejects.toThrow(FormatError);
    await expect(HashMap.fromBytes(gpu, saved)).rejects.toThrow(/dynamicMap/);
    await expect(DynamicMap.fromBytes(gpu, saved, { key: u64 })).rejects.toThrow(FormatError);
    await expect(DynamicMap.fromBytes(gpu, saved, { value: valueTypes.f32 })).rejects.toThrow(FormatError);
    await expect(DynamicMap.fromBytes(gpu, saved, { lowest: 2 })).rejects.toThrow(InvalidInputError);
    await expect(DynamicMap.fromBytes(gpu, saved, { kee: u32 } as never)).rejects.toThrow(/have no kee/);
    using table = await HashMap.from(gpu, { keys: Uint32Array.of(1), values: Uint32Array.of(3) });
    await expect(DynamicMap.fromBytes(gpu, await table.toBytes())).rejects.toThrow(/it is that of a map/);
    using pairs = await DynamicSet.create(gpu, { key: tuple(u32, u32) });
    await expect(DynamicSet.fromBytes(gpu, await pairs.toBytes())).rejects.toThrow(FormatError);
  });

  it('is refused if it was damaged or forged, and leaves no buffer behind', async () => {
    using map = await DynamicMap.create(gpu, { key: utf8 });
    await map.insert(['a', 'bc', 'def'], Uint32Array.of(1, 2, 3));
    const saved = await map.toBytes();
    const parts = unpack(saved);
    const changed = (words: Record<number, number>): Uint8Array => {
      const body = parts.body.slice();
      const view = new DataView(body.buffer);
      for (const [at, word] of Object.entries(words)) view.setUint32(4 * Number(at), word, true);
      return pack({ ...parts, body });
    };
    const word = (at: number) => new DataView(parts.body.buffer).getUint32(4 * at, true);
    const described = (members: object) => pack({ ...parts, description: { ...parts.description, ...members } });
    const forged: Record<string, Uint8Array> = {
      'cut off': saved.subarray(0, saved.length - 9),
      'a flipped bit': saved.map((byte, i) => (i === saved.length - 20 ? byte ^ 1 : byte)),
      'a key past the bytes': changed({ 1: 1000 }),
      'a key that begins past the bytes': changed({ 0: 0xffff_fff0, 1: 0x20 }),
      'a key twice': changed({ 2: word(0), 3: word(1) }),
      'more keys than there are': described({ size: 4 }),
      'no size': described({ size: -1 }),
      'a size that is too great': described({ size: 2 ** 32 - 1 }),
      'another key type': described({ key: 'u32' }),
      'an unknown key type': described({ key: 'emoji' }),
      'no values': described({ value: null }),
      'wider values': described({ value: 'vec4f' }),
      'no bounds': described({ lowest: 'x' }),
      'bounds that cannot be': described({ lowest: 0.9, highest: 0.1 }),
      'bounds for a huge table': described({ lowest: 0.000001, highest: 0.00001 }),
      'bounds for a table that becomes huge': described({ lowest: 0.000001 }),
      'odd bytes': described({ contextBytes: 3 }),
    };
    for (const [what, bytes] of Object.entries(forged)) {
      const { error, live } = await liveBuffers(gpu, () => DynamicMap.fromBytes(gpu, bytes));
      expect(error, what).toBeInstanceOf(FormatError);
      expect(live, what).toEqual([]);
    }
  });

  it('is as sparse as it was if the bounds are named', async () => {
    const bounds = { lowest: 0.001, highest: 0.01 };
    using map = await DynamicMap.create(gpu, { key: u32, ...bounds });
    await map.insert(Uint32Array.of(1, 2, 3), Uint32Array.of(4, 5, 6));
    const saved = await map.toBytes();
    await expect(DynamicMap.fromBytes(gpu, saved)).rejects.toThrow('more than 16 slots, 0.001 and 0.01: name `lowest`');
    using opened = await DynamicMap.fromBytes(gpu, saved, { lowest: bounds.lowest });
    expect([opened.size, opened.table.settings.bounds]).toEqual([3, bounds]);
  });

  it('is refused if few bytes stand for many long keys', async () => {
    using set = await DynamicSet.create(gpu, { key: utf8 });
    const [count, long] = [200, 1 << 16];
    await set.insert(['x'.repeat(long), ...Array.from({ length: count - 1 }, (_, i) => `${i}`)]);
    const parts = unpack(await set.toBytes());
    const forged = (lengthOf: (key: number) => number): Uint8Array => {
      const body = parts.body.slice();
      const slices = new DataView(body.buffer);
      for (let key = 0; key < count; key++) {
        slices.setUint32(8 * key, 0, true);
        slices.setUint32(8 * key + 4, lengthOf(key), true);
      }
      return pack({ ...parts, body });
    };
    const { error, live } = await liveBuffers(gpu, () =>
      DynamicSet.fromBytes(
        gpu,
        forged((key) => long - key),
      ),
    );
    expect(error).toBeInstanceOf(FormatError);
    expect((error as Error).message).toContain('share bytes');
    expect(live).toEqual([]);
    using short = await DynamicSet.fromBytes(
      gpu,
      forged((key) => key),
    );
    expect(short.size).toBe(count);
  });

  it('has the ids that encoded batches have freed, also if another call has waited for them', async () => {
    using index = await DynamicIndex.create(gpu, { key: u32 });
    const keys = Uint32Array.from({ length: 50 }, (_, i) => i);
    await index.activate(keys);
    const gone = gpu.upload('test', keys);
    await gpu.run((encoder) => index.encodeRelease(encoder, { keys: gone, count: 20 }));
    gone.destroy();
    await index.compact();
    using opened = await DynamicIndex.fromBytes(gpu, await index.toBytes());
    const { ids } = await opened.activate(keys.subarray(0, 20));
    expect([...ids].sort((a, b) => a - b)).toEqual([...keys.subarray(0, 20)].map((_, i) => i));
    expect(opened.idLimit).toBe(50);
  });
});
