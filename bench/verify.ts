import { Aggregate, type Collection, HashMap, KeyIndex, MultiMap, type Target } from '../src/index.ts';
import type { Answers } from './checker.ts';
import type { QueryKind } from './generators.ts';
import { MISSING, type Workload } from './workload.ts';

/** Those whose searches give a value that follows from the key, so that the judge knows it. */
const givesValues = (collection: Collection<unknown>) =>
  collection instanceof HashMap || collection instanceof Aggregate;

/** Records what `hit` and `miss` measure: values of a map, results, ids, numbers of values, or presence in a set. */
export function encodeSearch(target: Target, collection: Collection<unknown>, workload: Workload): void {
  const { queries, answers, items: count } = workload;
  const { values, found } = answers;
  if (givesValues(collection)) collection.encodeGet(target, { queries, values, missing: MISSING, count });
  else if (collection instanceof KeyIndex) collection.encodeIds(target, { queries, ids: values, count });
  else if (collection instanceof MultiMap) collection.encodeCount(target, { queries, counts: values, count });
  else collection.encodeHas(target, { queries, found, count });
}

/** What is wrong with the answers that `encodeSearch` had written; undefined if nothing is. */
export function searchFault(
  collection: Collection<unknown>,
  workload: Workload,
  kind: QueryKind,
): Promise<string | undefined> {
  const { values, found } = workload.answers;
  // Ids and numbers of values do not follow from the key; `faultOf` checks them in a roundabout way.
  const isUnknown = collection instanceof KeyIndex || collection instanceof MultiMap;
  return describeFault(workload, kind, givesValues(collection) ? { values } : isUnknown ? {} : { found });
}

/** Searches for all keys of one kind and says what is wrong with the answers; undefined if nothing is. */
export async function faultOf(
  collection: Collection<unknown>,
  workload: Workload,
  kind: QueryKind,
): Promise<string | undefined> {
  const { queries, answers, items: count, gpu } = workload;
  const { values, found } = answers;
  await workload.ask(kind);
  if (collection instanceof MultiMap && kind === 'present' && workload.distinct === count) {
    return retrieveFault(collection, workload);
  }
  await gpu.run((encoder) => {
    if (givesValues(collection)) collection.encodeGet(encoder, { queries, values, found, missing: MISSING, count });
    else if (collection instanceof KeyIndex) {
      collection.encodeIds(encoder, { queries, ids: values, found, count });
      // There and back: the judge notices queries that are not what they were.
      if (kind === 'present') collection.encodeKeysOf(encoder, { ids: values, keys: queries, count });
    } else collection.encodeHas(encoder, { queries, found, count });
  });
  return describeFault(workload, kind, givesValues(collection) ? { values, found } : { found });
}

/** Where every key occurs once, the values of all queries in a row are those of a map. */
async function retrieveFault(map: MultiMap<unknown>, workload: Workload): Promise<string | undefined> {
  const { queries, answers, items: count, gpu } = workload;
  const { values, found: offsets } = answers;
  const [total] = (await gpu.allocate([{ label: 'verify/total', bytes: 4 }])) as [GPUBuffer];
  const call = { queries, offsets, values, total: { buffer: total }, count };
  await gpu.run((encoder) => map.encodeRetrieve(encoder, call)).finally(() => total.destroy());
  return describeFault(workload, 'present', { values });
}

async function describeFault(workload: Workload, kind: QueryKind, answers: Answers): Promise<string | undefined> {
  const { wrong, first } = await workload.judge(kind, answers);
  if (wrong === 0) return undefined;
  return `${wrong} of ${workload.items} searches for ${kind} keys have a wrong answer, first at position ${first}`;
}

/** Checks size, all present keys and as many absent ones. */
export async function faultsOf(collection: Collection<unknown>, workload: Workload): Promise<string[]> {
  const size =
    collection.size === workload.distinct
      ? undefined
      : `the table holds ${collection.size} keys of ${workload.distinct} distinct ones`;
  const faults = [size, await faultOf(collection, workload, 'present'), await faultOf(collection, workload, 'absent')];
  return faults.filter((fault) => fault !== undefined);
}
