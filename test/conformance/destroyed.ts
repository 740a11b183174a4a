import { HashMap } from '../../src/collections/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { throwsCode } from './expect.ts';
import { randomKeys, valuesFor } from './keySets.ts';
import { answersLike, mapOf } from './oracle.ts';
import { forGpuBuilt, forSubjects } from './subjects.ts';
import { buildMap, buildSet, optionsOf } from './tables.ts';

export const destroyedCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'a destroyed table refuses every call, and others live on',
    async (gpu, subject) => {
      const { kind } = subject;
      const keys = randomKeys(kind, 50);
      const host = kind.host(keys);
      const values = valuesFor(50);
      using buffers = new TestBuffers(gpu);
      const input = { ...buffers.items(kind, { keys, values }), count: 50 };
      const [found, answers] = [buffers.words(50), buffers.words(50)];
      const search = { ...buffers.queries(kind, keys), values: answers, found, count: 50 };
      const encoder = gpu.device.createCommandEncoder();
      const map = await buildMap(gpu, subject, { keys, values });
      const set = await buildSet(gpu, subject, keys);
      using other = await buildMap(gpu, subject, { keys, values });
      const calls: Record<string, () => unknown> = {
        get: () => map.get(host),
        encodeGet: () => map.encodeGet(encoder, search),
        entries: () => map.entries(),
        values: () => map.values(),
        'map.toBytes': () => map.toBytes(),
        'map.rebuild': () => map.rebuild({ keys: host, values }),
        'map.encodeRebuild': () => map.encodeRebuild(encoder, input),
        'set.toBytes': () => set.toBytes(),
        'set.rebuild': () => set.rebuild({ keys: host }),
        'set.encodeRebuild': () => set.encodeRebuild(encoder, input),
      };
      for (const [name, table] of Object.entries({ map, set })) {
        table.destroy();
        table.destroy();
        Object.assign(calls, {
          [`${name}.has`]: () => table.has(host),
          [`${name}.has of nothing`]: () => table.has(kind.host([])),
          [`${name}.encodeHas`]: () => table.encodeHas(encoder, search),
          [`${name}.keys`]: () => table.keys(),
          [`${name}.stats`]: () => table.stats(),
          [`${name}.wgsl`]: () => table.wgsl({ name: 'table', group: 0 }),
          [`${name}.settle`]: () => table.settle(),
          [`${name}.size`]: () => table.size,
          [`${name}.loadFactor`]: () => table.loadFactor,
          [`${name}.report`]: () => table.report,
          [`${name}.status`]: () => table.status,
        });
      }
      for (const [name, call] of Object.entries(calls)) await throwsCode(call, 'destroyed', name);
      await answersLike(kind, other, mapOf(keys, values), randomKeys(kind, 9, 2), 'the other map');
    },
    { short: true },
  ),
  ...forGpuBuilt(
    'a table destroyed before its encoded build is submitted takes nothing with it',
    async (gpu, subject) => {
      const keys = randomKeys(subject.kind, 50);
      using buffers = new TestBuffers(gpu);
      const input = { ...buffers.items(subject.kind, { keys, values: valuesFor(50) }), count: 50 };
      const options = optionsOf(subject);
      const map = HashMap.encodeBuild(gpu, gpu.device.createCommandEncoder(), input, options);
      map.destroy();
      await throwsCode(map.settle(), 'destroyed', 'settle');
      using again = await HashMap.from(gpu, input, options);
      await answersLike(subject.kind, again, mapOf(keys, valuesFor(50)), randomKeys(subject.kind, 9, 2), 'built again');
    },
  ),
  ...forSubjects('a table may be destroyed while it is rebuilt or searched', async (gpu, subject) => {
    const { host } = subject.kind;
    const keys = randomKeys(subject.kind, 400);
    const values = valuesFor(400);
    // A rebuild on the CPU does not notice yet.
    for (const size of subject.isHostBuilt ? [] : [50, 400]) {
      const map = await buildMap(gpu, subject, { keys: keys.slice(0, 50), values: values.slice(0, 50) });
      const rebuild = map.rebuild({ keys: host(keys.slice(0, size)), values: values.slice(0, size) });
      map.destroy();
      await throwsCode(rebuild, 'destroyed', `rebuild from ${size} items`);
      await throwsCode(() => map.get(host(keys)), 'destroyed', 'get afterwards');
      await throwsCode(() => map.size, 'destroyed', 'size afterwards');
    }
    const map = await buildMap(gpu, subject, { keys, values });
    const searches = {
      get: map.get(host(keys)),
      has: map.has(host(keys)),
      entries: map.entries(),
      stats: map.stats(),
      toBytes: map.toBytes(),
    };
    map.destroy();
    // All at once: one that is rejected before anybody waits for it would be nobody's.
    await Promise.all(Object.entries(searches).map(([name, call]) => endsCleanly(call, name)));
  }),
];

/** Throws unless the call succeeds or says that the table was destroyed. */
async function endsCleanly(call: Promise<unknown>, what: string): Promise<void> {
  const error: unknown = await call.then(
    () => undefined,
    (reason) => reason,
  );
  if (error !== undefined) await throwsCode(Promise.reject(error), 'destroyed', what);
}
