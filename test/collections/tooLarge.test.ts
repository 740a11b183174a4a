import { afterEach, describe, expect, it } from 'vitest';
import { Aggregate, MultiMap } from '../../src/collections/index.ts';
import { type Gpu, TooLargeError } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import { linearProbing } from '../../src/schemes/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing({ capacitySlots: 16 });

/** A device with small bindings: arrays of two words an item hold 2¹⁷ items. */
function shrink(): void {
  const limits = { maxBufferSize: 2 ** 21, maxStorageBufferBindingSize: 2 ** 20 };
  Object.defineProperty(gpu, 'limits', { value: limits, configurable: true });
}
const restore = (): boolean => delete (gpu as { limits?: Gpu['limits'] }).limits;
afterEach(restore);

const LARGEST = 2 ** 17;
const tooMany = new Uint32Array(LARGEST + 1);
const items = { keys: tooMany, values: tooMany };
const few = { keys: Uint32Array.of(1, 2), values: Uint32Array.of(3, 4) };
const options = { key: u32, scheme, construction: 'table' } as const;

describe.each([
  {
    name: 'MultiMap',
    from: (input: typeof items) => MultiMap.from(gpu, input, options),
    encode: (input: Parameters<typeof MultiMap.encodeBuild>[2]) =>
      MultiMap.encodeBuild(gpu, gpu.device.createCommandEncoder(), input, options),
  },
  {
    name: 'Aggregate',
    from: (input: typeof items) => Aggregate.from(gpu, input, { ...options, combine: 'sum' }),
    encode: (input: Parameters<typeof MultiMap.encodeBuild>[2]) =>
      Aggregate.encodeBuild(gpu, gpu.device.createCommandEncoder(), input, { ...options, combine: 'sum' }),
  },
])('a $name whose arrays do not fit the device', ({ from, encode }) => {
  const isTooLarge = expect.objectContaining({ code: 'too-large', largestItems: LARGEST });

  it('is refused on the host face, and leaves nothing behind', async () => {
    shrink();
    const { error, live } = await liveBuffers<unknown>(gpu, () => from(items));
    expect(error).toEqual(isTooLarge);
    expect(live).toEqual([]);
  });

  it('is refused on the encoder face, and leaves nothing behind', async () => {
    using buffers = new TestBuffers(gpu);
    const input = { keys: buffers.upload(tooMany), values: buffers.upload(tooMany), count: tooMany.length };
    shrink();
    const { error, live } = await liveBuffers<unknown>(gpu, async () => encode(input));
    expect(error).toEqual(isTooLarge);
    expect(live).toEqual([]);
  });

  it('is not rebuilt, and stays what it was', async () => {
    using made = await from(few);
    shrink();
    const { error, madeBytes } = await liveBuffers<unknown>(gpu, () => made.rebuild(items));
    expect(error).toBeInstanceOf(TooLargeError);
    expect(error).toEqual(isTooLarge);
    expect(madeBytes).toBe(0);
    restore();
    expect([...(await made.has(Uint32Array.of(1, 2, 3)))]).toEqual([1, 1, 0]);
  });
});
