/** Tables that live: what they are wanted for, and what is decided about them before anything is allocated. */
import type { BufferView, Extent, Recorder, Workspace } from '../../gpu/index.ts';
import type { KeyBuffers } from '../../keys/index.ts';
import { storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { BufferSpec, PlannedTable, TableRequest } from './plan.ts';
import type { TableBuffers, ValueStore } from './view.ts';

/** What a table that lives is wanted for. */
export interface DynamicRequest extends TableRequest {
  /** Slots that it has at least. */
  readonly slots: number;
}

/**
 * A way to keep a table that changes by batches. A scheme plans; its plans record kernels and write WGSL. Neither ever allocates,
 * submits or reads back.
 */
export interface DynamicScheme {
  readonly name: string;
  /** What it was made with, as JSON. */
  readonly options: Readonly<Record<string, string | number>>;
  /** The greatest filled factor that the table can be kept at. */
  readonly mostFilled: number;
  /** How far apart the bounds of the filled factor have to be: the lower one is at most so much of the upper. Default 0.8. */
  readonly closestBounds?: number;
  /** Throws `UnsupportedError` for keys and values that cannot be. */
  plan(request: DynamicRequest): DynamicPlan;
}

/** What changes while a table lives, in a buffer of its own; the header never does. */
const Counters = wgsl`
struct Counters {
  keys: atomic<u32>,       // in the table
  left: atomic<u32>,       // items of the last batch that found no room
  absent: atomic<u32>,     // keys of a batch that are not in the table
  batch: atomic<u32>,      // the number of the last batch
  leftBefore: atomic<u32>, // items of earlier batches that found no room
}`;

/** The counters, as batches see them. */
export const counters = storage('counters', Counters, 'read_write');

/** The counters in the order in which they lie. */
export const COUNTERS = ['keys', 'left', 'absent', 'batch', 'leftBefore'] as const;

/** Items that change a table. */
export interface Batch extends KeyBuffers {
  readonly items: Extent;
  readonly workspace: Workspace;
  readonly counters: GPUBuffer;
  /** For keys of variable length: where their bytes begin in the context of the table, which has them already. */
  readonly contextStart?: number;
}

/** How the values of a key become one, for values of one word: WGSL `(a: u32, b: u32) -> u32`, in any order. */
export interface WordCombiner {
  readonly combine: Wgsl;
  readonly identity: number;
}

/** What happens to a key that is there already. */
export type OnExisting = 'replace' | 'keep' | WordCombiner;

/** Items that are put into a table. */
export interface InsertBatch extends Batch {
  /** Present if and only if the plan has value words. */
  readonly values: BufferView | undefined;
  readonly onExisting: OnExisting;
  /** Whether no key occurs twice in the batch; if one does, any of its values may win, or words of several. */
  readonly unique: boolean;
  /** Whether the table is thought to be empty. It may have got keys when the commands run: `counters.keys` knows. */
  readonly isEmpty?: boolean;
  /** Gets the numbers of the items that found no room, `counters.left` of them; it has a word for every item. */
  readonly left?: GPUBuffer | undefined;
}

/** A table that lives, decided before anything is allocated. */
export interface DynamicPlan extends PlannedTable {
  readonly request: DynamicRequest;
  /** The plan of a table of at least so many slots into which this one can grow or shrink, and that keeps a format. */
  resized(slots: number, format?: string): DynamicPlan;
  /** What a batch of so many items needs while it runs. */
  scratchFor(items: number): readonly BufferSpec[];
  /** Records that all slots become empty. The header is already set up. */
  recordClear(recorder: Recorder, table: TableBuffers): void;
  /** Records an insertion. Items that find no room change nothing, and are counted in `counters.left`. */
  recordInsert(recorder: Recorder, table: TableBuffers, batch: InsertBatch): void;
  /**
   * Records how many keys of a batch are not in the table, copies counted once: `counters.absent`. It may be a few more, and the
   * table stays as it is. Without, the driver counts every item whose key is absent.
   */
  recordCountAbsent?(recorder: Recorder, table: TableBuffers, batch: Batch): void;
  /** Records that the keys are removed that are there. */
  recordDelete(recorder: Recorder, table: TableBuffers, batch: Batch): void;
  /** The WGSL to replace values, slot by slot; only asked of tables with one-word values. An index of ids needs it. */
  valueStore?(): ValueStore;
  /**
   * How everything in a table of another plan goes to one of this plan, if there are better ways than a batch of all keys. The quickest
   * comes first; the next is tried if not all have arrived. Each has to write all slots of the new table, which has the same hash
   * constants, and counts the keys in `counters.keys`.
   */
  moveFrom?(other: DynamicPlan, limits: GPUSupportedLimits): readonly RecordMove[];
}

/** Records that everything in a table goes to another. */
export type RecordMove = (recorder: Recorder, move: Move) => void;

/** What is moved, and where to. */
export interface Move {
  readonly from: TableBuffers;
  readonly to: TableBuffers;
  /** How many keys there are. */
  readonly keys: number;
  /** Those of the new table. */
  readonly counters: GPUBuffer;
  readonly workspace: Workspace;
}
