/** The bytes that keys of a table that lives point into. */
import { expect, it } from 'vitest';
import { GrowingContext } from '../../src/dynamic/context.ts';
import { requireBounds } from '../../src/dynamic/settings.ts';
import { InvalidInputError } from '../../src/gpu/index.ts';
import { dyCuckoo, regionCuckoo } from '../../src/schemes/index.ts';
import { liveBuffers } from '../liveBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');
const words = (first: number, count: number): Uint32Array => Uint32Array.from({ length: count }, (_, i) => first + i);

it('bytes of batches begin at multiples of 256 and stay where they are when room is made', async () => {
  const { error, live } = await liveBuffers(gpu, async () => {
    const context = new GrowingContext(gpu);
    const batches = [words(100, 64), words(200, 3), words(300, 100)].map((batch) => gpu.upload('test', batch));
    const starts: number[] = [];
    for (const batch of batches) {
      await context.reserve(batch.size);
      const encoder = gpu.device.createCommandEncoder();
      starts.push(context.append(encoder, batch, batch.size));
      gpu.device.queue.submit([encoder.finish()]);
    }
    expect(starts).toEqual([0, 256, 512]);
    expect(context.used).toBe(912);
    const [bytes] = await gpu.run(() => {}, [{ buffer: context.buffer as GPUBuffer, bytes: 912 }]);
    const held = new Uint32Array(bytes as ArrayBuffer);
    expect([...held.subarray(0, 67)]).toEqual([...words(100, 64), ...words(200, 3)]);
    expect([...held.subarray(128)]).toEqual([...words(300, 100)]);
    context.destroy();
    for (const batch of batches) batch.destroy();
  });
  expect(error).toBeUndefined();
  expect(live).toEqual([]);
});

it('room is made half as much again as is needed, and only when it is needed', async () => {
  const context = new GrowingContext(gpu);
  await context.reserve(undefined);
  expect(context.buffer).toBeUndefined();
  expect(() => context.requireRoom(4)).toThrow(InvalidInputError);
  context.requireRoom(undefined);
  await context.reserve(1000);
  const { buffer } = context;
  expect(buffer?.size).toBe(1536);
  await context.reserve(1536);
  expect(context.buffer).toBe(buffer);
  context.requireRoom(1536);
  expect(() => context.requireRoom(1537)).toThrow('reserve(keys, bytes)');
  context.backTo(4);
  context.requireRoom(1280);
  expect(() => context.requireRoom(1281)).toThrow('no room for 1281 more bytes');
  context.destroy();
});

it.each([
  [regionCuckoo(), 0.8],
  [dyCuckoo(), 0.8],
  [dyCuckoo({ subtables: 2 }), 2 / 3],
])('bounds may be as close as a step of $name is long: %d', (scheme, closest) => {
  const { mostFilled: highest } = scheme;
  const lowest = highest * closest;
  requireBounds(scheme, { lowest, highest });
  for (const wrong of [
    { lowest: lowest + 1e-6, highest },
    { lowest: 0, highest },
    { lowest: -0.1, highest },
    { lowest: 0.1, highest: highest + 1e-6 },
    { lowest: '0.1' as never, highest },
  ]) {
    expect(() => requireBounds(scheme, wrong)).toThrow(InvalidInputError);
  }
});
