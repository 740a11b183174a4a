/** What tables must answer: plain maps from keys to all values that they came with. */
import type { HashnestError } from '../../src/gpu/index.ts';
import { equal, isTrue } from '../conformance/expect.ts';
import { type Key, type Keys, keyKinds } from '../conformance/keyKinds.ts';
import type { Shape } from './builtHistory.ts';
import { type ItemsOf, keysOf } from './items.ts';

/** Items as they go into a table. */
export interface Items {
  readonly keys: Keys;
  /** As many words an item as the shape says. */
  readonly values: Uint32Array<ArrayBuffer>;
}

/** All values of every key, in the order of the input; a value is its words. */
export type Contents = ReadonlyMap<Key, readonly (readonly number[])[]>;

/** What a table says of one key: the words of its values, or undefined if the key is not there. */
export type Answer = readonly number[] | undefined;

/** Words of a value of this shape. */
export const wordsOf = ({ collection, valueWords }: Shape): number =>
  collection === 'map' || collection === 'multiMap' ? valueWords : 1;

/** The items of a step. With `'unique'` the caller promises that keys are distinct, and keeps it. */
export function itemsOf(shape: Shape, made: ItemsOf): Items {
  const all = keysOf(keyKinds[shape.kind], made);
  const isMap = shape.collection === 'map' || shape.collection === 'set';
  const keys = isMap && shape.duplicates === 'unique' ? [...new Set(all)] : all;
  const words = keys.length * wordsOf(shape);
  return { keys, values: Uint32Array.from({ length: words }, (_, i) => Math.imul(i + made.seed, 0x9e37_79b1)) };
}

export function contentsOf(shape: Shape, { keys, values }: Items): Contents {
  const words = wordsOf(shape);
  const contents = new Map<Key, number[][]>();
  for (const [i, key] of keys.entries()) {
    const own = contents.get(key) ?? [];
    own.push([...values.subarray(i * words, (i + 1) * words)]);
    contents.set(key, own);
  }
  return contents;
}

/** Whether a table of this shape refuses the items for their copies. */
export const refusesCopies = ({ collection, duplicates }: Shape, { keys }: Items): boolean =>
  (collection === 'map' || collection === 'set') && duplicates === 'error' && new Set(keys).size < keys.length;

/** Every answer that is right for a key that came with these values. */
function rightAnswers(shape: Shape, values: readonly (readonly number[])[] | undefined): readonly Answer[] {
  if (!values) return [undefined];
  const one = values.map(([word = 0]) => word);
  switch (shape.collection) {
    case 'set':
    case 'keyIndex':
      return [[]];
    case 'map':
      if (shape.duplicates === 'first') return values.slice(0, 1);
      return shape.duplicates === 'last' ? values.slice(-1) : values;
    case 'multiMap':
      return [inOrder(shape, values)];
    case 'aggregate':
      return [
        [
          {
            count: one.length,
            sum: one.reduce((sum, value) => (sum + value) >>> 0, 0),
            min: Math.min(...one),
            max: Math.max(...one),
          }[shape.combine],
        ],
      ];
  }
}

/** The words of values, in an order that both sides have: where a table may give any, by their words. */
export const inOrder = ({ order }: Shape, values: readonly (readonly number[])[]): number[] =>
  (order === 'any' ? values.toSorted((a, b) => (a.join() < b.join() ? -1 : 1)) : values).flat();

/** Throws unless all answers are right. */
export function checkAnswers(shape: Shape, contents: Contents, queries: Keys, answers: readonly Answer[]): void {
  isTrue(answers.length === queries.length, `there are ${queries.length} answers, not ${answers.length}`);
  for (const [i, query] of queries.entries()) {
    const right = rightAnswers(shape, contents.get(query));
    const [wanted, got] = [right.map(spelled), spelled(answers[i])];
    isTrue(wanted.includes(got), `query ${i}, key ${query}, is answered by ${wanted.join(' or ')}, not ${got}`);
  }
}

const spelled = (answer: Answer): string => (answer === undefined ? 'nothing' : `[${answer.join()}]`);

/** Passes if it does for one of the contents; throws what is wrong with the last of them. */
export function forOneOf(contents: readonly Contents[], check: (contents: Contents) => void): void {
  let wrong: unknown;
  for (const one of contents) {
    try {
      check(one);
      return;
    } catch (error) {
      wrong = error;
    }
  }
  throw wrong;
}

/** Shaders add up the values of a multi-map, word by word. */
export function checkSums(contents: Contents, queries: Keys, answers: readonly Answer[]): void {
  for (const [i, query] of queries.entries()) {
    const values = contents.get(query);
    const sums = values?.reduce((sum, value) => sum.map((word, at) => (word + (value[at] as number)) >>> 0));
    equal(answers[i]?.join(), sums?.join(), `the sum of the values of query ${i}`);
  }
}

/** An error about copies names one. */
export function namesCopy(error: HashnestError, { keys }: Items): void {
  const { index } = error as HashnestError & { readonly index: number };
  isTrue(keys.filter((key) => key === keys[index]).length > 1, `item ${index}, which is named, is a copy`);
}
