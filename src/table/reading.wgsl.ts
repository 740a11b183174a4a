import type { KeyAccess } from '../keys/index.ts';
import {
  FAILED,
  hitType,
  miss,
  type PlannedTable,
  type TableReader,
  type TableRequest,
  TableView,
} from '../schemes/contract/index.ts';
import { kept, type Wgsl, wgsl } from '../wgsl/index.ts';

/**
 * A table as kernels read it, through a view of its own. It lasts as long as the format of the table, whatever its size, and
 * so do the kernels that are written around it.
 */
export class Reading<Plan extends PlannedTable = PlannedTable> {
  /** The reading of tables of that plan. */
  static readonly of = kept((plan: PlannedTable) => new Reading(plan)) as <Plan extends PlannedTable>(
    plan: Plan,
  ) => Reading<Plan>;

  readonly request: TableRequest;
  readonly view: TableView;
  readonly #reader: TableReader;

  private constructor(readonly plan: Plan) {
    this.request = plan.request;
    this.view = new TableView(plan);
    this.#reader = plan.reader(this.view);
  }

  /** WGSL: `(key: needle.type) -> SlotHit`. There is no key in a table that was never built, or whose build failed. */
  readonly find = kept((needle: KeyAccess): Wgsl => {
    const { valueWords } = this.request;
    return wgsl`
fn findIfBuilt(key: ${needle.type}) -> ${hitType(valueWords)} {
  if (!${this.isBuilt}) { return ${miss(valueWords, '0u')}; }
  return ${this.#reader.find(needle)}(key);
}`;
  });

  /** WGSL: an expression, whether there is a table at all. */
  get isBuilt(): Wgsl {
    const { header } = this.view;
    return wgsl`(${header}.attempts != 0u && (${header}.status & ${FAILED}u) == 0u)`;
  }

  /** WGSL: `(slot: u32) -> Entry`, for a table that is built. */
  get entry(): Wgsl {
    return this.#reader.entry;
  }
}
