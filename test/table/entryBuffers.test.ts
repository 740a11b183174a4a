/** Buffers for entries, as they are looked at before anything is recorded. */
import { describe, expect, it } from 'vitest';
import { TooLargeError } from '../../src/gpu/index.ts';
import { requireEntryRoom } from '../../src/table/entryBuffers.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

describe('room for entries', () => {
  it('may be as large as a binding, and no larger', () => {
    const limits = { ...gpu.limits, maxStorageBufferBindingSize: 64, maxBufferSize: 256 };
    const table = { assertBuilt: () => {}, turns: { isWriting: false }, bound: [], gpu: { limits } };
    const [keys, count] = [128, 4].map((size) => gpu.createBuffer('test/entries', size)) as [GPUBuffer, GPUBuffer];
    const check = (capacity: number, words: number) => () =>
      requireEntryRoom(table as never, capacity, [['keys', keys, words]], { buffer: count }, []);
    expect(check(16, 1)).not.toThrow();
    expect(check(17, 1)).toThrow(TooLargeError);
    expect(check(8, 2)).not.toThrow();
    expect(check(9, 2)).toThrow('a binding has at most 8 keys');
    for (const buffer of [keys, count]) buffer.destroy();
  });
});
