import { expect, it } from 'vitest';
import { makeScheme } from '../../bench/configurations.ts';
import { profileBuild } from '../../bench/profile.ts';
import { Workload } from '../../bench/workload.ts';
import { HashMap, u32 } from '../../src/index.ts';
import { HeaderLayout } from '../../src/schemes/contract/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

it.each([
  ['bucketCuckoo', 1, 0.99],
  ['bucketCuckoo', 4, 0.8],
  ['cuckoo', 4, 0.8],
  ['linearProbing', 4, 0.8],
] as const)(
  'begins every round with a header that has counted nothing: %s, %i of a key',
  async (name, copies, load) => {
    const workload = await Workload.create(gpu, { items: 20_000, key: u32, copies });
    const scheme = makeScheme(name, { loadFactor: load });
    using map = await HashMap.from(gpu, workload.input, { key: u32, scheme, seed: 7 });
    const { plan, buffers, state } = map.table;
    // One of them has items in its overflow, the others have copies: both are counted.
    expect(state.header.copies + state.header.stashed).toBeGreaterThan(0);

    const kernels = await profileBuild(gpu, map, workload, 3);
    expect(kernels[0]?.label).toBe('hashnest/attempt/begin');
    expect(kernels.length).toBeGreaterThan(2);

    const layout = HeaderLayout.of(plan.fields);
    const [bytes] = await gpu.run(() => {}, [{ buffer: buffers.header, bytes: layout.bytes }]);
    const { status, copies: dropped, stashed } = layout.read(bytes as ArrayBuffer);
    expect({ status, dropped }).toEqual({ status: 0, dropped: state.header.copies });
    // How many are left for the overflow depends on who came first, but not four times as many.
    expect(stashed).toBeLessThanOrEqual(2 * state.header.stashed);
    workload.destroy();
  },
);
