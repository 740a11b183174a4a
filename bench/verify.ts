import { Aggregate, type Collection, HashMap, KeyIndex, MultiMap, type Target } from '../src/index.ts';
import { type Answers, MISSING } from './checker.ts';
import { ABSENT, PRESENT, type Queries } from './generators.ts';
import type { Workload } from './workload.ts';

/** Queries, and where the answers go. */
type Asked = Pick<Workload, 'needles' | 'answers' | 'value'>;

/** Those whose searches give a value that follows from the key, so that the judge knows it. */
const givesValues = (collection: Collection<unknown>) =>
  collection instanceof HashMap || collection instanceof Aggregate;

/** Records a search of such a collection, with found flags or without. */
function encodeGet(
  target: Target,
  collection: HashMap<unknown> | Aggregate<unknown>,
  { needles, answers: { values }, value }: Asked,
  found?: GPUBuffer,
): void {
  const io = { ...needles, values, ...(found && { found }) };
  // One number for a whole value, or one for each of its words.
  const isOneNumber = collection instanceof HashMap && value.name === 'u64';
  const missing = isOneNumber ? (BigInt(MISSING) << 32n) | BigInt(MISSING) : MISSING;
  collection.encodeGet(target, { ...io, missing: missing as number });
}

/** Records a search for all queries: values of a map, results, ids, numbers of values, or presence in a set. */
export function encodeSearch(target: Target, collection: Collection<unknown>, workload: Asked): void {
  const { needles, answers } = workload;
  if (givesValues(collection)) encodeGet(target, collection, workload);
  else if (collection instanceof KeyIndex) collection.encodeIds(target, { ...needles, ids: answers.values });
  else if (collection instanceof MultiMap) collection.encodeCount(target, { ...needles, counts: answers.values });
  else encodeMembership(target, collection, workload);
}

/** Records a search that tells for every query whether it is there, and nothing else. */
export function encodeMembership(target: Target, collection: Collection<unknown>, workload: Asked): void {
  collection.encodeHas(target, { ...workload.needles, found: workload.answers.found });
}

/** What is wrong with the answers that `encodeSearch` had written; undefined if nothing is. */
export function searchFault(
  collection: Collection<unknown>,
  workload: Workload,
  queries: Queries,
): Promise<string | undefined> {
  const { values, found } = workload.answers;
  // Ids and numbers of values do not follow from the key; `faultOf` checks them in a roundabout way.
  const isUnknown = collection instanceof KeyIndex || collection instanceof MultiMap;
  return describeFault(workload, queries, givesValues(collection) ? { values } : isUnknown ? {} : { found });
}

/** What is wrong with the answers that `encodeMembership` had written; undefined if nothing is. */
export const membershipFault = (workload: Workload, queries: Queries): Promise<string | undefined> =>
  describeFault(workload, queries, { found: workload.answers.found });

/** Searches for all keys, or for none of them, and says what is wrong with the answers; undefined if nothing is. */
async function faultOf(
  collection: Collection<unknown>,
  workload: Workload,
  asked: Queries,
): Promise<string | undefined> {
  const { gpu, answers } = workload;
  const { values, found } = answers;
  await workload.ask(asked);
  if (collection instanceof MultiMap && asked === PRESENT && workload.distinct === workload.items) {
    return retrieveFault(collection, workload);
  }
  if (collection instanceof KeyIndex && asked === PRESENT) return thereAndBackFault(collection, workload);
  await gpu.run((encoder) => {
    if (givesValues(collection)) encodeGet(encoder, collection, workload, found);
    else encodeMembership(encoder, collection, workload);
  });
  return describeFault(workload, asked, givesValues(collection) ? { values, found } : { found });
}

/** From keys to ids and back: the judge notices queries that are not what they were. */
async function thereAndBackFault(index: KeyIndex<unknown>, workload: Workload): Promise<string | undefined> {
  const { needles, answers, queries, items: count, context, gpu } = workload;
  const { values: ids, found } = answers;
  await gpu.run((encoder) => {
    index.encodeIds(encoder, { ...needles, ids, found });
    index.encodeKeysOf(encoder, { ids, keys: queries, count });
  });
  return describeFault(workload, PRESENT, { found }, context);
}

/** Where every key occurs once, the values of all queries in a row are those of a map. */
async function retrieveFault(map: MultiMap<unknown>, workload: Workload): Promise<string | undefined> {
  const { needles, answers, gpu } = workload;
  const { values, found: offsets } = answers;
  const [total] = (await gpu.allocate([{ label: 'verify/total', bytes: 4 }])) as [GPUBuffer];
  const call = { ...needles, offsets, values, total: { buffer: total } };
  await gpu.run((encoder) => map.encodeRetrieve(encoder, call)).finally(() => total.destroy());
  return describeFault(workload, PRESENT, { values });
}

async function describeFault(
  workload: Workload,
  asked: Queries,
  answers: Answers,
  queryContext = workload.queryContext,
): Promise<string | undefined> {
  const { wrong, first } = await workload.judge(asked, answers, queryContext);
  if (wrong === 0) return undefined;
  return `${wrong} of ${workload.items} searches for ${describeQueries(asked)} keys have a wrong answer, first at position ${first}`;
}

const describeQueries = ({ absent, order }: Queries): string => {
  const kind = absent === 0 ? 'present' : absent === 1 ? 'absent' : `${absent} absent`;
  return order === 'shuffled' ? kind : `${order} ${kind}`;
};

/** Checks size, all present keys and as many absent ones. */
export async function faultsOf(collection: Collection<unknown>, workload: Workload): Promise<string[]> {
  const size =
    collection.size === workload.distinct
      ? undefined
      : `the table holds ${collection.size} keys of ${workload.distinct} distinct ones`;
  const faults = [size, await faultOf(collection, workload, PRESENT), await faultOf(collection, workload, ABSENT)];
  return faults.filter((fault) => fault !== undefined);
}
