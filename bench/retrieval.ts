/** Retrieving the values of keys that occur several times: of as many keys as there are different ones, so that about as many values come out as there are items. */
import type { MultiMap, Target } from '../src/index.ts';
import { wordAt, wordsArray, wordsOf } from '../src/keys/index.ts';
import { join, storage, wgsl } from '../src/wgsl/index.ts';
import { indexAt, once, PRESENT, parameters, valueAt } from './generators.ts';
import { tally, tallyKernel } from './tally.ts';
import type { Workload } from './workload.ts';

const totalOf = ({ workspace }: Workload): GPUBuffer => workspace.scratch('retrieval/total', 4);

/** Records a retrieval of the values of the first queries. */
export function encodeRetrieval(target: Target, map: MultiMap<unknown>, workload: Workload): void {
  const { needles, answers, distinct } = workload;
  const { values, found: offsets } = answers;
  map.encodeRetrieve(target, { ...needles, count: distinct, offsets, values, total: { buffer: totalOf(workload) } });
}

const offsets = storage('offsets', 'array<u32>');
const total = storage('total', 'u32');

/** Looks whether every query has as many values as its key has copies, and whether all of them are right. */
const retrievalCheck = once((valueWords: number) => {
  const values = wordsArray('values', valueWords);
  const isValue = wordsOf(valueWords, 'expected').map(
    (word, i) => wgsl`${wordAt(valueWords, wgsl`${values}[at]`, i)} == ${word}`,
  );
  const program = tallyKernel(
    'retrieval',
    wgsl`${parameters}.distinct`,
    wgsl`
    let index = ${indexAt}(item);
    let copies = (${parameters}.items - index + ${parameters}.distinct - 1u) / ${parameters}.distinct;
    let begin = ${offsets}[item];
    let end = select(${total}, ${offsets}[item + 1u], item + 1u < ${parameters}.distinct);
    isRight = end - begin == copies;
    let expected = ${valueAt(valueWords)}(index);
    // The last queries may have found no room.
    for (var at = begin; at < min(min(end, begin + copies), ${parameters}.items); at++) { isRight &= ${join(isValue, ' && ')}; }`,
  );
  return { program, values };
});

/** What is wrong with the values that `encodeRetrieval` had written; undefined if nothing is. */
export async function retrievalFault(workload: Workload): Promise<string | undefined> {
  const { gpu, answers, distinct, value } = workload;
  const check = retrievalCheck(value.words);
  const bound = [
    [parameters, workload.parameters(PRESENT)],
    [check.values, answers.values],
    [offsets, answers.found],
    [total, totalOf(workload)],
  ] as const;
  const { wrong, first } = await tally(gpu, check.program, bound, distinct);
  return wrong === 0 ? undefined : `${wrong} of ${distinct} retrievals are wrong, first at position ${first}`;
}
