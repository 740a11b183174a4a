/** Tables and primitives of any size, built from the workload and judged on the GPU: the large part of the self-test. */
import { type Gpu, type KeyType, type SchemeName, schemes, u32, u64 } from '../src/index.ts';
import { buildCollection, encodeRebuild } from './benchmark.ts';
import { COLLECTIONS, type CollectionName } from './configurations.ts';
import { primitiveTests } from './primitiveTests.ts';
import { faultsOf } from './verify.ts';
import type { Workload } from './workload.ts';

/** Something that is made from a workload and judged on the GPU. */
export interface SizeTest {
  readonly name: string;
  /** Throws what is wrong. */
  run(gpu: Gpu, workload: Workload): Promise<void>;
}

export const SELFTEST_KEYS: readonly KeyType[] = [u32, u64];

/** Every scheme under every collection, and every primitive. */
export const sizeTests = (items: number, key: KeyType): SizeTest[] => [
  ...(key === u32 ? primitiveTests(items) : []),
  ...tableTests(items, key),
];

const tableTests = (items: number, key: KeyType): SizeTest[] =>
  (Object.keys(schemes) as SchemeName[]).flatMap((scheme) =>
    COLLECTIONS.map((collection) => ({
      name: `${scheme} ${collection} ${key.name} ${items}`,
      run: (gpu, workload) => buildTwice(gpu, workload, { scheme, collection, key }),
    })),
  );

/**
 * Builds and rebuilds, and checks all answers after each. The first map or set trusts that keys are distinct, the second
 * does not: those are different kernels.
 */
async function buildTwice(
  gpu: Gpu,
  workload: Workload,
  what: { readonly scheme: SchemeName; readonly collection: CollectionName; readonly key: KeyType },
): Promise<void> {
  const { collection: kind, key } = what;
  // The others have no policy: they are made for copies.
  const policies = kind === 'map' || kind === 'set' ? (['unique', 'last'] as const) : (['any'] as const);
  for (const duplicates of policies) {
    const collection = await buildCollection(gpu, workload, {
      collection: kind,
      key,
      scheme: schemes[what.scheme](),
      duplicates,
    });
    try {
      throwIfAny(await faultsOf(collection, workload), `built with duplicates '${duplicates}'`);
      await gpu.run((encoder) => encodeRebuild(encoder, collection, workload));
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
