import { HashMap } from '../../src/collections/index.ts';
import type { BuildError } from '../../src/gpu/index.ts';
import { buildHeader, STATUS } from '../../src/schemes/contract/header.wgsl.ts';
import type { Scheme } from '../../src/schemes/index.ts';
import { kernel, storage, wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, isTrue, throwsCode } from './expect.ts';
import { randomSet, valuesFor } from './keySets.ts';
import { answersLike, mapOf } from './oracle.ts';
import { forSubjects, takesLoad, takesSlots } from './subjects.ts';

const COUNT = 400;

const ran = storage('ran', 'atomic<u32>', 'read_write');

const countAttempt = kernel({ label: 'test/count', threads: 1, body: wgsl`atomicAdd(&${ran}, 1u);` });

const countAndFail = kernel({
  label: 'test/fail',
  threads: 1,
  body: wgsl`
  atomicAdd(&${ran}, 1u);
  atomicOr(&${buildHeader}.status, ${STATUS.retry}u);`,
});

/** The scheme, but its first attempts fail; counts in a word on the GPU how many attempts really ran. */
function unlucky(scheme: Scheme, failures: number, attempts: GPUBuffer): Scheme {
  let recorded = 0;
  return {
    ...scheme,
    encodeBuild(recorder, plan, buffers, input) {
      scheme.encodeBuild(recorder, plan, buffers, input);
      const bound = [[buildHeader, buffers.header] as const, [ran, attempts] as const];
      recorder.run(recorded++ < failures ? countAndFail : countAttempt, bound, 1);
    },
  };
}

export const retryCases: readonly ConformanceCase[] = [
  ...forSubjects('encoded attempts go on until one succeeds, and no further', async (gpu, subject) => {
    const { present: keys, absent } = randomSet(subject.kind, COUNT);
    const values = valuesFor(COUNT);
    using buffers = new TestBuffers(gpu);
    const items = buffers.items({ keys, values });
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
  ...forSubjects('when no encoded attempt succeeds, settle says so', async (gpu, subject) => {
    const { present: keys } = randomSet(subject.kind, COUNT);
    using buffers = new TestBuffers(gpu);
    const attempts = buffers.words(1);
    const encoder = gpu.device.createCommandEncoder();
    const scheme = unlucky(subject.make(), Number.POSITIVE_INFINITY, attempts);
    const input = { ...buffers.items({ keys, values: valuesFor(COUNT) }), count: COUNT };
    using map = HashMap.encodeBuild(gpu, encoder, input, { key: subject.kind.type, scheme });
    gpu.device.queue.submit([encoder.finish()]);
    const error = await throwsCode<BuildError>(map.settle(), 'build-failed', 'settle');
    equal(error.attempts, (await buffers.read(attempts, 1))[0], 'attempts');
    isTrue(error.attempts > 1, 'more than one attempt');
  }),
  ...forSubjects('a forbidden copy is not tried again', async (gpu, subject) => {
    using buffers = new TestBuffers(gpu);
    const attempts = buffers.words(1);
    const encoder = gpu.device.createCommandEncoder();
    const options = {
      key: subject.kind.type,
      scheme: unlucky(subject.make(), 0, attempts),
      duplicates: 'error' as const,
    };
    const input = { ...buffers.items({ keys: subject.kind.from([1n, 1n]), values: valuesFor(2) }), count: 2 };
    using map = HashMap.encodeBuild(gpu, encoder, input, options);
    gpu.device.queue.submit([encoder.finish()]);
    await throwsCode(map.settle(), 'duplicate-key', 'settle');
    equal((await buffers.read(attempts, 1))[0], 1, 'attempts that ran');
  }),
  ...forSubjects('on the host face a failed attempt is followed by another', async (gpu, subject) => {
    const { present: keys, absent } = randomSet(subject.kind, COUNT);
    const values = valuesFor(COUNT);
    using buffers = new TestBuffers(gpu);
    const scheme = unlucky(subject.make(), 2, buffers.words(1));
    using map = await HashMap.from(gpu, { keys, values }, { scheme });
    equal(map.report.attempts, 3, 'attempts');
    equal(map.report.growths, 0, 'growths');
    await answersLike(subject.kind, map, mapOf(keys, values), absent, 'after two failures');
    const hopeless = unlucky(subject.make(), Number.POSITIVE_INFINITY, buffers.words(1));
    await throwsCode(HashMap.from(gpu, { keys, values }, { scheme: hopeless }), 'build-failed', 'a hopeless build');
  }),
  ...forSubjects(
    'after several failures the table grows',
    async (gpu, subject) => {
      const { present: keys, absent } = randomSet(subject.kind, 3000);
      const values = valuesFor(3000);
      using buffers = new TestBuffers(gpu);
      using plain = await HashMap.from(gpu, { keys, values }, { scheme: subject.make({ loadFactor: 0.8 }) });
      const growing = unlucky(subject.make({ loadFactor: 0.8 }), 7, buffers.words(1));
      using map = await HashMap.from(gpu, { keys, values }, { scheme: growing });
      equal(map.report.attempts, 8, 'attempts');
      isTrue(map.report.growths > 0, 'the growth is reported');
      isTrue(map.capacitySlots > plain.capacitySlots, 'there are more slots');
      await answersLike(subject.kind, map, mapOf(keys, values), absent, 'grown');
      const { capacitySlots } = map;
      await map.rebuild({ keys, values });
      equal(map.capacitySlots, capacitySlots, 'slots after a rebuild');
      const again = await HashMap.fromBytes(gpu, await map.toBytes(), { scheme: growing, key: subject.kind.type });
      await answersLike(subject.kind, again, mapOf(keys, values), absent, 'grown, saved and opened');
      again.destroy();
    },
    { only: takesLoad },
  ),
  ...forSubjects(
    'a table of a fixed number of slots never grows',
    async (gpu, subject) => {
      const { present: keys } = randomSet(subject.kind, COUNT);
      const values = valuesFor(COUNT);
      using buffers = new TestBuffers(gpu);
      const fixed = unlucky(subject.make({ capacitySlots: 500 }), 5, buffers.words(1));
      using sameSize = await HashMap.from(gpu, { keys, values }, { scheme: fixed });
      equal(sameSize.capacitySlots, 500, 'fixed slots');
      equal(sameSize.report.growths, 0, 'growths of a fixed table');
    },
    { only: takesSlots },
  ),
];
