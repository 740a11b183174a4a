import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GpuFaultError, HashnestError, InvalidInputError, USAGE } from '../../src/gpu/index.ts';
import { bytes, fill, Gpu, HashMap, HashSet, linearProbing, type OpenOptions, sort } from '../../src/index.ts';
import { watchBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();

/** Replaces a method of all buffers that are made while the call lasts. */
async function withBuffers<T>(change: (buffer: GPUBuffer) => void, call: () => Promise<T>): Promise<T> {
  const { createBuffer } = gpu.device;
  // Those that earlier calls have left would be used again.
  gpu.trim();
  gpu.device.createBuffer = (descriptor) => {
    const buffer = createBuffer.call(gpu.device, descriptor);
    change(buffer);
    return buffer;
  };
  try {
    return await call();
  } finally {
    gpu.device.createBuffer = createBuffer;
  }
}

const failingMap = <T>(call: () => Promise<T>): Promise<T> =>
  withBuffers((buffer) => {
    buffer.mapAsync = () => Promise.reject(new DOMException('no map today', 'OperationError'));
  }, call);

/** Refuses the copies to the host, as WebGPU does for a buffer that cannot be copied. */
const failingCopy = <T>(call: () => Promise<T>): Promise<T> =>
  withBuffers((buffer) => {
    if (buffer.label === 'hashnest/spare/readback') buffer.destroy();
  }, call);

describe('what was made for a call is freed when the call fails', () => {
  let live: ReturnType<typeof watchBuffers>;
  beforeEach(() => {
    live = watchBuffers(gpu);
  });
  afterEach(() => {
    expect(live.count()).toBe(0);
    live.restore();
  });

  it.each([
    ['cannot be mapped', failingMap],
    ['cannot be copied', failingCopy],
  ])('because the answers %s', async (_, failing) => {
    const keys = Uint32Array.of(1, 2, 3);
    {
      using map = await HashMap.from(gpu, { keys, values: keys }, { scheme });
      using names = await HashSet.from(gpu, { keys: ['a', 'b'] }, { scheme });
      const before = live.count();
      const calls = {
        get: () => map.get(keys),
        has: () => names.has(['a', 'c']),
        entries: () => map.entries(),
        stats: () => names.stats({ absent: ['a', 'c'] }),
        toBytes: () => map.toBytes(),
        sort: () => sort(gpu, keys),
        fill: () => fill(gpu, 10, 1),
        run: () => gpu.run(() => {}, [{ buffer: map.status.buffer, bytes: 4 }]),
        from: () => HashMap.from(gpu, { keys, values: keys }, { scheme }),
      };
      for (const [name, call] of Object.entries(calls)) {
        const error = await failing<unknown>(call).catch((thrown: unknown) => thrown);
        expect(error, name).toBeInstanceOf(GpuFaultError);
        expect(live.count(), name).toBe(before);
      }
      expect([...(await map.get(keys)).found]).toEqual([1, 1, 1]);
    }
  });

  it('because a readback is none', async () => {
    const buffer = gpu.createBuffer('test', 64);
    const wrong = [{ buffer: {} }, { buffer, offset: 0.5 }, { buffer, offset: -4 }, { buffer, bytes: Number.NaN }];
    for (const read of wrong) {
      const reads = [{ buffer, bytes: 4 }, { bytes: 4, ...read } as never];
      await expect(gpu.run(() => {}, reads)).rejects.toBeInstanceOf(InvalidInputError);
    }
    await expect(gpu.run(() => {}, [{ buffer, bytes: 4, offset: 1024 }])).rejects.toBeInstanceOf(GpuFaultError);
    buffer.destroy();
  });

  it('because one buffer of several cannot be', async () => {
    const specs = [
      { label: 'good', bytes: 16 },
      { label: 'bad', bytes: Number.NaN },
    ];
    await expect(gpu.allocate(specs)).rejects.toBeInstanceOf(InvalidInputError);
    const usage = USAGE.MAP_READ | USAGE.STORAGE;
    await expect(gpu.allocate([...specs.slice(0, 1), { label: 'worse', bytes: 16, usage }])).rejects.toThrow(
      HashnestError,
    );
  });

  it('because the bytes of keys cannot be uploaded', async () => {
    using names = await HashSet.from(gpu, { keys: ['a', 'b'] }, { scheme });
    const before = live.count();
    const { writeBuffer } = gpu.device.queue;
    gpu.device.queue.writeBuffer = () => {
      throw new InvalidInputError('no writing today');
    };
    for (const call of [
      () => names.has(['a']),
      () => names.stats({ absent: ['a'] }),
      () => names.rebuild({ keys: ['c'] }),
    ]) {
      await expect(call()).rejects.toThrow('no writing today');
      expect(live.count()).toBe(before);
    }
    gpu.device.queue.writeBuffer = writeBuffer;
  });
});

describe('memory that WebGPU does not take', () => {
  const shared = <T extends Uint32Array | Uint8Array>(array: T): T => {
    const copy = new (array.constructor as new (memory: SharedArrayBuffer) => T)(
      new SharedArrayBuffer(array.byteLength),
    );
    copy.set(array);
    return copy;
  };
  const resizable = (array: Uint32Array): Uint32Array => {
    const memory = new (ArrayBuffer as never as new (length: number, options: object) => ArrayBuffer)(
      array.byteLength,
      {
        maxByteLength: 1024,
      },
    );
    const copy = new Uint32Array(memory);
    copy.set(array);
    return copy;
  };

  it.each([
    ['shared', shared<Uint32Array>],
    ['of changing size', resizable],
  ])('because it is %s is copied', async (_, over) => {
    const keys = Uint32Array.of(1, 2, 3);
    using map = await HashMap.from(gpu, { keys: over(keys), values: over(keys) }, { scheme });
    expect([...(await map.get(over(Uint32Array.of(3, 4)))).values]).toEqual([3, 0]);
    expect([...(await sort(gpu, over(Uint32Array.of(3, 1)))).keys]).toEqual([1, 3]);
    await map.rebuild({ keys: over(Uint32Array.of(9)), values: over(Uint32Array.of(90)) });
    expect([...(await map.get(keys.fill(9))).values]).toEqual([90, 90, 90]);
  });

  it('in byte strings is copied too', async () => {
    const text = (word: string) => shared(new TextEncoder().encode(word));
    using set = await HashSet.from(gpu, { keys: [text('ab'), text('c')] }, { key: bytes, scheme });
    expect([...(await set.has([text('c'), text('ab'), text('a')]))]).toEqual([1, 1, 0]);
  });

  it('because it was transferred is refused', async () => {
    const gone = <T extends ArrayBufferView>(array: T): T => {
      structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
      return array;
    };
    const words = () => gone(Uint32Array.of(1, 2));
    using map = await HashMap.from(gpu, { keys: Uint32Array.of(1), values: Uint32Array.of(2) }, { scheme });
    const calls = {
      keys: [
        () => HashMap.from(gpu, { keys: words(), values: new Uint32Array() }, { scheme }),
        () => HashSet.from(gpu, { keys: words() }, { scheme }),
        () => HashSet.from(gpu, { keys: [gone(Uint8Array.of(1))] }, { key: bytes, scheme }),
        () => map.get(words()),
        () => map.rebuild({ keys: words(), values: new Uint32Array() }),
        () => sort(gpu, words()),
      ],
      values: [() => HashMap.from(gpu, { keys: new Uint32Array(), values: words() }, { scheme })],
      data: [async () => gpu.upload('test', words())],
    };
    for (const [name, refused] of Object.entries(calls)) {
      for (const call of refused) {
        const error = await (call() as Promise<unknown>).catch((thrown: unknown) => thrown);
        expect(error, String(call)).toBeInstanceOf(InvalidInputError);
        expect((error as Error).message, String(call)).toMatch(new RegExp(`${name}.* lost its memory`));
      }
    }
  });
});

describe('Gpu.open and Gpu.from', () => {
  it.each([
    [{ sofware: 'only' }, 'did you mean software?'],
    [{ limit: 'default' }, 'did you mean limits?'],
    [{ software: 'yes' }, "software must be one of fallback, only, never, not 'yes'"],
    [{ limits: 5 }, 'limits must be one of adapter, default, not 5'],
    [{ powerPreference: 'much' }, "powerPreference must be one of low-power, high-performance, not 'much'"],
    [{ requiredFeatures: 'subgroups' }, "requiredFeatures must be an array of names, not 'subgroups'"],
    [{ requiredLimits: 5 }, 'requiredLimits must be an object, not 5'],
    [
      null,
      'options must be an object { software, limits, powerPreference, requiredFeatures, requiredLimits, dawnToggles',
    ],
  ])('refuse %j', async (options, message) => {
    await expect(Gpu.open(options as OpenOptions)).rejects.toThrow(InvalidInputError);
    await expect(Gpu.open(options as OpenOptions)).rejects.toThrow(message);
  });

  it('refuse features and limits that the GPU has not, and say which', async () => {
    const fails = (options: OpenOptions) => Gpu.open(options).catch((error: unknown) => error);
    const requiredFeatures = ['texture-compression-astc-hdr' as GPUFeatureName];
    expect(await fails({ requiredFeatures })).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('astc-hdr'),
    });
    const requiredLimits = { maxBufferSize: 2 ** 52 };
    expect(await fails({ requiredLimits })).toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/maxBufferSize \d+, not 4503599627370496/),
    });
    expect(await fails({ requiredLimits: { maxBufferSise: 1 } })).toMatchObject({
      message: 'WebGPU has no limit maxBufferSise',
    });
  });

  it('take features and limits that it has', async () => {
    const feature = 'indirect-first-instance';
    using opened = await Gpu.open({
      powerPreference: 'low-power',
      requiredFeatures: [feature],
      requiredLimits: { maxBindGroups: 4, maxSampledTexturesPerShaderStage: 17 },
      limits: 'default',
    });
    expect(opened.device.features.has(feature)).toBe(true);
    expect(opened.limits.maxSampledTexturesPerShaderStage).toBe(17);
    expect(opened.limits.maxStorageBufferBindingSize).toBe(128 * 2 ** 20);
  });

  it.each([undefined, {}, 5])('refuse a device that is none: %s', (device) => {
    expect(() => Gpu.from(device as never)).toThrow(InvalidInputError);
    expect(() => Gpu.from(device as never)).toThrow('device must be a GPUDevice');
  });
});
