import { expect, it } from 'vitest';
import { buildCollection } from '../../bench/benchmark.ts';
import { PRESENT } from '../../bench/generators.ts';
import { encodeRetrieval, retrievalFault } from '../../bench/retrieval.ts';
import { Workload } from '../../bench/workload.ts';
import { bucketCuckoo, type KeyType, type MultiMap, u32, u64, type ValueType, valueTypes } from '../../src/index.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const KINDS: readonly { readonly key: KeyType; readonly value: ValueType; readonly copies: number }[] = [
  { key: u32 as KeyType, value: valueTypes.u32, copies: 8 },
  { key: u64 as KeyType, value: valueTypes.u64, copies: 3 },
];

it.each(KINDS)('the judge of retrievals notices one wrong word of $value.name values, $copies copies', async (kind) => {
  const workload = await Workload.create(gpu, { items: 1001, seed: 5, ...kind });
  using map = (await buildCollection(gpu, workload, {
    ...kind,
    collection: 'multiMap',
    scheme: bucketCuckoo(),
    duplicates: 'any',
  })) as MultiMap<unknown>;
  await workload.ask(PRESENT);
  await gpu.run((encoder) => encodeRetrieval(encoder, map, workload));
  expect(await retrievalFault(workload)).toBeUndefined();
  const { values, found: offsets } = workload.answers;
  const retrieved = await gpu.read(values, Uint32Array);
  for (const [buffer, at, wrong] of [
    [values, 40, (retrieved[40] as number) ^ 1],
    [offsets, 7, 1],
  ] as const) {
    const before = (await gpu.read(buffer, Uint32Array))[at] as number;
    gpu.device.queue.writeBuffer(buffer, 4 * at, Uint32Array.of(wrong));
    expect(await retrievalFault(workload)).toMatch(/retrievals are wrong/);
    gpu.device.queue.writeBuffer(buffer, 4 * at, Uint32Array.of(before));
  }
  expect(await retrievalFault(workload)).toBeUndefined();
  workload.destroy();
});
