/**
 * Parts of the library that most programs never need, and that only asynchronous calls do: each is loaded by the first call that needs
 * it. What is loaded so is in a file that ends in `.later.ts`, and nobody imports such a file in another way.
 */
import { resume, where } from './calls.ts';
import { LoadError } from './errors.ts';

/** A part that is loaded when it is first used. */
export class Later<Part> {
  readonly #load: () => Promise<Part>;
  readonly #open: (file: Part) => Part;
  #part: Part | undefined;
  /** While it is being loaded, for all calls that wait for it. */
  #loading: Promise<Part> | undefined;
  #failures = 0;

  /** @param open makes the part of the file that was loaded: the build adds it (`scripts/laterParts.ts`) */
  constructor(load: () => Promise<Part>, open: (file: Part) => Part = (file) => file) {
    this.#load = load;
    this.#open = open;
  }

  /** Whether `use` will call at once. If not, whoever uses it copies what a caller may change meanwhile. */
  get isLoaded(): boolean {
    return this.#part !== undefined;
  }

  /** Works with the part: at once, or when it has been loaded. If it could not be, the next call tries again. */
  async use<T>(work: (part: Part) => T): Promise<Awaited<T>> {
    if (this.#part) return await work(this.#part);
    const call = where();
    this.#loading ??= this.#loaded();
    const part = await this.#loading.catch((cause) => {
      throw new LoadError(`${call}a part of the library could not be loaded; this call may be made again`, { cause });
    });
    return await resume(call, () => work(part));
  }

  async #loaded(): Promise<Part> {
    try {
      this.#part = this.#open(await this.#load().catch((cause) => this.#loadAgain(cause)));
      return this.#part;
    } catch (cause) {
      this.#failures++;
      throw cause;
    } finally {
      this.#loading = undefined;
    }
  }

  /** Browsers remember that a file could not be loaded, and do not ask for it again; for the same file by another address they do. */
  #loadAgain(cause: unknown): Promise<Part> {
    const [address] = /https?:\S+/.exec(String(cause)) ?? [];
    if (this.#failures === 0 || !address) throw cause;
    return import(/* @vite-ignore */ /* webpackIgnore: true */ `${address}?again=${this.#failures}`);
  }
}
