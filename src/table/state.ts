import { DestroyedError, type Gpu, HashnestError, InvalidInputError } from '../gpu/index.ts';
import type { HeaderValues } from '../schemes/contract/index.ts';
import type { BuildReport } from './report.ts';
import { Turns } from './turns.ts';

/** A build that succeeded. */
export interface Built {
  readonly header: HeaderValues;
  readonly report: BuildReport;
}

/** What is known of a table: its last build, or why there is nothing to search, and whose turn it is with it. */
export class TableState {
  readonly turns = new Turns();
  #built: Built | undefined;
  #problem: HashnestError | undefined;
  #builds = 0;

  constructor(
    readonly gpu: Gpu,
    /** Every random choice of the table's builds follows from it; without one they are secret. */
    readonly seed: number | undefined,
  ) {}

  /** A build begins, and nothing is known until it ends. */
  begin(): void {
    this.#built = undefined;
    // The header has a word for it, and that of a saved table may be any.
    this.#builds = (this.#builds + 1) >>> 0;
  }

  /** The number of the last build that was begun; the header on the GPU tells which one it belongs to. */
  get builds(): number {
    return this.#builds;
  }

  /** Takes over a table that was built elsewhere. */
  restore(header: HeaderValues, seed: number | undefined): void {
    this.#builds = header.build;
    this.accept(header, { growths: 0, milliseconds: 0, seed });
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
    this.assertNotChanging();
  }

  /** Throws while a call changes the table. */
  assertNotChanging(): void {
    if (this.turns.isWriting) throw new InvalidInputError('the table is being rebuilt: wait for rebuild() first');
  }

  /** Throws once the table has been rebuilt since: for calls that read it in several submissions. */
  unchanged(): () => void {
    const { built } = this;
    return () => {
      if (this.built !== built) throw new InvalidInputError('the table was rebuilt while this call was reading it');
    };
  }
}
