/**
 * Tables of Apache Arrow, joined, grouped and ranked on the GPU: tables in, tables out. Needs the npm package `apache-arrow`.
 * @example
 * import { groupBy, join } from 'hashnest/arrow';
 * const priced = await join(gpu, orders, products, { on: { product: 'id' } });
 * @packageDocumentation
 */
export { column } from './bridges/arrow/column.ts';
export { dictionaryEncode, type EntryType } from './bridges/arrow/dictionaryEncode.ts';
export { groupBy, type TableCombiner, type TableGroupOptions } from './bridges/arrow/groupBy.ts';
export { join, type TableJoinOptions } from './bridges/arrow/join.ts';
export { distinct, type TableDistinctOptions, type TableTopOptions, topK } from './bridges/arrow/rows.ts';
export { take } from './bridges/arrow/take.ts';
