import { HashMap } from '../../src/collections/index.ts';
import type { BuildError } from '../../src/gpu/index.ts';
import { HeaderLayout, type Scheme, STATUS, type TablePlan } from '../../src/schemes/contract/index.ts';
import { valueTypes } from '../../src/table/values.ts';
import { kept, kernel, storage, wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, isTrue, throwsCode } from './expect.ts';
import { randomSet, valuesFor } from './keySets.ts';
import { answersLike, mapOf } from './oracle.ts';
import { forGpuBuilt, forSubjects, takesLoad, takesSlots } from './subjects.ts';

const COUNT = 400;

const ran = storage('ran', 'atomic<u32>', 'read_write');

const countAttempt = kernel({ label: 'test/count', threads: 1, body: wgsl`atomicAdd(&${ran}, 1u);` });

const failKernel = kept((layout: HeaderLayout) => {
  const header = layout.forBuilding();
  const countAndFail = kernel({
    label: 'test/fail',
    threads: 1,
    body: wgsl`
  atomicAdd(&${ran}, 1u);
  atomicOr(&${header}.status, ${STATUS.retry}u);`,
  });
  return { header, countAndFail };
});

/** The scheme, but its first attempts fail; counts in a word on the GPU how many attempts really ran there. */
function unlucky(scheme: Scheme, failures: number, attempts: GPUBuffer): Scheme {
  let begun = 0;
  const buildOf = ({ build, fields }: TablePlan): TablePlan['build'] =>
    build.on === 'host'
      ? {
          on: 'host',
          run: (...items) => (begun++ < failures ? { status: STATUS.retry, failed: 1 } : build.run(...items)),
        }
      : {
          on: 'gpu',
          record: (recorder, table, input) => {
            build.record(recorder, table, input);
            const { header, countAndFail } = failKernel(HeaderLayout.of(fields));
            const bound = [[header, table.header] as const, [ran, attempts] as const];
            recorder.run(begun++ < failures ? countAndFail : countAttempt, bound, 1);
          },
        };
  const unluckyPlan = (plan: TablePlan): TablePlan => ({
    ...plan,
    build: buildOf(plan),
    larger: plan.larger && (() => unluckyPlan((plan.larger as () => TablePlan)())),
  });
  return { ...scheme, plan: (request) => unluckyPlan(scheme.plan(request)) };
}

export const retryCases: readonly ConformanceCase[] = [
  ...forGpuBuilt('encoded attempts go on until one succeeds, and no further', async (gpu, subject) => {
    const { present: keys, absent } = randomSet(subject.kind, COUNT);
    const values = valuesFor(COUNT);
    using buffers = new TestBuffers(gpu);
    const items = buffers.items(subject.kind, { keys, values });
    for (const onGpu of [false, true]) {
      const count = onGpu ? { buffer: buffers.upload(new Uint32Array([COUNT])) } : COUNT;
      for (const failures of [0, 1, 2]) {
        const attempts = buffers.words(1);
        const encoder = gpu.device.createCommandEncoder();
        const scheme = unlucky(subject.make(), failures, attempts);
        using map = HashMap.encodeBuild(gpu, encoder, { ...items, count }, { key: subject.kind.type, scheme });
        gpu.device.queue.submit([encoder.finish()]);
        await map.settle();
        const what = `${failures} failures, count ${onGpu ? 'on the GPU' : 'known'}`;
        equal((await buffers.read(attempts, 1))[0], failures + 1, `${what}: attempts that ran`);
        equal(map.report.attempts, failures + 1, `${what}: attempts reported`);
        await answersLike(subject.kind, map, mapOf(keys, values), absent, what);
      }
    }
  }),
  ...forGpuBuilt('when no encoded attempt succeeds, settle says so', async (gpu, subject) => {
    const { present: keys } = randomSet(subject.kind, COUNT);
    using buffers = new TestBuffers(gpu);
    const attempts = buffers.words(1);
    const encoder = gpu.device.createCommandEncoder();
    const scheme = unlucky(subject.make(), Number.POSITIVE_INFINITY, attempts);
    const input = { ...buffers.items(subject.kind, { keys, values: valuesFor(COUNT) }), count: COUNT };
    using map = HashMap.encodeBuild(gpu, encoder, input, { key: subject.kind.type, scheme });
    gpu.device.queue.submit([encoder.finish()]);
    const error = await throwsCode<BuildError>(map.settle(), 'build-failed', 'settle');
    equal(error.attempts, (await buffers.read(attempts, 1))[0], 'attempts');
    isTrue(error.attempts > 1, 'more than one attempt');
  }),
  ...forGpuBuilt('a forbidden copy is not tried again', async (gpu, subject) => {
    using buffers = new TestBuffers(gpu);
    const attempts = buffers.words(1);
    const encoder = gpu.device.createCommandEncoder();
    const options = {
      key: subject.kind.type,
      scheme: unlucky(subject.make(), 0, attempts),
      duplicates: 'error' as const,
    };
    const input = { ...buffers.items(subject.kind, { keys: [1n, 1n], values: valuesFor(2) }), count: 2 };
    using map = HashMap.encodeBuild(gpu, encoder, input, options);
    gpu.device.queue.submit([encoder.finish()]);
    await throwsCode(map.settle(), 'duplicate-key', 'settle');
    equal((await buffers.read(attempts, 1))[0], 1, 'attempts that ran');
  }),
  ...forSubjects('on the host face a failed attempt is followed by another', async (gpu, subject) => {
    const { kind } = subject;
    const { present: keys, absent } = randomSet(kind, COUNT);
    const values = valuesFor(COUNT);
    const input = { keys: kind.host(keys), values };
    using buffers = new TestBuffers(gpu);
    const scheme = unlucky(subject.make(), 2, buffers.words(1));
    using map = await HashMap.from(gpu, input, { key: kind.type, scheme });
    const { attempts, growths } = map.report;
    if (subject.isHostBuilt) {
      // It grows after every failure, and may need more than two sizes anyway.
      isTrue(attempts >= 3, `${attempts} attempts`);
      equal(growths, attempts - 1, 'growths');
    } else {
      equal(attempts, 3, 'attempts');
      equal(growths, 0, 'growths');
    }
    await answersLike(kind, map, mapOf(keys, values), absent, 'after two failures');
    const hopeless = unlucky(subject.make(), Number.POSITIVE_INFINITY, buffers.words(1));
    const build = HashMap.from(gpu, input, { key: kind.type, scheme: hopeless });
    await throwsCode(build, 'build-failed', 'a hopeless build');
  }),
  ...forSubjects(
    'after several failures the table grows',
    async (gpu, subject) => {
      const { kind } = subject;
      const { present: keys, absent } = randomSet(kind, 3000);
      const input = { keys: kind.host(keys), values: valuesFor(3000) };
      const expected = mapOf(keys, input.values);
      using buffers = new TestBuffers(gpu);
      using plain = await HashMap.from(gpu, input, { key: kind.type, scheme: subject.make({ loadFactor: 0.8 }) });
      const growing = unlucky(subject.make({ loadFactor: 0.8 }), 7, buffers.words(1));
      using map = await HashMap.from(gpu, input, { key: kind.type, scheme: growing });
      equal(map.report.attempts, 8, 'attempts');
      isTrue(map.report.growths > 0, 'the growth is reported');
      isTrue(map.capacitySlots > plain.capacitySlots, 'there are more slots');
      await answersLike(kind, map, expected, absent, 'grown');
      const { capacitySlots } = map;
      await map.rebuild(input);
      equal(map.capacitySlots, capacitySlots, 'slots after a rebuild');
      const again = await HashMap.fromBytes(gpu, await map.toBytes(), {
        scheme: growing,
        key: kind.type,
        value: valueTypes.u32,
      });
      await answersLike(kind, again, expected, absent, 'grown, saved and opened');
      again.destroy();
    },
    { only: takesLoad },
  ),
  ...forSubjects(
    'a table of a fixed number of slots never grows',
    async (gpu, subject) => {
      const { present } = randomSet(subject.kind, COUNT);
      const input = { keys: subject.kind.host(present), values: valuesFor(COUNT) };
      using buffers = new TestBuffers(gpu);
      const fixed = unlucky(subject.make({ capacitySlots: 500 }), 5, buffers.words(1));
      using sameSize = await HashMap.from(gpu, input, { key: subject.kind.type, scheme: fixed });
      equal(sameSize.capacitySlots, 500, 'fixed slots');
      equal(sameSize.report.growths, 0, 'growths of a fixed table');
    },
    { only: takesSlots },
  ),
];
