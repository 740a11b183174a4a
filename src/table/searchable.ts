import type { Bound, Gpu } from '../gpu/index.ts';
import type { PlannedTable, TableBuffers } from '../schemes/contract/index.ts';
import type { Reading } from './reading.wgsl.ts';
import type { TableSettings } from './settings.ts';
import type { Turns } from './turns.ts';

/** A table as those see it who only read: searches, statistics, shader faces. How it is built and changed is its engine's. */
export interface Searchable {
  readonly gpu: Gpu;
  readonly settings: Pick<TableSettings, 'key' | 'valueWords'>;
  readonly plan: PlannedTable;
  readonly buffers: TableBuffers;
  /** The table as kernels read it: the same object as long as its format stays. */
  readonly reading: Reading;
  /** What is to be bound for kernels that read it. */
  readonly bound: Bound;
  /** Distinct keys. */
  readonly size: number;
  /** Calls that read the table, and those that change it. */
  readonly turns: Turns;
  readonly isAlive: boolean;
  /** Whether the last build is known to have succeeded. */
  readonly isBuilt: boolean;
  /** Throws if there is nothing to search. */
  assertBuilt(): void;
  /** Throws once the table has changed since: for calls that read it in several submissions. */
  unchanged(): () => void;
  /** From now on the table keeps its format, also where another would suit a larger one better. */
  keepFormat(): void;
  /** Waits for what was encoded and has been submitted, and throws if it failed. */
  settle(): Promise<void>;
  destroy(): void;
}
