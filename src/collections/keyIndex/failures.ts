import type { HashnestError } from '../../gpu/index.ts';

/** What may have gone wrong while commands were recorded: known only later. */
export class Failures {
  readonly #awaited = new Set<Promise<HashnestError | undefined>>();

  /** Remembers that something may have gone wrong, until it is known that nothing has. */
  add(failure: Promise<HashnestError | undefined>): void {
    this.#awaited.add(failure);
    failure.then(
      (error) => error ?? this.#awaited.delete(failure),
      () => {},
    );
  }

  /** Waits until all is known, and throws what has gone wrong. */
  async settled(): Promise<void> {
    const problems = await Promise.all(this.#awaited);
    this.#awaited.clear();
    const problem = problems.find((error) => error !== undefined);
    if (problem) throw problem;
  }
}
