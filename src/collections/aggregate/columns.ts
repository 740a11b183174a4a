/** What an aggregate keeps for every key: one result, or several by name. */
import {
  InvalidInputError,
  isBuffer,
  refuse,
  requireMembers,
  requireOptions,
  UnsupportedError,
} from '../../gpu/index.ts';
import type { GivenColumn } from '../../table/source.ts';
import { decodeValues, inferValueType, type ValueArray, type ValueType, wordsOfValue } from '../../table/values.ts';
import { valuesOfType, valueTypeOfPlain } from '../plain.ts';
import { type Combiner, type CombinerName, type CustomCombiner, resolveCombiner } from './combiners.wgsl.ts';
import type { ColumnCombiner, FreshResults, GivenValues, OneResult, Results } from './options.ts';

/** A result that every key gets. */
export interface ResultColumn {
  readonly name: string;
  readonly combiner: Combiner;
  /** The values that are combined: the name of their column, and their type. Nothing for counts. */
  readonly of: string | undefined;
  readonly value: ValueType | undefined;
}

/** The name of the only result, and of the only values. */
const ONLY = 'value';
const VALUES = 'values';

/** Members of what a shader finds, which a column cannot be called. */
const TAKEN = ['found', 'slot', 'probes', 'id'];
const NAME = /^[a-zA-Z][a-zA-Z0-9_]*$/;

/** The results of an aggregate. */
export class ResultColumns {
  private constructor(
    readonly all: readonly ResultColumn[],
    /** Whether they have names: a caller passes and gets objects of columns. */
    readonly areNamed: boolean,
  ) {}

  /** What a caller asks for, after it has been checked. What has been, is taken as it is. */
  static of(values: GivenValues | undefined, types: unknown, combine: unknown): ResultColumns {
    if (combine instanceof ResultColumns) return combine;
    const typeOf = typesOf(values, types);
    const resolved = (name: string, how: unknown, of: string | undefined): ResultColumn => {
      const value = of === undefined ? undefined : typeOf(of);
      const combiner = resolveCombiner(how as CombinerName | CustomCombiner, value);
      return { name, combiner, ...(combiner.counts ? { of: undefined, value: undefined } : { of, value }) };
    };
    const only = values === undefined || isColumns(values) ? undefined : VALUES;
    if (!isNamed(combine)) {
      if (isColumns(values))
        throw new InvalidInputError('values in several columns need a combiner each: { total: { of, combine } }');
      return new ResultColumns([resolved(ONLY, combine, only)], false);
    }
    const all = Object.entries(combine).map(([name, column]) => {
      if (!NAME.test(name) || TAKEN.includes(name))
        refuse('combine: the name of a result', `a plain word, and none of ${TAKEN.join(', ')}`, name);
      if (!isOf(column)) return resolved(name, column, only);
      requireMembers(column, name, ['of', 'combine']);
      return resolved(name, column.combine, column.of);
    });
    if (all.length === 0) throw new InvalidInputError('combine: name at least one result');
    return new ResultColumns(all, true);
  }

  /** The values that these need, of those that a caller gives. */
  inputsOf(values: GivenValues | undefined): ReadonlyMap<string, GivenColumn> {
    const needed = this.all.flatMap(({ of, value }) => (of === undefined ? [] : [[of, value as ValueType] as const]));
    return new Map(
      needed.map(([name, type]) => {
        const data = isColumns(values) ? values[name] : name === VALUES ? values : undefined;
        if (data === undefined)
          throw new InvalidInputError(`there are no values to combine${name === VALUES ? '' : ` as ${name}`}`);
        return [name, { data: valuesOfType(data, type, name), words: type.words }] as const;
      }),
    );
  }

  /** Words of the widest array, for each item or key. */
  get mostWords(): number {
    return Math.max(2, ...this.all.map(({ combiner, value }) => Math.max(combiner.words, value?.words ?? 1)));
  }

  /** One thing for each column, from what a caller passes: the thing itself, or an object of them. */
  split<T>(given: T | Readonly<Record<string, T>>, argument: string): T[] {
    if (!this.areNamed) return [given as T];
    const names = this.all.map(({ name }) => name);
    requireMembers(given, argument, names);
    return names.map((name) => (given as Readonly<Record<string, T>>)[name] as T);
  }

  /** The results of words that were read, an array for each column; what else was read may follow. */
  decoded(read: readonly ArrayBuffer[]): ValueArray | Record<string, ValueArray> {
    return this.joined(
      this.all.map(({ combiner: { result } }, i) =>
        decodeValues(result.scalar as ValueType<ValueArray>, new Uint32Array(read[i] as ArrayBuffer)),
      ),
    );
  }

  /** What takes the results of one key out of those of many; throws if they are more than a number each. */
  oneOf<R extends Results>(): (results: FreshResults<R>) => (i: number) => OneResult<R> {
    const wide = this.all.find(({ combiner: { result } }) => result.words > result.scalar.words);
    if (wide) {
      const { type } = wide.combiner.result;
      throw new UnsupportedError(`${type} results do not come one by one; get() and entries() have them all`);
    }
    return (results) => {
      const arrays = this.split(results as ValueArray, 'results');
      return (i) => this.joined(arrays.map((array) => array[i])) as OneResult<R>;
    };
  }

  /** What a caller gets of one thing for each column. */
  joined<T>(things: readonly T[]): T | Record<string, T> {
    if (!this.areNamed) return things[0] as T;
    return Object.fromEntries(this.all.map(({ name }, i) => [name, things[i] as T]));
  }
}

/** One word or more for what is not there. */
export function missingWords({ combiner: { result } }: ResultColumn, missing: number): readonly number[] {
  const component = wordsOfValue(missing, result.scalar);
  return Array.from({ length: result.words / component.length }, () => component).flat();
}

/** Whether values are in columns with names. */
export const isColumns = (values: unknown): values is Readonly<Record<string, unknown>> =>
  typeof values === 'object' &&
  values !== null &&
  !Array.isArray(values) &&
  !ArrayBuffer.isView(values) &&
  !isBuffer(values);

const isNamed = (combine: unknown): combine is Readonly<Record<string, ColumnCombiner>> =>
  typeof combine === 'object' &&
  combine !== null &&
  !Array.isArray(combine) &&
  !ArrayBuffer.isView(combine) &&
  !('accumulator' in combine);

const isOf = (column: unknown): column is { readonly of: string; readonly combine: CombinerName | CustomCombiner } =>
  typeof column === 'object' && column !== null && 'of' in column;

/** The columns of values that results are combined of, where these say so, and those whose types are named beside them. */
export function valueNames(combine: unknown, types: unknown): readonly string[] {
  const names = isNamed(combine) ? Object.values(combine).flatMap((column) => (isOf(column) ? [column.of] : [])) : [];
  return names.length > 0 ? [...names, ...Object.keys(types ?? {})] : names;
}

/** The types of values, by the names of their columns. */
function typesOf(values: GivenValues | undefined, types: unknown): (name: string) => ValueType {
  const columns = isColumns(values) ? values : undefined;
  if (columns && types !== undefined) requireOptions(types, Object.keys(columns), 'value');
  return (name) => {
    const data = typeof name !== 'string' ? undefined : columns ? columns[name] : name === VALUES ? values : undefined;
    if (data === undefined) refuse('of', 'the name of a column of values', name);
    const type = columns ? (types as Readonly<Record<string, ValueType>> | undefined)?.[name] : types;
    const named = type as ValueType | undefined;
    return Array.isArray(data) ? valueTypeOfPlain(data, named) : inferValueType(data as ValueArray, named);
  };
}
