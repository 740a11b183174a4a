/** A database of DuckDB in memory, with all its threads. The package is large, and not among those that this project installs. */
import { optional } from './packages.ts';

/** What is needed of `@duckdb/node-api`. */
interface DuckDBModule {
  readonly DuckDBInstance: { create(path: string): Promise<Instance> };
  readonly DuckDBDataChunk: { create(types: readonly unknown[], rowCount: number): Chunk };
  readonly UINTEGER: unknown;
  readonly VARCHAR: unknown;
}
interface Instance {
  connect(): Promise<Connection>;
  closeSync(): void;
}
interface Connection {
  run(sql: string): Promise<Result>;
  createAppender(table: string): Promise<Appender>;
  closeSync(): void;
}
interface Result {
  readonly rowCount: number;
  fetchChunk(): Promise<Chunk | null>;
}
interface Chunk {
  readonly rowCount: number;
  getColumnVector(column: number): Vector;
  getColumnValues(column: number): unknown[];
  setColumnValues(column: number, values: readonly unknown[]): void;
}
interface Vector {
  readonly items: Uint32Array;
  flush(): void;
}
interface Appender {
  appendDataChunk(chunk: Chunk): void;
  closeSync(): void;
}

type Column = Uint32Array | readonly string[];

/** Rows that a vector of DuckDB has. */
const CHUNK_ROWS = 2048;

export interface Database {
  /** Makes a table anew from columns. */
  load(table: string, columns: Readonly<Record<string, Column>>): Promise<void>;
  /** Runs a query to its end; the result is in DuckDB. */
  query(sql: string): Promise<Result>;
  /** Brings a result into arrays: u32 columns into typed ones. */
  read(result: Result, kinds: readonly ('numbers' | 'strings')[]): Promise<ArrayLike<number | string>[]>;
  destroy(): void;
}

export async function openDuckDB(): Promise<Database> {
  const { DuckDBInstance, DuckDBDataChunk, UINTEGER, VARCHAR } = await optional<DuckDBModule>('@duckdb/node-api');
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
        const chunk = DuckDBDataChunk.create(types, end - first);
        for (const [i, [, column]] of all.entries()) {
          if (ArrayBuffer.isView(column)) {
            // Whole vectors at once: faster than a call for each value.
            const vector = chunk.getColumnVector(i);
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
          if (ArrayBuffer.isView(column)) column.set(chunk.getColumnVector(i).items, row);
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
