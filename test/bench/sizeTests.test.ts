import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '../../bench/configurations.ts';
import { primitiveTests } from '../../bench/primitiveTests.ts';
import { sizeTests } from '../../bench/sizeTests.ts';
import { tally, tallyKernel } from '../../bench/tally.ts';
import { Workload } from '../../bench/workload.ts';
import { type KeyType, u32, u64, utf8, vec3i } from '../../src/index.ts';
import { uniform, wgsl } from '../../src/wgsl/index.ts';
import { type KeyKind, keyKinds } from '../conformance/keyKinds.ts';
import { carries, schemeNames } from '../conformance/subjects.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

describe('the tests of any size', () => {
  it('cover every scheme under every collection, and every primitive once', () => {
    const tables = (kind: KeyKind) => schemeNames.filter((name) => carries(name, kind)).length * COLLECTIONS.length;
    for (const kind of [keyKinds.u64, keyKinds.utf8, keyKinds.vec3i]) {
      expect(sizeTests(7, kind.type)).toHaveLength(tables(kind));
    }
    expect(sizeTests(7, u32 as KeyType)).toHaveLength(tables(keyKinds.u32) + 5);
    const names = sizeTests(7, u64).map(({ name }) => name);
    expect(names).toContain('doubleHashing set u64 7');
    expect(names.some((name) => name.startsWith('perfectSpatial'))).toBe(false);
  });

  it.each([
    { test: 'linearProbing multiMap utf8 300', key: utf8 },
    { test: 'cuckoo map vec3i 300', key: vec3i },
    { test: 'perfectSpatial set vec3i 300', key: vec3i },
  ])('pass for $test', async ({ test, key }) => {
    const workload = await Workload.create(gpu, { items: 300, key: key });
    const found = sizeTests(300, key).find(({ name }) => name === test);
    await found?.run(gpu, workload);
    workload.destroy();
    expect(found).toBeDefined();
  });

  it.each([1, 2, 4097])('pass for the primitives over %i items', async (items) => {
    const workload = await Workload.create(gpu, { items, key: u32 });
    for (const { run } of primitiveTests(items)) await run(gpu, workload);
    workload.destroy();
  });

  it('fail for keys that are not distinct', async () => {
    const workload = await Workload.create(gpu, { items: 600, key: u32 });
    gpu.device.queue.writeBuffer(workload.keys, 0, new Uint32Array(600).fill(9));
    const tests = sizeTests(600, u32);
    const named = (name: string) => tests.find((test) => test.name === name) as (typeof tests)[number];
    await expect(named('linearProbing map u32 600').run(gpu, workload)).rejects.toThrow('occurs more than once');
    await expect(named('sort u32 600').run(gpu, workload)).rejects.toThrow('of 600 words are wrong');
    workload.destroy();
  });
});

describe('tally', () => {
  const items = uniform('items', 'u32');
  const odd = tallyKernel('odd', wgsl`${items}`, wgsl`isRight = item % 2u == 0u;`);
  const none = tallyKernel('none', wgsl`${items}`, wgsl`isRight = true;`);

  it.each([0, 1, 2, 257, 100_001])('counts exactly, of %i items', async (count) => {
    const bound = [[items, gpu.constants(count)]] as const;
    const wrong = Math.floor(count / 2);
    expect(await tally(gpu, odd, bound, count)).toEqual({ wrong, first: wrong === 0 ? undefined : 1 });
    expect(await tally(gpu, none, bound, count)).toEqual({ wrong: 0, first: undefined });
  });
});
