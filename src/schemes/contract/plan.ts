/** What a table is wanted for, and what is decided about it before anything is allocated. */
import type { BufferView, Extent, Recorder, Workspace } from '../../gpu/index.ts';
import type { HashConstants, HashFamily } from '../../hashing/index.ts';
import type { KeyAccess, KeyBuffers, KeyType } from '../../keys/index.ts';
import type { Wgsl, WgslPart } from '../../wgsl/index.ts';
import type { STATUS } from './header.wgsl.ts';
import type { TableBuffers, TableView, ValueStore } from './view.ts';

/**
 * Which of several items with one key is kept: the first or last of the input, any of them, or none because it is an
 * error. `'unique'` says that there are none; a lie is found out and reported like `'error'`.
 */
export type Duplicates = 'first' | 'last' | 'any' | 'error' | 'unique';

/** Words of a value; 0 for sets. */
export type ValueWords = 0 | 1 | 2 | 3 | 4;

/** What a table is wanted for, whoever builds it. */
export interface TableRequest {
  readonly key: KeyType;
  readonly valueWords: ValueWords;
  /** The format that a table has and is to keep, because somebody's shader was written for it. Without, the scheme chooses. */
  readonly format?: string | undefined;
}

/** What a static table is wanted for. */
export interface PlanRequest extends TableRequest {
  /** The greatest number of items it will be built from. */
  readonly items: number;
  readonly duplicates: Duplicates;
  /** How often building has failed and the table may grow; 0 at first. The same request always gives the same plan. */
  readonly growth: number;
}

/** A buffer by name and size. */
export interface BufferSpec {
  readonly name: string;
  readonly bytes: number;
}

/** A buffer of a finished table, and how searches see it. */
export interface TableBuffer extends BufferSpec {
  readonly type: WgslPart;
}

/** What a search has to know of a table, however it came about. */
export interface PlannedTable {
  readonly request: TableRequest;
  /** Draws the constants that every attempt finds in `header.hash`. */
  readonly family: HashFamily;
  /**
   * The name and version of the layout. Searches of two tables of one scheme, key type and format have the same text, whatever
   * their sizes; saved tables carry it.
   */
  readonly format: string;
  readonly capacitySlots: number;
  /** How many slots `entry` has to visit. */
  readonly slotCount: number;
  /** What remains after the build. */
  readonly buffers: readonly TableBuffer[];
  /** What the plan adds to the header, for its kernels: `header.NAME`. */
  readonly fields: Readonly<Record<string, number>>;
  /** The WGSL that searches a table through a view of it. */
  reader(view: TableView): TableReader;
}

/** All that is decided before anything is allocated, and all that can be done with a table of that plan. */
export interface TablePlan extends PlannedTable {
  readonly request: PlanRequest;
  /** What is needed only while building. */
  readonly scratch: readonly BufferSpec[];
  /** The plan of the same table with less scratch and a slower build, for devices that it would not fit otherwise. */
  readonly tighter?: (() => TablePlan) | undefined;
  /** The plan of the next greater table, for builds that have failed; none where there is none. */
  readonly larger?: (() => TablePlan) | undefined;
  readonly build: GpuBuild | HostBuild;
  /** How many items a build can tell apart, if there is such a limit. */
  readonly mostItems?: number | undefined;
  /** What is asked of saved tables before they are searched, where searches go by numbers that lie in the table. */
  readonly soundness?: Soundness | undefined;
  /** The WGSL to replace values, slot by slot; only asked of tables with one-word values. A key index can do without. */
  valueStore?(): ValueStore;
}

/**
 * What makes a saved table safe to search: anybody may have written its bytes. All tables are asked for the rest: that the
 * header is the plan's, that `entry` finds as many keys as it says, and that keys lie within their context.
 */
export interface Soundness {
  /** The most that `header.longest` may be. */
  readonly longest?: number;
  /** Whether searches find their way by such words in `header.hash`. */
  hash?(constants: readonly number[]): boolean;
  /**
   * The buffer of slots, and the words of one, if `entry` hashes whatever key is in a slot. The key comes first. Keys of variable
   * length may all be as long as their context: so much work is refused.
   */
  readonly hashed?: { readonly buffer: string; readonly slotWords: number };
  /** Numbers in the buffers that searches go by, one after the other. */
  readonly numbers?: {
    readonly count: number;
    /** WGSL: `(i: u32) -> bool`, whether number `i` leads nowhere but into the table. */
    isSound(view: TableView): Wgsl;
  };
}

/** The reading side of a table. */
export interface TableReader {
  /** WGSL: `(key: needle.type) -> SlotHit`, whose slot is the one that `entry` and `valueStore` take; see `hit.wgsl.ts`. */
  find(needle: KeyAccess): Wgsl;
  /** WGSL: `(slot: u32) -> Entry` for slots below `slotCount`. */
  readonly entry: Wgsl;
}

/** What a table is built from. */
export interface BuildInput extends KeyBuffers {
  /** Present if and only if the plan has value words. */
  readonly values: BufferView | undefined;
  readonly items: Extent;
  readonly workspace: Workspace;
  /** Which attempt this is, counted from 1. */
  readonly attempt: number;
  /**
   * How much is recorded, for builds with a quick way. A quick one may end with `STATUS.unfinished`, and a thorough one with the
   * same constants follows; where nobody can look at the result in between, both are recorded as one.
   */
  readonly effort: 'quick' | 'thorough' | 'both';
}

/** A build by kernels. */
export interface GpuBuild {
  readonly on: 'gpu';
  /** Attempts to record where nobody can look at the result in between; 3 unless a first one cannot fail, or hardly ever does. */
  readonly encodedAttempts?: number;
  /** Whether its kernels go by the count in the header, and their grids by the plan: nothing depends on the extent of the items. */
  readonly goesByHeader?: boolean;
  /** Whether there is a quick way to build it on such a device: quick where nothing is special about the items. */
  hasQuickWay?(limits: GPUSupportedLimits): boolean;
  /** Records one attempt. The header is already set up. */
  record(recorder: Recorder, table: TableBuffers, input: BuildInput): void;
}

/** A build on the CPU, for schemes that no kernel can build. Such tables are built on the host face only. */
export interface HostBuild {
  readonly on: 'host';
  /** One attempt. If it fails, the table grows. */
  run(items: HostItems, random: () => number): HostOutcome;
}

/** What a table is built from on the host: the words of all items. */
export interface HostItems {
  readonly keys: Uint32Array;
  /** Present if and only if the plan has value words. */
  readonly values: Uint32Array | undefined;
}

/** How a build on the host ended: a table, or the fields of a header that say what was wrong. */
export type HostOutcome =
  | {
      readonly status: 0;
      /** What searches will find in the fields of the header by these names. */
      readonly hash: HashConstants;
      readonly copies: number;
      readonly longest: number;
      /** The contents of the plan's buffers. */
      readonly buffers: ReadonlyMap<string, Uint32Array>;
    }
  | { readonly status: typeof STATUS.retry; readonly failed: number }
  | { readonly status: typeof STATUS.duplicate; readonly example: number };
