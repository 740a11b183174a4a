import { DestroyedError, type Gpu, HashnestError, InvalidInputError } from '../gpu/index.ts';
import type { HeaderValues } from '../schemes/contract/index.ts';
import type { BuildReport } from './report.ts';

/** A build that succeeded. */
export interface Built {
  readonly header: HeaderValues;
  readonly report: BuildReport;
}

/** What is known of a table: its last build, or why there is nothing to search. */
export class TableState {
  #built: Built | undefined;
  #problem: HashnestError | undefined;

  constructor(
    readonly gpu: Gpu,
    /** Every random choice of the table's builds follows from it; without one they are secret. */
    readonly seed: number | undefined,
  ) {}

  /** A build begins, and nothing is known until it ends. */
  begin(): void {
    this.#built = undefined;
  }

  /** Nothing is wrong any more, as far as is known. */
  forgive(): void {
    this.#problem = undefined;
  }

  accept(
    header: HeaderValues,
    how: Pick<BuildReport, 'growths' | 'milliseconds'> & { seed?: number | undefined },
  ): void {
    const { attempts, copies, longest: longestProbe, stashed, restarts, rounds } = header;
    const { growths, milliseconds, seed = this.seed } = how;
    const report = { attempts, growths, seed, milliseconds, copies, longestProbe, stashed, restarts, rounds };
    this.#built = { header, report };
  }

  /** Remembers why there is nothing to search; that the table was destroyed is not forgotten for it. */
  fail(error: unknown): unknown {
    this.#built = undefined;
    if (!(error instanceof HashnestError)) return error;
    if (!this.isDestroyed) this.#problem = error;
    return this.#problem;
  }

  destroy(): void {
    this.#problem = new DestroyedError('this table was destroyed');
  }

  get isDestroyed(): boolean {
    return this.#problem instanceof DestroyedError;
  }

  get isBuilt(): boolean {
    return this.#built !== undefined;
  }

  /** The last build; throws if there is none that has ended. */
  get built(): Built {
    this.assertAlive();
    if (this.#built) return this.#built;
    throw new InvalidInputError(
      'the table is not finished: wait for rebuild(), or submit an encoded build and settle()',
    );
  }

  /** Throws if the table was destroyed, or its device is gone. */
  assertAlive(): void {
    this.gpu.assertAlive();
    if (this.isDestroyed) throw this.#problem;
  }

  /** Throws if there is nothing to search. */
  assertBuilt(): void {
    this.assertAlive();
    if (this.#problem) throw this.#problem;
  }
}
