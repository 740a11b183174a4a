import {
  type Bound,
  type BufferView,
  type Extent,
  type Recorder,
  UnsupportedError,
  type Workspace,
} from '../../gpu/index.ts';
import type { HashConstants, HashFamily } from '../../hashing/index.ts';
import type { KeySide, KeyType } from '../../keys/index.ts';
import type { Binding, Wgsl } from '../../wgsl/index.ts';
import type { STATUS } from './header.wgsl.ts';

/**
 * Which of several items with one key is kept: the first or last of the input, any of them, or none because it is an
 * error. `'unique'` says that there are none; a lie is found out and reported like `'error'`.
 */
export type Duplicates = 'first' | 'last' | 'any' | 'error' | 'unique';

/** Words of a value; 0 for sets. */
export type ValueWords = 0 | 1 | 2 | 3 | 4;

/** What a table is wanted for. */
export interface PlanRequest {
  /** The greatest number of items it will be built from. */
  readonly items: number;
  readonly key: KeyType;
  readonly valueWords: ValueWords;
  readonly duplicates: Duplicates;
  /** How often building has failed and the table may grow; 0 at first. The same request always gives the same plan. */
  readonly growth: number;
}

/** A buffer by name and size. */
export interface BufferSpec {
  readonly name: string;
  readonly bytes: number;
}

/** All that is decided before anything is allocated, with the request that it answers. */
export interface TablePlan extends PlanRequest {
  readonly capacitySlots: number;
  /** Whether another growth step would give a larger table. */
  readonly canGrow: boolean;
  /** What remains after the build. */
  readonly table: readonly BufferSpec[];
  /** What is needed only while building. */
  readonly scratch: readonly BufferSpec[];
  /** Up to four numbers of the scheme's own, for its kernels: `header.own`. */
  readonly own: readonly number[];
}

/** The buffers of a table by their planned names, and its header. */
export interface TableBuffers {
  readonly header: GPUBuffer;
  readonly named: ReadonlyMap<string, GPUBuffer>;
  /** The bytes that its keys point into, for keys that have a context. */
  readonly context?: readonly [Binding, GPUBuffer] | undefined;
}

/** What a table is built from. */
export interface BuildInput {
  readonly keys: BufferView;
  /** Present if and only if the plan has value words. */
  readonly values: BufferView | undefined;
  readonly items: Extent;
  readonly workspace: Workspace;
}

/** What a table is built from on the host: the words of all items. */
export interface HostItems {
  readonly keys: Uint32Array;
  /** Present if and only if the plan has value words. */
  readonly values: Uint32Array | undefined;
}

/** How a build on the host ended: a table, or the fields of a header that say what was wrong. */
export type HostBuild =
  | {
      readonly status: 0;
      /** What `shader` will find in the fields of the header by these names. */
      readonly hash: HashConstants;
      readonly copies: number;
      readonly longest: number;
      /** The contents of the buffers of `plan.table`. */
      readonly buffers: ReadonlyMap<string, Uint32Array>;
    }
  | { readonly status: typeof STATUS.retry; readonly failed: number }
  | { readonly status: typeof STATUS.duplicate; readonly example: number };

/** The reading side of a table: WGSL functions and the buffers they use. */
export interface TableShader {
  /** WGSL: `(key: access(side).type) -> SlotHit`; see `hit.ts`. */
  readonly find: Wgsl;
  /** WGSL: `(slot: u32) -> Entry` for slots below `slotCount`. */
  readonly entry: Wgsl;
  /** The binding of each buffer; `header` and the names of `plan.table`. */
  readonly bindings: ReadonlyMap<string, Binding>;
}

/** How the value of an entry is replaced in a table that is built already; for values of one word. */
export interface ValueStore {
  /** WGSL: `(slot: u32, value: u32)`, for slots in which `entry` finds something. */
  readonly store: Wgsl;
  /** The binding of each buffer that is written; names of `plan.table`. */
  readonly bindings: ReadonlyMap<string, Binding>;
}

/**
 * A way to build and search a static table. A scheme plans, records kernels and writes WGSL; it never allocates,
 * submits or reads back. A build ends with a status in the header (`header.ts`).
 */
export interface Scheme<Host = unknown> {
  readonly name: string;
  /** For the type checker alone: what keys it can carry, as the caller has them. A scheme for all keys has none. */
  readonly carries?: (keys: Host) => void;
  /** What it was made with, as JSON: saved tables carry it. */
  readonly options: Readonly<Record<string, string | number>>;
  /** Draws the constants that every attempt finds in `header.hash`. */
  readonly family: HashFamily;
  /** Throws `InvalidInputError` for capacities and loads that cannot be. */
  plan(request: PlanRequest): TablePlan;
  /** Records one attempt. The header is already set up. */
  encodeBuild(recorder: Recorder, plan: TablePlan, buffers: TableBuffers, input: BuildInput): void;
  /**
   * For schemes that no kernel can build: one attempt on the CPU, in place of `encodeBuild`. If it fails, the table grows.
   * Such tables are built on the host face only.
   */
  hostBuild?(plan: TablePlan, items: HostItems, random: () => number): HostBuild;
  /** How many slots `entry` has to visit. */
  slotCount(plan: TablePlan): number;
  /** The WGSL to search it by keys of the given side. */
  shader(plan: TablePlan, side: KeySide): TableShader;
  /** The WGSL to replace values, slot by slot; only asked of tables with one-word values. A key index can do without. */
  valueStore?(plan: TablePlan): ValueStore;
}

/** Why the build of a scheme with `hostBuild` cannot be recorded. */
export const builtOnHost = (name: string): UnsupportedError =>
  new UnsupportedError(
    `${name} is built on the CPU, which cannot be recorded: build it by from() or rebuild(), or take a scheme that is built on the GPU, such as bucketCuckoo`,
  );

/** Binds the buffers of a table to a shader's bindings. */
export function bindTable(shader: Pick<TableShader, 'bindings'>, buffers: TableBuffers): Bound {
  const own = [...shader.bindings].map(([name, binding]) => [binding, bufferOf(buffers, name)] as const);
  return buffers.context ? [...own, buffers.context] : own;
}

/** A table's buffer by its planned name. */
export function bufferOf(buffers: TableBuffers, name: string): GPUBuffer {
  const buffer = name === 'header' ? buffers.header : buffers.named.get(name);
  if (!buffer) throw new Error(`hashnest: the plan has no buffer '${name}'`);
  return buffer;
}
