/** How kernels see tables and what they are built from: bindings that belong to one table alone. */
import type { Bound } from '../../gpu/index.ts';
import { bindContext, type KeyAccess, type KeysView, keysView, wordsArray } from '../../keys/index.ts';
import { Binding, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { HeaderLayout } from './header.wgsl.ts';
import type { BuildInput, PlannedTable, TableRequest } from './plan.ts';

/** The buffers of a table. */
export interface TableBuffers {
  readonly header: GPUBuffer;
  /** The bytes that its keys point into, for keys that have a context. */
  readonly context: GPUBuffer | undefined;
  /** A buffer by its planned name. */
  get(name: string): GPUBuffer;
}

/**
 * A table as searches see it. Every view has bindings of its own, so that one kernel can search two tables, all parts of one,
 * or an old table and its successor.
 */
export class TableView {
  readonly header: Binding;
  /** How the table's own keys are read. */
  readonly key: KeyAccess;
  readonly #plan: PlannedTable;
  readonly #buffers: ReadonlyMap<string, Binding>;

  constructor(plan: PlannedTable) {
    const { request, fields, buffers } = plan;
    this.#plan = plan;
    this.header = HeaderLayout.of(fields).forReading();
    this.key = request.key.access('table');
    this.#buffers = new Map(buffers.map(({ name, type }) => [name, new Binding(name, 'read', type)]));
  }

  /** A buffer by its planned name. */
  buffer(name: string): Binding {
    const binding = this.#buffers.get(name);
    if (!binding) throw new Error(`hashnest: the plan has no buffer '${name}'`);
    return binding;
  }

  /** What is to be bound for kernels with this view. */
  bind(table: TableBuffers): Bound {
    return [
      [this.header, table.header],
      ...[...this.#buffers].map(([name, binding]) => [binding, table.get(name)] as const),
      ...bindContext(this.#plan.request.key, this.key, table.context),
    ];
  }
}

/** What the kernels of a build see beside the buffers that they write: the header with its counters, and the items. */
export interface BuildView {
  readonly header: Binding;
  readonly keys: KeysView;
  /** The words of the value of item `i`. */
  valueAt(i: WgslPart): WgslPart;
  bind(table: TableBuffers, input: BuildInput): Bound;
}

/** A view for the builds of a plan with these fields. */
export function buildView({ key, valueWords }: TableRequest, fields: PlannedTable['fields']): BuildView {
  const header = HeaderLayout.of(fields).forBuilding();
  const keys = keysView(key, 'input');
  const values = wordsArray('values', valueWords);
  return {
    header,
    keys,
    valueAt: (i) => wgsl`${values}[${i}]`,
    bind: (table, input) => [
      [header, table.header],
      ...keys.bind(input),
      ...(input.values ? [[values, input.values] as const] : []),
    ],
  };
}

/** How the value of an entry is replaced in a table that is built already; for values of one word. */
export interface ValueStore {
  /** WGSL: `(slot: u32, value: u32)`, for slots in which `entry` finds something. */
  readonly store: Wgsl;
  bind(table: TableBuffers): Bound;
}
