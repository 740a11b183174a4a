/** Rows of DuckDB: what a query gives are columns, which are grouped on the GPU, and the groups become a table of DuckDB. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Gpu } from 'hashnest';
import { groupBy } from 'hashnest/relational';

/** Counts and adds up the orders of every customer. */
export async function addTotals(gpu: Gpu, connection: DuckDBConnection): Promise<number> {
  const query = 'SELECT customer, cents::UINTEGER FROM orders WHERE customer IS NOT NULL ORDER BY rowid';
  const [customers, cents] = (await connection.runAndReadAll(query)).getColumns() as [string[], number[]];
  const combine = { n: 'count', total: 'sum64' } as const;
  const { keys, values, size } = await groupBy(gpu, customers, { values: Uint32Array.from(cents), combine });

  await connection.run('CREATE TABLE totals (customer VARCHAR, orders UINTEGER, cents UBIGINT)');
  const appender = await connection.createAppender('totals');
  for (let group = 0; group < size; group++) {
    appender.appendVarchar(keys[group] as string);
    appender.appendUInteger(values.n[group] as number);
    appender.appendUBigInt(values.total[group] as bigint);
    appender.endRow();
  }
  appender.closeSync();
  return size;
}
