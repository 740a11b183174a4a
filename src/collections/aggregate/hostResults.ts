/** Results on the host face: keys from an array, answers into an array for each column. */
import { requireMembers, type Signal } from '../../gpu/index.ts';
import { hostCall } from '../../primitives/hostCall.ts';
import { putAnswers } from '../../table/hostLookup.wgsl.ts';
import type { NeedlePart } from '../../table/needles.ts';
import type { ValueArray } from '../../table/values.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { intoArray, requireMemoryApart, wordsIn } from '../into.ts';
import type { Aggregate } from './aggregate.ts';
import type { ResultColumns } from './columns.ts';
import type { BuffersOf, Results } from './options.ts';

/** Where answers go. */
interface ResultAnswers {
  /** An array for each column. */
  readonly values: readonly ValueArray[];
  readonly found: Uint8Array<ArrayBuffer>;
  /** The words of the values. */
  readonly words: readonly Uint32Array[];
  /** Says when nobody wants them any more: the arrays are left alone then. */
  readonly signal?: Signal | undefined;
}

/** The caller's arrays, or new ones, for the results of so many keys. */
export function intoResults(
  columns: ResultColumns,
  into: { readonly values?: unknown; readonly found?: Uint8Array<ArrayBuffer> } = {},
  count: number,
): ResultAnswers {
  requireMembers(into, 'into', ['values', 'found']);
  const given = into.values === undefined ? [] : columns.split(into.values as ValueArray, 'into.values');
  const named = columns.all.map(({ name, combiner: { result } }, i) => {
    const { array } = result.scalar;
    const called = columns.areNamed ? `into.values.${name}` : 'into.values';
    const length = (count * result.words * WORD_BYTES) / array.BYTES_PER_ELEMENT;
    return [called, intoArray<ValueArray>(given[i], called, array, length)] as const;
  });
  const found = intoArray(into.found, 'into.found', Uint8Array, count);
  requireMemoryApart([...named, ['into.found', found]]);
  const values = named.map(([, array]) => array);
  return { values, found, words: values.map(wordsIn) };
}

/** Searches for the results of some keys, and puts the answers where they belong. */
export async function getResults<K, R extends Results>(
  aggregate: Aggregate<K, R>,
  columns: ResultColumns,
  { words: queries, first, count, context }: NeedlePart,
  missing: number,
  answers: ResultAnswers,
): Promise<void> {
  const names = columns.all.map(({ name }) => `of ${name}`);
  const rooms = Object.fromEntries(columns.all.map(({ combiner }, i) => [names[i], count * combiner.result.words]));
  const read = await hostCall<Record<string, ArrayBufferView | number>, string>(aggregate.gpu, {
    label: 'aggregate/get',
    buffers: { queries, found: count, ...rooms },
    record: (encoder, io) => {
      const values = columns.joined(names.map((name) => io[name])) as BuffersOf<R>;
      const { queries, found } = io as { queries: GPUBuffer; found: GPUBuffer };
      aggregate.encodeGet(encoder, { queries, found, values, count, missing, context });
    },
    read: ['found', ...names],
  });
  if (answers.signal?.aborted) return;
  putAnswers(answers.found, new Uint8Array(read.found as Uint32Array), first);
  for (const [i, { combiner }] of columns.all.entries()) {
    const part = read[names[i] as string] as Uint32Array;
    putAnswers(answers.words[i] as Uint32Array, part, first * combiner.result.words);
  }
}
