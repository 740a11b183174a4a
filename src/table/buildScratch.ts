import { type Gpu, OutOfMemoryError, Workspace } from '../gpu/index.ts';

/**
 * Scratch memory of builds. It is often more than what is built, so host builds free it; encoded ones may still have to be
 * submitted, so theirs is kept until a host build outgrows it.
 */
export class BuildScratch {
  readonly workspace: Workspace;
  #isEncoded = false;

  constructor(gpu: Gpu) {
    this.workspace = new Workspace(gpu);
  }

  /** From now on commands may use it that nobody here has submitted. */
  keep(): void {
    this.#isEncoded = true;
  }

  /** After a build on the host, and what went wrong with it. */
  release(error?: unknown): void {
    // Where there was no memory, some of the buffers are none.
    if (this.#isEncoded && !(error instanceof OutOfMemoryError)) this.workspace.trim();
    else this.workspace.release();
  }

  destroy(): void {
    this.workspace.destroy();
  }
}
