import { expect, it } from 'vitest';
import { HashMap, OutOfMemoryError, utf8 } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';
import { watchDevice } from '../soak/faults.ts';

const gpu = await sharedGpu('default');

it('ends a search before it says that there was no memory for the bytes of its keys', async () => {
  const map = await HashMap.from(gpu, { keys: ['a', 'b'], values: new Uint32Array([1, 2]) }, { key: utf8 });
  const watched = watchDevice(gpu);
  try {
    watched.arm({ fault: 'memory', after: 0 });
    await expect(map.get(['a'])).rejects.toBeInstanceOf(OutOfMemoryError);
    expect([...watched.live().keys()]).toEqual([]);
  } finally {
    watched.release();
    map.destroy();
  }
});
