import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HashMap } from '../../src/collections/index.ts';
import { Gpu, OutOfMemoryError, USAGE } from '../../src/gpu/index.ts';
import { linearProbing, sortedArray, u32 } from '../../src/index.ts';

/**
 * The software GPU promises buffers of up to 1 GiB but fails to allocate one of exactly that size, so a real allocation
 * fails here without any memory being touched.
 */
describe('when the GPU has no memory left', () => {
  let gpu: Gpu;
  let most: number;
  const uncaptured: string[] = [];

  beforeAll(async () => {
    gpu = await Gpu.open({ software: 'only' });
    gpu.device.addEventListener('uncapturederror', ({ error }) => uncaptured.push(error.message));
    most = gpu.limits.maxBufferSize;
  });
  afterEach(() => {
    expect(uncaptured.splice(0)).toEqual([]);
  });
  afterAll(() => gpu.destroy());

  const items = { keys: new Uint32Array([1, 2]), values: new Uint32Array([3, 4]) };
  /** A plan that is legal, but whose slots take exactly as many bytes as a buffer may have. */
  const tooMuch = () => linearProbing({ capacitySlots: most / 8 - 1 });

  const tooLarge = { label: 'beyond', bytes: 2 ** 40 };
  const impossible = { label: 'impossible', bytes: 4, usage: USAGE.MAP_READ | USAGE.STORAGE };
  it.each([
    {
      what: 'the GPU has no memory for',
      last: () => ({ label: 'huge', bytes: most }),
      code: 'out-of-memory',
      made: true,
    },
    { what: 'is larger than the device allows', last: () => tooLarge, code: 'too-large', made: false },
    { what: 'WebGPU refuses', last: () => impossible, code: 'gpu-fault', made: true },
  ])('allocate says so of a buffer that $what, and destroys what it could have', async ({ last, code, made }) => {
    const destroyed: string[] = [];
    const { createBuffer } = gpu;
    gpu.createBuffer = (...args) => {
      const buffer = createBuffer.apply(gpu, args);
      const { destroy } = buffer;
      buffer.destroy = () => {
        destroyed.push(buffer.label);
        return destroy.call(buffer);
      };
      return buffer;
    };
    const specs = [{ label: 'small', bytes: 64 }, last()];
    await expect(gpu.allocate(specs)).rejects.toMatchObject({ code });
    gpu.createBuffer = createBuffer;
    expect(destroyed).toEqual(['hashnest/small', ...(made ? [`hashnest/${last().label}`] : [])]);
  });

  it('a build says so, and the Gpu goes on', async () => {
    await expect(HashMap.from(gpu, items, { scheme: tooMuch() })).rejects.toBeInstanceOf(OutOfMemoryError);
    using map = await HashMap.from(gpu, items);
    expect([...(await map.get(items.keys)).values]).toEqual([3, 4]);
  });

  it('an encoded build says so when it is settled', async () => {
    const input = { keys: gpu.upload('test', items.keys), values: gpu.upload('test', items.values), count: 2 };
    gpu.device.pushErrorScope('validation');
    const encoder = gpu.device.createCommandEncoder();
    const map = HashMap.encodeBuild(gpu, encoder, input, { key: u32, scheme: tooMuch() });
    gpu.device.queue.submit([encoder.finish()]);
    // The encoder and the submission are the caller's, and so are their errors.
    expect(await gpu.device.popErrorScope()).not.toBeNull();
    await expect(map.settle()).rejects.toBeInstanceOf(OutOfMemoryError);
    await expect(map.get(items.keys)).rejects.toBeInstanceOf(OutOfMemoryError);
    map.destroy();
  });

  it('an upload of keys says so', async () => {
    const { take } = gpu.spare;
    // As many bytes as cannot be had, without filling them.
    gpu.spare.take = () => gpu.createBuffer('test', most);
    await expect(HashMap.from(gpu, items)).rejects.toBeInstanceOf(OutOfMemoryError);
    gpu.spare.take = take;
    using map = await HashMap.from(gpu, items);
    expect(map.size).toBe(2);
  });

  it('a rebuild that cannot grow leaves the table as it was', async () => {
    using map = await HashMap.from(gpu, items, { scheme: sortedArray() });
    const { createBuffer } = gpu;
    gpu.createBuffer = (label, bytes, usage) =>
      createBuffer.call(gpu, label, /leads/.test(label) ? most : bytes, usage);
    const larger = { keys: new Uint32Array([7, 8, 9]), values: new Uint32Array([1, 2, 3]) };
    await expect(map.rebuild(larger)).rejects.toBeInstanceOf(OutOfMemoryError);
    gpu.createBuffer = createBuffer;
    expect([...(await map.get(items.keys)).values]).toEqual([3, 4]);
    await map.rebuild(larger);
    expect([...(await map.get(larger.keys)).values]).toEqual([1, 2, 3]);
  });
});
