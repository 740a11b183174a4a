/** The judge of the workload's answers. */
import { type KeysView, keysView, wordAt, wordsArray, wordsOf } from '../src/keys/index.ts';
import { type Binding, join, type Kernel, storage, wgsl } from '../src/wgsl/index.ts';
import { indexAt, parameters, type QueryOrder, valueAt } from './generators.ts';
import type { KeyMaker } from './keyMaker.ts';
import { tallyKernel } from './tally.ts';

/** What every word of an answer about an absent key is to be: no zero, which a buffer may hold by accident. */
export const MISSING = 0xdeadbeef;

/** Answers to judge; those that are missing are not looked at. */
export interface Answers {
  /** The value of every query, or the words that stand for "missing". */
  readonly values?: GPUBuffer;
  /** 1 or 0 for every query. */
  readonly found?: GPUBuffer;
}

export interface CheckKernel {
  readonly kernel: Kernel;
  /** The index of every query, for sorted ones. */
  readonly indices: Binding;
  readonly queries: KeysView;
  readonly values: Binding;
  readonly found: Binding;
}

/**
 * The kernel that judges answers about such keys. It derives every query again, so a query buffer that was never filled,
 * or filled with other keys, counts as wrong too. Where queries are sorted, which index stands where is told by a buffer; the order is judged as well.
 */
export function checkKernel(
  { type, isKeyOf }: KeyMaker,
  valueWords: number,
  given: Answers,
  order: QueryOrder,
): CheckKernel {
  const indices = storage('indices', 'array<u32>');
  const queries = keysView(type, 'needle', 'queries');
  const values = wordsArray('values', valueWords);
  const found = storage('found', 'array<u32>');
  const checkFound = wgsl`isRight &= ${found}[item] == u32(isPresent);`;
  const checkValue = wgsl`
    let value = ${values}[item];
    let expected = ${valueAt(valueWords)}(index);
    isRight &= ${join(
      wordsOf(valueWords, 'value').map(
        (word, i) => wgsl`${word} == select(${MISSING}u, ${wordAt(valueWords, 'expected', i)}, isPresent)`,
      ),
      ' && ',
    )};`;
  return {
    indices,
    queries,
    values,
    found,
    kernel: tallyKernel(
      'answers',
      wgsl`${parameters}.items`,
      wgsl`
    let index = ${order === 'sorted' ? wgsl`${indices}[item]` : wgsl`${indexAt}(item)`};
    let isPresent = index < ${parameters}.items;
    isRight = ${isKeyOf(queries.access.context)}(index, ${queries.stored('item')});
    ${order === 'sorted' ? wgsl`isRight &= item == 0u || ${queries.stored('item - 1u')} <= ${queries.stored('item')};` : ''}
    ${given.found ? checkFound : ''}
    ${given.values ? checkValue : ''}`,
    ),
  };
}
