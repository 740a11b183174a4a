/** Tables that live, searched by shaders and looked into, while they change their size. */
import { describe, expect, it } from 'vitest';
import { DynamicMap, dyCuckoo, regionCuckoo, u32, vec3i } from '../../src/index.ts';
import { keyKinds } from '../conformance/keyKinds.ts';
import { runShader } from '../conformance/userShader.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu('default');
const upTo = (count: number): Uint32Array<ArrayBuffer> => Uint32Array.from({ length: count }, (_, i) => i);

describe('a shader face of a table that lives', () => {
  it('has the same code at every size, and says when its buffers are others', async () => {
    using map = await DynamicMap.create(gpu, { key: u32 });
    using free = await DynamicMap.create(gpu, { key: u32 });
    await map.insert(upTo(100), upTo(100));
    const face = map.wgsl({ name: 'table', group: 1 });
    expect(face.isCurrent).toBe(true);
    await map.insert(upTo(300), upTo(300));
    expect(face.isCurrent).toBe(true);
    // So many that another format would suit it better.
    for (const one of [map, free]) await one.reserve(3_000_000);
    expect(face.isCurrent).toBe(false);
    const larger = map.wgsl({ name: 'table', group: 1 });
    expect(larger.code).toBe(face.code);
    expect(free.wgsl({ name: 'table', group: 1 }).code).not.toBe(face.code);
    const queries = [0n, 5n, 299n, 300n];
    const answers = await runShader(gpu, {
      kind: keyKinds.u32,
      queries,
      tables: [larger],
      code: larger.code,
      statements: 'let hit = table_find(key);',
      answer: 'vec4u(u32(hit.found), hit.value, hit.probes, 0u)',
    });
    expect(queries.map((_, i) => [...answers.subarray(4 * i, 4 * i + 2)])).toEqual([
      [1, 0],
      [1, 5],
      [1, 299],
      [0, 0],
    ]);
    await map.shrink();
    expect(map.size).toBe(300);
    expect(map.wgsl({ name: 'table', group: 1 }).code).toBe(face.code);
  });

  it.each([regionCuckoo(), dyCuckoo()])('goes with statistics of the same searches: $name', async (scheme) => {
    using map = await DynamicMap.create(gpu, { key: vec3i, scheme });
    await map.insert(new Int32Array(upTo(3000)), upTo(1000));
    const { present, absent } = await map.stats();
    expect(present.average).toBeGreaterThanOrEqual(1);
    expect(present.within[100]).toBeLessThanOrEqual(2);
    expect(absent.within[100]).toBeLessThanOrEqual(2);
  });
});
