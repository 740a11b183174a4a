/** What collections that live must answer: plain maps from keys to the words of their values. */
import { equal, isTrue } from '../conformance/expect.ts';
import { type Key, type Keys, keyKinds } from '../conformance/keyKinds.ts';
import { type ItemsOf, keysOf } from './items.ts';
import type { Existing, LivingShape } from './livingHistory.ts';
import type { Answer, Items } from './oracle.ts';

/** The words of a value by its key; of a set and of an index, none. */
export type LivingContents = ReadonlyMap<Key, readonly number[]>;

/** Words of a value of this shape, without ids. */
const valueWordsOf = ({ collection, valueWords }: LivingShape): number =>
  collection === 'dynamicMap' ? valueWords : 0;

/** The items of a step. Who says that keys are unique keeps that promise. */
export function batchOf(shape: LivingShape, made: ItemsOf, unique = false): Items {
  const all = keysOf(keyKinds[shape.kind], made);
  const keys = unique ? [...new Set(all)] : all;
  const words = keys.length * valueWordsOf(shape);
  return { keys, values: Uint32Array.from({ length: words }, (_, i) => Math.imul(i + made.seed, 0x9e37_79b1)) };
}

const COMBINE: Readonly<Record<Existing, (old: number, now: number) => number>> = {
  replace: (_, now) => now,
  keep: (old) => old,
  sum: (old, now) => (old + now) >>> 0,
  min: Math.min,
  max: Math.max,
  xor: (old, now) => (old ^ now) >>> 0,
};

/** Only values of one word are combined. */
export const existingOf = (shape: LivingShape, wanted: Existing): Existing =>
  valueWordsOf(shape) === 1 || wanted === 'keep' ? wanted : 'replace';

/** The contents after items were put in one after the other. */
export function withItems(
  shape: LivingShape,
  contents: LivingContents,
  { keys, values }: Items,
  onExisting: Existing,
): LivingContents {
  const words = valueWordsOf(shape);
  const after = new Map(contents);
  for (const [i, key] of keys.entries()) {
    const now = [...values.subarray(i * words, (i + 1) * words)];
    const old = after.get(key);
    after.set(key, old ? old.map((word, at) => COMBINE[onExisting](word, now[at] as number)) : now);
  }
  return after;
}

export function withoutKeys(contents: LivingContents, keys: Keys): LivingContents {
  const after = new Map(contents);
  for (const key of keys) after.delete(key);
  return after;
}

/** Which keys are there: 1 or 0. */
export const areThere = (contents: LivingContents, keys: Keys): number[] =>
  keys.map((key) => Number(contents.has(key)));

/** Throws unless all answers are right. */
export function checkFound(contents: LivingContents, queries: Keys, answers: readonly Answer[]): void {
  equal(answers.length, queries.length, 'number of answers');
  for (const [i, query] of queries.entries()) {
    const [right, got] = [contents.get(query), answers[i]].map((words) => (words ? `[${words.join()}]` : 'nothing'));
    isTrue(right === got, `query ${i}, key ${query}, is answered by ${right}, not ${got}`);
  }
}

/** Whether both have the same keys and values. */
export function areSame(a: LivingContents, b: LivingContents): boolean {
  if (a.size !== b.size) return false;
  for (const [key, words] of a) if (b.get(key)?.join() !== words.join()) return false;
  return true;
}

/** Which ids keys have. A key keeps its id until it is gone, and no two have the same. */
export class KnownIds {
  #ids = new Map<Key, number>();

  /** Throws unless these keys, which are there, may have these ids. */
  learn(keys: Keys, ids: ArrayLike<number>, limit: number): void {
    const holders = new Map([...this.#ids].map(([key, id]) => [id, key]));
    for (const [i, key] of keys.entries()) {
      const id = ids[i] as number;
      isTrue(id < limit, `id ${id} of key ${key} is below ${limit}`);
      isTrue((this.#ids.get(key) ?? id) === id, `key ${key} keeps its id ${this.#ids.get(key)}, and has not ${id}`);
      isTrue((holders.get(id) ?? key) === key, `id ${id} has one key, not both ${holders.get(id)} and ${key}`);
      this.#ids.set(key, id);
      holders.set(id, key);
    }
  }

  /** Forgets the ids of keys that are gone. */
  keepOnly(contents: LivingContents): void {
    for (const key of this.#ids.keys()) if (!contents.has(key)) this.#ids.delete(key);
  }
}
