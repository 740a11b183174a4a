/** Calls under way, what they found wrong, and how many answers were compared. */
export class Calls {
  answers = 0;
  /** Whether something goes wrong outside in this step. */
  isStruck = false;
  readonly #all = new Set<Promise<void>>();
  /** What calls that nobody waited for found wrong. */
  readonly #wrong: unknown[] = [];

  /** Follows a call, also among those of what it was made to. */
  under(work: Promise<void>, own: Set<Promise<void>> = new Set()): void {
    const call = work
      .catch((error: unknown) => {
        this.#wrong.push(error);
      })
      .finally(() => {
        for (const calls of [this.#all, own]) calls.delete(call);
      });
    for (const calls of [this.#all, own]) calls.add(call);
  }

  /** Waits until none is under way. Throws what any of them found wrong. */
  async wait(): Promise<void> {
    await Promise.all(this.#all);
    this.check();
  }

  /** Throws what a call found wrong that has come back. */
  check(): void {
    if (this.#wrong.length > 0) throw this.#wrong[0];
  }
}
