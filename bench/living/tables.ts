/** Tables that batches change, as the figures of Li et al. 2021 compare them: those of the library, and others for comparison only. */
import { DynamicMap } from '../../src/collections/dynamic/dynamicMap.ts';
import type { Bounds } from '../../src/dynamic/settings.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { u32 } from '../../src/keys/index.ts';
import type { DynamicScheme } from '../../src/schemes/contract/index.ts';
import { dyCuckoo } from '../../src/schemes/dyCuckoo/index.ts';
import { regionCuckoo } from '../../src/schemes/regionCuckoo/index.ts';
import { makeScheme } from '../configurations.ts';
import type { PairBuffers } from './dataSets.ts';
import { RebuiltTable, StaticTable } from './rebuilt.ts';
import { SlabTable } from './slab.wgsl.ts';

/** Items of a batch, and how many there are. */
export interface Batch extends PairBuffers {
  readonly count: number;
}

export interface Queries {
  readonly queries: GPUBuffer;
  readonly count: number;
  readonly values: GPUBuffer;
  readonly found: GPUBuffer;
}

/** A table that batches change. Batches are recorded, and nothing grows while they are. */
export interface LivingTable {
  /** Slots that keys may be in, in all memory that the table has taken. */
  readonly slots: number;
  readonly tableBytes: number;
  /** Before a batch is inserted. */
  makeRoom(batch: Batch): Promise<void>;
  encodeInsert(pass: GPUComputePassEncoder, batch: Batch): void;
  encodeFind(pass: GPUComputePassEncoder, queries: Queries): void;
  encodeDelete(pass: GPUComputePassEncoder, batch: Batch): void;
  /** Waits for batches. Tells how many keys there are, and how many items found no room. */
  settle(): Promise<{ readonly size: number; readonly left: number }>;
  /** After items found no room: the batch is then encoded again. */
  makeLarger(): Promise<void>;
  /** Gives up memory that is not needed any more. */
  tidy(): Promise<void>;
  /** Locations that a search for a key that is there looks at, on average. */
  averageProbes(): Promise<number | undefined>;
  destroy(): void;
}

/** What a table is made for. */
export interface TableRequest extends Bounds {
  /** Keys that are expected in all; a table of fixed range has to know. */
  readonly keys: number;
  /** Items that are inserted in all, and of the largest batch. */
  readonly insertions: number;
  readonly batch: number;
  /** Makes room for all keys from the beginning. */
  readonly isReserved?: boolean;
  /** Whether no key occurs twice in a batch. */
  readonly unique: boolean;
  readonly seed: number;
}

/** A table to compare. */
export interface Contender {
  readonly name: string;
  /** Whether its memory follows the filled factor. */
  readonly resizes: boolean;
  /** Whether it is built from all items at once, and never changed. */
  readonly isStatic?: boolean;
  /** Slots of a table that has at least so many, for tables that cannot have any number. */
  slotsOf?(slots: number): number;
  create(gpu: Gpu, request: TableRequest): Promise<LivingTable>;
}

const ofScheme = (scheme: DynamicScheme): Contender => ({
  name: scheme.name,
  resizes: true,
  slotsOf: (slots) => scheme.plan({ slots, key: u32, valueWords: 1 }).capacitySlots,
  create: (gpu, request) => MapTable.create(gpu, scheme, request),
});

export const CONTENDERS = {
  dyCuckoo: ofScheme(dyCuckoo()),
  regionCuckoo: ofScheme(regionCuckoo()),
  slab: { name: 'slab', resizes: false, create: (gpu, request) => SlabTable.create(gpu, request) },
  rebuild: { name: 'rebuild', resizes: false, create: (gpu, request) => RebuiltTable.create(gpu, request) },
} as const satisfies Record<string, Contender>;
export type ContenderName = keyof typeof CONTENDERS;
export const CONTENDER_NAMES = Object.keys(CONTENDERS) as ContenderName[];

/** Static tables with whose rows the paper has others like them: CUDPP, Warp and MegaKV. */
export const STATIC_NAMES = ['cuckoo', 'linearProbing', 'bucketCuckoo'] as const;
export type StaticName = (typeof STATIC_NAMES)[number];

/** A static table, filled as nearly to `highest` as its scheme can be told. */
export const staticContender = (name: StaticName): Contender => ({
  name,
  resizes: false,
  isStatic: true,
  create: async (gpu, request) => new StaticTable(gpu, makeScheme(name, { loadFactor: request.highest }), request),
});

/** dyCuckoo of so many subtables. */
export const subtables = (count: number): Contender => ofScheme(dyCuckoo({ subtables: count }));

/** A table of the library: it grows and shrinks by its own rules, but where that can be timed. */
class MapTable implements LivingTable {
  private constructor(
    readonly map: DynamicMap<Uint32Array>,
    readonly request: TableRequest,
  ) {}

  static async create(gpu: Gpu, scheme: DynamicScheme, request: TableRequest): Promise<MapTable> {
    const { keys, isReserved = false, lowest, highest, seed } = request;
    const reserve = isReserved ? keys : 0;
    const map = await DynamicMap.create(gpu, { key: u32, scheme, reserve, lowest, highest, seed });
    return new MapTable(map as DynamicMap<Uint32Array>, request);
  }

  get slots(): number {
    return this.map.capacitySlots;
  }

  get tableBytes(): number {
    return this.map.tableBytes;
  }

  /** Like insertion by the host face. */
  async makeRoom({ keys, values, count }: Batch): Promise<void> {
    const { table } = this.map;
    if (this.request.isReserved) return;
    await table.write(() => table.makeRoomFor({ keys, values, context: undefined, contextStart: 0 }, count));
  }

  encodeInsert(pass: GPUComputePassEncoder, { keys, values, count }: Batch): void {
    this.map.encodeInsert(pass, { keys, values, count }, { unique: this.request.unique });
  }

  encodeFind(pass: GPUComputePassEncoder, { queries, count, values, found }: Queries): void {
    this.map.encodeGet(pass, { queries, count, values, found, missing: 0 });
  }

  encodeDelete(pass: GPUComputePassEncoder, { keys, count }: Batch): void {
    this.map.encodeDelete(pass, { keys, count });
  }

  async settle(): Promise<{ size: number; left: number }> {
    const { left } = await this.map.settle();
    return { size: this.map.size, left };
  }

  makeLarger(): Promise<void> {
    return this.map.table.makeLarger(false);
  }

  async tidy(): Promise<void> {
    const { table } = this.map;
    if (!this.request.isReserved) await table.write(() => table.shrinkIfSparse());
  }

  async averageProbes(): Promise<number> {
    return (await this.map.stats()).present.average;
  }

  destroy(): void {
    this.map.destroy();
  }
}
