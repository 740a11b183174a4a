import type { KeyAccess } from '../keys/index.ts';
import { type PlanRequest, type TablePlan, type TableReader, TableView } from '../schemes/contract/index.ts';
import { kept, type Wgsl } from '../wgsl/index.ts';

/**
 * A table as kernels read it, through a view of its own. It lasts as long as the format of the table, whatever its size, and
 * so do the kernels that are written around it.
 */
export class Reading {
  /** The reading of tables of that plan. */
  static readonly of = kept((plan: TablePlan) => new Reading(plan));

  readonly request: Pick<PlanRequest, 'key' | 'valueWords'>;
  readonly view: TableView;
  readonly #reader: TableReader;

  private constructor(readonly plan: TablePlan) {
    this.request = plan.request;
    this.view = new TableView(plan);
    this.#reader = plan.reader(this.view);
  }

  /** WGSL: `(key: needle.type) -> SlotHit`. */
  readonly find = kept((needle: KeyAccess): Wgsl => this.#reader.find(needle));

  /** WGSL: `(slot: u32) -> Entry`. */
  get entry(): Wgsl {
    return this.#reader.entry;
  }
}
