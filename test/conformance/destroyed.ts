import { HashMap } from '../../src/collections/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { throwsCode } from './expect.ts';
import { randomKeys, valuesFor } from './keySets.ts';
import { answersLike, mapOf } from './oracle.ts';
import { forSubjects } from './subjects.ts';
import { buildMap, buildSet } from './tables.ts';

export const destroyedCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'a destroyed table refuses every call, and others live on',
    async (gpu, subject) => {
      const keys = randomKeys(subject.kind, 50);
      const values = valuesFor(50);
      using buffers = new TestBuffers(gpu);
      const input = { ...buffers.items({ keys, values }), count: 50 };
      const search = { queries: input.keys, values: buffers.words(50), found: buffers.words(50), count: 50 };
      const encoder = gpu.device.createCommandEncoder();
      const map = await buildMap(gpu, subject, { keys, values });
      const set = await buildSet(gpu, subject, keys);
      using other = await buildMap(gpu, subject, { keys, values });
      const calls: Record<string, () => unknown> = {
        get: () => map.get(keys),
        encodeGet: () => map.encodeGet(encoder, search),
        entries: () => map.entries(),
        values: () => map.values(),
        'map.toBytes': () => map.toBytes(),
        'map.rebuild': () => map.rebuild({ keys, values }),
        'map.encodeRebuild': () => map.encodeRebuild(encoder, input),
        'set.toBytes': () => set.toBytes(),
        'set.rebuild': () => set.rebuild({ keys }),
        'set.encodeRebuild': () => set.encodeRebuild(encoder, input),
      };
      for (const [name, table] of Object.entries({ map, set })) {
        table.destroy();
        table.destroy();
        Object.assign(calls, {
          [`${name}.has`]: () => table.has(keys),
          [`${name}.has of nothing`]: () => table.has(keys.slice(0, 0)),
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
      await answersLike(subject.kind, other, mapOf(keys, values), randomKeys(subject.kind, 9, 2), 'the other map');
    },
    { short: true },
  ),
  ...forSubjects(
    'a table destroyed before its encoded build is submitted takes nothing with it',
    async (gpu, subject) => {
      const keys = randomKeys(subject.kind, 50);
      using buffers = new TestBuffers(gpu);
      const input = { ...buffers.items({ keys, values: valuesFor(50) }), count: 50 };
      const options = { key: subject.kind.type, scheme: subject.make() };
      const map = HashMap.encodeBuild(gpu, gpu.device.createCommandEncoder(), input, options);
      map.destroy();
      await throwsCode(map.settle(), 'destroyed', 'settle');
      using again = await HashMap.from(gpu, input, options);
      await answersLike(subject.kind, again, mapOf(keys, valuesFor(50)), randomKeys(subject.kind, 9, 2), 'built again');
    },
  ),
  ...forSubjects('a table may be destroyed while it is rebuilt or searched', async (gpu, subject) => {
    const keys = randomKeys(subject.kind, 400);
    const values = valuesFor(400);
    for (const size of [50, 400]) {
      const map = await buildMap(gpu, subject, { keys: keys.slice(0, 50), values: values.slice(0, 50) });
      const rebuild = map.rebuild({ keys: keys.slice(0, size), values: values.slice(0, size) });
      map.destroy();
      await throwsCode(rebuild, 'destroyed', `rebuild from ${size} items`);
      await throwsCode(() => map.get(keys), 'destroyed', 'get afterwards');
      await throwsCode(() => map.size, 'destroyed', 'size afterwards');
    }
    const map = await buildMap(gpu, subject, { keys, values });
    const searches = {
      get: map.get(keys),
      has: map.has(keys),
      entries: map.entries(),
      stats: map.stats(),
      toBytes: map.toBytes(),
    };
    map.destroy();
    for (const [name, call] of Object.entries(searches)) await endsCleanly(call, name);
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
