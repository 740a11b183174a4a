import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HashMap, HashSet, KeyIndex, MultiMap } from '../../../src/collections/index.ts';
import { Gpu, GpuFaultError, OutOfMemoryError } from '../../../src/gpu/index.ts';
import { linearProbing } from '../../../src/index.ts';
import { liveBuffers } from '../../liveBuffers.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();
const scheme = linearProbing();
const keys = ['one', 'two', 'three', 'one'];
const values = new Uint32Array([1, 2, 3, 4]);

type Opens = (gpu: Gpu, bytes: Uint8Array) => Promise<{ destroy(): void }>;

const COLLECTIONS: readonly {
  readonly name: string;
  build(): Promise<{ toBytes(): Promise<Uint8Array>; destroy(): void }>;
  readonly open: Opens;
}[] = [
  {
    name: 'HashMap',
    build: () => HashMap.from(gpu, { keys, values }, { scheme }),
    open: (on, bytes) => HashMap.fromBytes(on, bytes, { scheme }),
  },
  {
    name: 'HashSet',
    build: () => HashSet.from(gpu, { keys }, { scheme }),
    open: (on, bytes) => HashSet.fromBytes(on, bytes, { scheme }),
  },
  {
    name: 'KeyIndex',
    build: () => KeyIndex.from(gpu, { keys }, { scheme }),
    open: (on, bytes) => KeyIndex.fromBytes(on, bytes, { scheme }),
  },
  {
    name: 'MultiMap',
    build: () => MultiMap.from(gpu, { keys, values }, { scheme }),
    open: (on, bytes) => MultiMap.fromBytes(on, bytes, { scheme }),
  },
];

/** Parameters are made once for a device. */
const KEPT = 'hashnest/constants';
/** What a run makes for itself alone. */
const OF_A_RUN = ['hashnest/saved/check', 'hashnest/readback'];

describe.each(COLLECTIONS)('a $name that cannot be opened leaves nothing behind', ({ build, open }) => {
  const { device } = gpu;
  const { createBuffer } = device;
  let bytes: Uint8Array;
  /** The buffers that opening makes, in their order. */
  let labels: string[];

  beforeAll(async () => {
    const built = await build();
    bytes = await built.toBytes();
    built.destroy();
    labels = [];
    const opened = await replacing((make) => {
      if (make.label !== KEPT) labels.push(make.label ?? '');
      return createBuffer.call(device, make);
    });
    opened?.destroy();
  });
  afterEach(() => {
    device.createBuffer = createBuffer;
  });

  /** Opens with another way of making buffers. */
  async function replacing(made: typeof createBuffer): Promise<{ destroy(): void } | undefined> {
    // Those that earlier calls have left would be used again.
    gpu.trim();
    device.createBuffer = made;
    try {
      return await open(gpu, bytes);
    } finally {
      device.createBuffer = createBuffer;
    }
  }

  /** Opens while the buffer of that number is made in another way. */
  const withOther = (number: number, other: typeof createBuffer) =>
    liveBuffers(gpu, () => {
      const watched = device.createBuffer;
      let count = 0;
      const isIt = (label: string | undefined) => label !== KEPT && count++ === number;
      return replacing((make) => (isIt(make.label) ? other(make) : watched.call(device, make))).finally(() => {
        device.createBuffer = watched;
      });
    });

  it('if one of its buffers cannot be made at all', async () => {
    expect(labels.length).toBeGreaterThan(4);
    const failure = new Error('no buffer today');
    for (const number of labels.keys()) {
      const { error, live } = await withOther(number, () => {
        throw failure;
      });
      expect(error, labels[number]).toBe(failure);
      expect(live, labels[number]).toEqual([]);
    }
  });

  it('if one of its buffers turns out to be none', async () => {
    for (const [number, label] of labels.entries()) {
      if (OF_A_RUN.some((own) => label.startsWith(own))) continue;
      const { error, live } = await withOther(number, (make) =>
        createBuffer.call(device, { ...make, size: 2 * gpu.limits.maxBufferSize }),
      );
      expect(
        [GpuFaultError, OutOfMemoryError].some((type) => error instanceof type),
        `${label}: ${error}`,
      ).toBe(true);
      expect(live, label).toEqual([]);
    }
  });
});

it('opening on a Gpu that is destroyed meanwhile is rejected, and leaves nothing behind', async () => {
  using multiMap = await MultiMap.from(gpu, { keys, values }, { scheme });
  const bytes = await multiMap.toBytes();
  const other = await Gpu.open();
  const { error, live } = await liveBuffers(other, () => {
    const opening = MultiMap.fromBytes(other, bytes, { scheme });
    other.destroy();
    return opening;
  });
  expect(error).toMatchObject({ code: 'destroyed' });
  expect(live).toEqual([]);
});
