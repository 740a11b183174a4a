/** Whose turn it is with a table: any number of calls read it together, one changes it alone, in the order of the calls. */
export class Turns {
  readonly #readers = new Set<Promise<unknown>>();
  readonly #writers = new Set<Promise<unknown>>();
  #isWriting = false;

  /** Whether a call is changing the table now. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Whether a call that reads would have to wait. */
  get mustWait(): boolean {
    return this.#writers.size > 0;
  }

  /** Begins at once unless an earlier call has yet to change the table. */
  read<T>(work: () => Promise<T>): Promise<T> {
    return entered(this.#readers, after([...this.#writers], work));
  }

  /** Begins at once unless earlier calls have not ended. */
  write<T>(work: () => Promise<T>): Promise<T> {
    const alone = async (): Promise<T> => {
      this.#isWriting = true;
      try {
        return await work();
      } finally {
        this.#isWriting = false;
      }
    };
    return entered(this.#writers, after([...this.#readers, ...this.#writers], alone));
  }
}

/** What the work gives, once all others have ended in whatever way. */
async function after<T>(others: readonly Promise<unknown>[], work: () => Promise<T>): Promise<T> {
  if (others.length > 0) await Promise.allSettled(others);
  return work();
}

function entered<T>(list: Set<Promise<unknown>>, call: Promise<T>): Promise<T> {
  list.add(call);
  const leave = () => list.delete(call);
  call.then(leave, leave);
  return call;
}
