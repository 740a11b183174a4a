/** The judge of the workload's answers. */
import { type KeysView, keysView, wordAt, wordsArray, wordsOf } from '../src/keys/index.ts';
import { type Binding, join, type Kernel, storage, uniform, wgsl } from '../src/wgsl/index.ts';
import { indexAt, parameters, valueAt } from './generators.ts';
import type { KeyMaker } from './keyMaker.ts';
import { tallyKernel } from './tally.ts';

/** Answers to judge; those that are missing are not looked at. */
export interface Answers {
  /** The value of every query, or the words that stand for "missing". */
  readonly values?: GPUBuffer;
  /** 1 or 0 for every query. */
  readonly found?: GPUBuffer;
}

export interface CheckKernel {
  readonly kernel: Kernel;
  /** Whether the keys are expected to be found, and the word that stands for "missing". */
  readonly expectation: Binding;
  readonly queries: KeysView;
  readonly values: Binding;
  readonly found: Binding;
}

/**
 * The kernel that judges answers about such keys. It derives every query again, so a query buffer that was never filled,
 * or filled with other keys, counts as wrong too.
 */
export function checkKernel({ type, isKeyOf }: KeyMaker, valueWords: number, given: Answers): CheckKernel {
  const expectation = uniform('expectation', 'vec2u');
  const queries = keysView(type, 'needle', 'queries');
  const values = wordsArray('values', valueWords);
  const found = storage('found', 'array<u32>');
  const checkFound = wgsl`isRight &= ${found}[item] == u32(isPresent);`;
  const checkValue = wgsl`
    let value = ${values}[item];
    let expected = ${valueAt(valueWords)}(index);
    isRight &= ${join(
      wordsOf(valueWords, 'value').map(
        (word, i) => wgsl`${word} == select(${expectation}.y, ${wordAt(valueWords, 'expected', i)}, isPresent)`,
      ),
      ' && ',
    )};`;
  return {
    expectation,
    queries,
    values,
    found,
    kernel: tallyKernel(
      'answers',
      wgsl`${parameters}.items`,
      wgsl`
    let index = ${indexAt}(item);
    let isPresent = ${expectation}.x == 1u;
    isRight = ${isKeyOf(queries.access.context)}(index, ${queries.stored('item')});
    ${given.found ? checkFound : ''}
    ${given.values ? checkValue : ''}`,
    ),
  };
}
