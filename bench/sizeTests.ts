/** Tables and primitives of any size, built from the workload and judged on the GPU: the large part of the self-test. */
import {
  type Duplicates,
  type Gpu,
  type KeyType,
  type SchemeName,
  schemes,
  u32,
  u64,
  utf8,
  vec3i,
} from '../src/index.ts';
import { buildCollection, encodeRebuild, rebuild } from './benchmark.ts';
import {
  COLLECTIONS,
  type CollectionName,
  type Configuration,
  configurationsOf,
  describeConfiguration,
  isBuiltOnHost,
  refusalOf,
} from './configurations.ts';
import { primitiveTests } from './primitiveTests.ts';
import { faultsOf } from './verify.ts';
import type { Workload } from './workload.ts';

/** Something that is made from a workload and judged on the GPU. */
export interface SizeTest {
  readonly name: string;
  /** Throws what is wrong. */
  run(gpu: Gpu, workload: Workload): Promise<void>;
}

/** Tables that the host builds take seconds from here on. */
const MOST_ON_HOST = 1_000_000;

/** One word and two, an order of three, and a context. */
export const SELFTEST_KEYS: readonly KeyType[] = [u32, u64, vec3i, utf8];

/** Every scheme under every collection that takes such keys, and every primitive. */
export const sizeTests = (items: number, key: KeyType): SizeTest[] => [
  ...(key === u32 ? primitiveTests(items) : []),
  ...tableTests(items, key),
];

const tableTests = (items: number, key: KeyType): SizeTest[] =>
  configurationsOf({
    schemes: (Object.keys(schemes) as SchemeName[]).map((name) => ({ name })),
    collections: COLLECTIONS,
    keys: [key],
    sizes: [items],
    loads: [undefined],
  })
    .filter(takesKeys)
    .filter((configuration) => !isBuiltOnHost(configuration) || items <= MOST_ON_HOST)
    .map((configuration) => ({
      name: describeConfiguration(configuration),
      run: (gpu, workload) => buildTwice(gpu, workload, configuration),
    }));

/** Whether there are such tables at all; how many items are too many, the device will say. */
const takesKeys = (configuration: Configuration): boolean =>
  policiesOf(configuration.collection).every(
    (policy) => refusalOf({ ...configuration, items: 1 }, policy) === undefined,
  );

/** Maps and sets trust that keys are distinct, or do not: those are different kernels. The others are made for copies. */
const policiesOf = (collection: CollectionName): readonly Duplicates[] =>
  collection === 'map' || collection === 'set' ? ['unique', 'last'] : ['any'];

/** Builds and rebuilds, and checks all answers after each. */
async function buildTwice(gpu: Gpu, workload: Workload, configuration: Configuration): Promise<void> {
  for (const duplicates of policiesOf(configuration.collection)) {
    const collection = await buildCollection(gpu, workload, { ...configuration, duplicates });
    try {
      throwIfAny(await faultsOf(collection, workload), `built with duplicates '${duplicates}'`);
      if (isBuiltOnHost(configuration)) await rebuild(collection, workload);
      else await gpu.run((encoder) => encodeRebuild(encoder, collection, workload));
      await collection.settle();
      throwIfAny(await faultsOf(collection, workload), `rebuilt with duplicates '${duplicates}'`);
    } finally {
      collection.destroy();
    }
  }
}

function throwIfAny(faults: readonly string[], when: string): void {
  if (faults.length > 0) throw new Error(`${when}: ${faults.join('; ')}`);
}
