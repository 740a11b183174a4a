/** What the recipe and its test need of `@duckdb/node-api`, which is not installed with this project. */
declare module '@duckdb/node-api' {
  export class DuckDBInstance {
    static create(path: string): Promise<DuckDBInstance>;
    connect(): Promise<DuckDBConnection>;
    closeSync(): void;
  }
  export interface DuckDBConnection {
    run(sql: string): Promise<unknown>;
    runAndReadAll(sql: string): Promise<{ getColumns(): unknown[][]; getRows(): unknown[][] }>;
    createAppender(table: string): Promise<DuckDBAppender>;
    closeSync(): void;
  }
  interface DuckDBAppender {
    appendVarchar(value: string): void;
    appendUInteger(value: number): void;
    appendUBigInt(value: bigint): void;
    endRow(): void;
    closeSync(): void;
  }
}
