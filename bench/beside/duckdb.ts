/** A database of DuckDB in memory, with all its threads. */
import type { DuckDBDataChunk, DuckDBMaterializedResult } from '@duckdb/node-api';
import { optional } from './packages.ts';

type Column = Uint32Array | readonly string[];

/** Rows that a vector of DuckDB has. */
const CHUNK_ROWS = 2048;

export interface Database {
  /** Makes a table anew from columns. */
  load(table: string, columns: Readonly<Record<string, Column>>): Promise<void>;
  /** Runs a query to its end; the result is in DuckDB. */
  query(sql: string): Promise<DuckDBMaterializedResult>;
  /** Brings a result into arrays: u32 columns into typed ones. */
  read(
    result: DuckDBMaterializedResult,
    kinds: readonly ('numbers' | 'strings')[],
  ): Promise<ArrayLike<number | string>[]>;
  destroy(): void;
}

export async function openDuckDB(): Promise<Database> {
  const {
    DuckDBInstance,
    DuckDBDataChunk: Chunk,
    UINTEGER,
    VARCHAR,
  } = await optional<typeof import('@duckdb/node-api')>('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  return {
    load: async (table, columns) => {
      const all = Object.entries(columns);
      const typeOf = (column: Column) => (ArrayBuffer.isView(column) ? 'UINTEGER' : 'VARCHAR');
      const fields = all.map(([name, column]) => `${name} ${typeOf(column)}`);
      await connection.run(`CREATE OR REPLACE TABLE ${table} (${fields.join()})`);
      const types = all.map(([, column]) => (ArrayBuffer.isView(column) ? UINTEGER : VARCHAR));
      const rows = all[0]?.[1].length ?? 0;
      const appender = await connection.createAppender(table);
      for (let first = 0; first < rows; first += CHUNK_ROWS) {
        const end = Math.min(first + CHUNK_ROWS, rows);
        const chunk = Chunk.create(types, end - first);
        for (const [i, [, column]] of all.entries()) {
          if (ArrayBuffer.isView(column)) {
            // Whole vectors at once: faster than a call for each value.
            const vector = numbersOf(chunk, i);
            vector.items.set(column.subarray(first, end));
            vector.flush();
          } else chunk.setColumnValues(i, column.slice(first, end));
        }
        appender.appendDataChunk(chunk);
      }
      appender.closeSync();
    },
    query: (sql) => connection.run(sql),
    read: async (result, kinds) => {
      const columns = kinds.map((kind) => (kind === 'numbers' ? new Uint32Array(result.rowCount) : ([] as string[])));
      let row = 0;
      for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
        for (const [i, column] of columns.entries()) {
          if (ArrayBuffer.isView(column)) column.set(numbersOf(chunk, i).items, row);
          else for (const name of chunk.getColumnValues(i)) column.push(name as string);
        }
        row += chunk.rowCount;
      }
      return columns;
    },
    destroy: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** A vector of numbers, whose array its types keep to themselves. */
interface Numbers {
  readonly items: Uint32Array;
  flush(): void;
}

const numbersOf = (chunk: DuckDBDataChunk, column: number): Numbers =>
  chunk.getColumnVector(column) as unknown as Numbers;
