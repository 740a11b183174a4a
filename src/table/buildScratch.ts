import { BuildError, DuplicateKeyError, type Gpu, mostBytes, OutOfMemoryError, Workspace } from '../gpu/index.ts';

/** Larger scratch is freed: it is often more than what is built. */
const MOST_KEPT_BYTES = 2 ** 27;

/** Buffers that are kept may be twice as large as what is asked for, and have to fit a binding all the same. */
const isKept = ({ limits }: Gpu, bytes: number): boolean => bytes <= Math.min(MOST_KEPT_BYTES, mostBytes(limits) / 2);

/** Whether a build failed because of what it was given: its commands have run all the same. */
const isOfItems = (error: unknown): boolean => error instanceof BuildError || error instanceof DuplicateKeyError;

/** Scratch whose buffers come from those that the `Gpu` keeps, and go back there, unless they are large. */
class BuildWorkspace extends Workspace {
  readonly #spares = new Set<GPUBuffer>();
  #isGood = false;

  protected override make(name: string, bytes: number): GPUBuffer {
    if (!isKept(this.gpu, bytes)) return super.make(name, bytes);
    const buffer = this.gpu.spare.take('kernel', bytes);
    this.#spares.add(buffer);
    return buffer;
  }

  protected override free(buffer: GPUBuffer): void {
    const isSpare = this.#spares.delete(buffer);
    if (isSpare && this.#isGood) this.gpu.spare.giveBack('kernel', buffer, true);
    else super.free(buffer);
  }

  /** Frees the memory, or gives it back: all commands that use it have been submitted, and have succeeded. */
  giveBack(): void {
    this.#isGood = true;
    this.release();
    this.#isGood = false;
  }
}

/**
 * Scratch memory of builds. It is often more than what is built, so host builds free it; encoded ones may still have to be
 * submitted, so theirs is kept until a host build outgrows it.
 */
export class BuildScratch {
  readonly #workspace: BuildWorkspace;
  #isEncoded = false;

  constructor(gpu: Gpu) {
    this.#workspace = new BuildWorkspace(gpu);
  }

  get workspace(): Workspace {
    return this.#workspace;
  }

  /** From now on commands may use it that nobody here has submitted. */
  keep(): void {
    this.#isEncoded = true;
  }

  /** After a build on the host, and what went wrong with it. */
  release(error?: unknown): void {
    // Where there was no memory, some of the buffers are none.
    if (this.#isEncoded && !(error instanceof OutOfMemoryError)) this.#workspace.trim();
    else if (error === undefined || isOfItems(error)) this.#workspace.giveBack();
    else this.#workspace.release();
  }

  destroy(): void {
    this.#workspace.destroy();
  }
}
