/**
 * Tables of Apache Arrow, joined, grouped and ranked on the GPU: tables in, tables out. Needs the npm package `apache-arrow`.
 * @example
 * import { groupBy, join } from 'hashnest/arrow';
 * const priced = await join(gpu, orders, products, { on: { product: 'id' } });
 * @packageDocumentation
 */
export { column } from './arrow/column.ts';
export { dictionaryEncode, type EntryType } from './arrow/dictionaryEncode.ts';
export { groupBy, type TableCombiner, type TableGroupOptions } from './arrow/groupBy.ts';
export { join, type TableJoinOptions } from './arrow/join.ts';
export { distinct, type TableDistinctOptions, type TableTopOptions, topK } from './arrow/rows.ts';
export { take } from './arrow/take.ts';
