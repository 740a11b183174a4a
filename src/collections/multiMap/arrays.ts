/** The arrays by id of a multi-map: where the values of each key begin and end, and the values. */
import type { Source } from '../../table/source.ts';
import type { ValueType } from '../../table/values.ts';
import type { Along, Construction } from '../keyIndex/build.ts';
import type { ArraysById } from '../onIndex.ts';

/** Words an id: where its values begin, and where they end. */
export const BOUND_WORDS = 2;

/** One of the arrays, with room for at least so many bytes. */
export const arrayIn = ({ arrays }: ArraysById, name: 'values' | 'bounds', bytes: number): GPUBuffer =>
  arrays.scratch(`multiMap/${name}`, bytes);

/** The values, where the index is constructed by a sort that takes them along. */
export const alongOf = (
  { construction }: { readonly construction: Construction },
  own: ArraysById,
  source: Source,
  { words }: ValueType,
): Along | undefined =>
  construction === 'sort' ? own.along(source, words, (own, bytes) => arrayIn(own, 'values', bytes)) : undefined;

/** Words of the widest array, for each item. */
export const wordsPerItem = ({ words }: ValueType): number => Math.max(BOUND_WORDS, words);
