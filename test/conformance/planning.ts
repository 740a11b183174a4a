import { HashMap } from '../../src/collections/index.ts';
import type { TooLargeError } from '../../src/gpu/index.ts';
import type { Duplicates, GpuBuild, PlanRequest, ValueWords } from '../../src/schemes/contract/index.ts';
import { peakBytes, planTable, tableBytes } from '../../src/table/plan.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equal, isTrue, throwsCode } from './expect.ts';
import { randomKeys, valuesFor } from './keySets.ts';
import { forGpuBuilt, forSubjects, type Subject } from './subjects.ts';
import { buildMap, optionsOf } from './tables.ts';
import { asPlanned, takenScratch } from './takenScratch.ts';

/** A device on which a buffer has at most a million bytes. */
const SMALL_LIMITS = { maxBufferSize: 2_000_000, maxStorageBufferBindingSize: 1_000_000 } as GPUSupportedLimits;

const request = (
  { kind }: Subject,
  items: number,
  valueWords: ValueWords,
  duplicates: Duplicates = 'last',
): PlanRequest => ({ items, key: kind.type, valueWords, duplicates, growth: 0 });

export const planningCases: readonly ConformanceCase[] = [
  ...forSubjects(
    'a table too large for the device is refused with the largest that fits',
    async (gpu, subject) => {
      for (const limits of [SMALL_LIMITS, gpu.limits]) {
        for (const valueWords of [0, 1, 4] as const) {
          const plan = (items: number) => planTable(subject.make(), request(subject, items, valueWords), limits);
          // More bytes of keys than a binding may have, and fewer slots than can be numbered.
          const items = Math.min(1.5e9, Math.ceil(limits.maxStorageBufferBindingSize / 4) + 1);
          const error = await throwsCode<TooLargeError>(() => plan(items), 'too-large', `${items} items`);
          const { largestItems: largest, message } = error;
          isTrue(message.includes(String(largest)), 'the message has the largest count');
          equal(plan(largest).request.items, largest, 'the largest count can be planned');
          await throwsCode(() => plan(largest + 1), 'too-large', 'one more');
          for (const { name, bytes } of [...plan(largest).buffers, ...plan(largest).scratch]) {
            isTrue(bytes <= limits.maxStorageBufferBindingSize, `${name} fits a binding`);
          }
        }
      }
    },
    { short: true },
  ),
  ...forSubjects('the planned bytes are those of the table', async (gpu, subject) => {
    using map = await buildMap(gpu, subject, { keys: randomKeys(subject.kind, 1000), values: valuesFor(1000) });
    const planned = { ...request(subject, 1000, 1), growth: map.report.growths };
    const plan = planTable(subject.make(), planned, gpu.limits);
    const { context } = map.table.buffers;
    equal(map.tableBytes, tableBytes(plan) + (context?.size ?? 0), 'bytes of the table');
    equal(map.capacitySlots, plan.capacitySlots, 'slots');
    isTrue(peakBytes(plan) >= tableBytes(plan), 'the peak includes the table');
  }),
  ...forGpuBuilt('a build takes the scratch that was planned', async (gpu, subject) => {
    using buffers = new TestBuffers(gpu);
    const items = { keys: randomKeys(subject.kind, 1000), values: valuesFor(1000) };
    const input = { ...buffers.items(subject.kind, items), count: 1000 };
    for (const duplicates of ['last', 'any'] as const) {
      const options = { ...optionsOf(subject), duplicates };
      const encoder = gpu.device.createCommandEncoder();
      // All attempts are recorded, also those that do more than the first.
      const taken = takenScratch(() => HashMap.encodeBuild(gpu, encoder, input, options).destroy());
      const plan = planTable(options.scheme, request(subject, 1000, 1, duplicates), gpu.limits);
      // Where fewer are recorded, what only the others need is planned all the same.
      const { encodedAttempts } = plan.build as GpuBuild;
      const needed = plan.scratch.filter(({ name }) => encodedAttempts === undefined || taken.has(name));
      asPlanned(taken, needed, duplicates);
    }
  }),
];
