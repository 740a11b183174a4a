import { type Collection, HashMap, type Target } from '../src/index.ts';
import type { Answers } from './checker.ts';
import type { QueryKind } from './generators.ts';
import { MISSING, type Workload } from './workload.ts';

/** Records what `hit` and `miss` measure: the search for the values of a map, or for presence in a set. */
export function encodeSearch(target: Target, collection: Collection<unknown>, workload: Workload): void {
  const { queries, answers, items: count } = workload;
  const { values, found } = answers;
  if (collection instanceof HashMap) collection.encodeGet(target, { queries, values, missing: MISSING, count });
  else collection.encodeHas(target, { queries, found, count });
}

/** What is wrong with the answers that `encodeSearch` had written; undefined if nothing is. */
export function searchFault(
  collection: Collection<unknown>,
  workload: Workload,
  kind: QueryKind,
): Promise<string | undefined> {
  const { values, found } = workload.answers;
  return describeFault(workload, kind, collection instanceof HashMap ? { values } : { found });
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
  const isMap = collection instanceof HashMap;
  await gpu.run((encoder) => {
    if (isMap) collection.encodeGet(encoder, { queries, values, found, missing: MISSING, count });
    else collection.encodeHas(encoder, { queries, found, count });
  });
  return describeFault(workload, kind, isMap ? { values, found } : { found });
}

async function describeFault(workload: Workload, kind: QueryKind, answers: Answers): Promise<string | undefined> {
  const { wrong, first } = await workload.judge(kind, answers);
  if (wrong === 0) return undefined;
  return `${wrong} of ${workload.items} searches for ${kind} keys have a wrong answer, first at position ${first}`;
}

/** Checks size, all present keys and as many absent ones. */
export async function faultsOf(collection: Collection<unknown>, workload: Workload): Promise<string[]> {
  const size =
    collection.size === workload.items
      ? undefined
      : `the table holds ${collection.size} keys of ${workload.items} distinct ones`;
  const faults = [size, await faultOf(collection, workload, 'present'), await faultOf(collection, workload, 'absent')];
  return faults.filter((fault) => fault !== undefined);
}
