/** The judge of the workload's answers. */
import { wordsType } from '../src/keys/index.ts';
import { type Binding, type Kernel, storage, uniform, wgsl } from '../src/wgsl/index.ts';
import { parameters, queryOf, valueFor } from './generators.ts';
import { tallyKernel } from './tally.ts';

/** Answers to judge; those that are missing are not looked at. */
export interface Answers {
  /** The value of every query, or the word that stands for "missing". */
  readonly values?: GPUBuffer;
  /** 1 or 0 for every query. */
  readonly found?: GPUBuffer;
}

export interface CheckKernel {
  readonly kernel: Kernel;
  /** Whether the keys are expected to be found, and the word that stands for "missing". */
  readonly expectation: Binding;
  readonly queries: Binding;
  readonly values: Binding;
  readonly found: Binding;
}

/**
 * The kernel that judges answers about keys of that many words. It derives every query again, so a query buffer that
 * was never filled, or filled with other keys, counts as wrong too.
 */
export function checkKernel(words: number, given: Answers): CheckKernel {
  const expectation = uniform('expectation', 'vec2u');
  const queries = storage('queries', wgsl`array<${wordsType(words)}>`);
  const values = storage('values', 'array<u32>');
  const found = storage('found', 'array<u32>');
  const checkFound = wgsl`isRight &= ${found}[item] == u32(isPresent);`;
  const checkValue = wgsl`isRight &= ${values}[item] == select(${expectation}.y, ${valueFor(words)}(key), isPresent);`;
  return {
    expectation,
    queries,
    values,
    found,
    kernel: tallyKernel(
      'answers',
      wgsl`${parameters}.items`,
      wgsl`
    let key = ${queryOf(words)}(item);
    let isPresent = ${expectation}.x == 1u;
    isRight = ${words === 1 ? wgsl`key == ${queries}[item]` : wgsl`all(key == ${queries}[item])`};
    ${given.found ? checkFound : ''}
    ${given.values ? checkValue : ''}`,
    ),
  };
}
