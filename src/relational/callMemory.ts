/** The memory of one call on the host face. */
import { askingAhead } from '../collections/ahead.ts';
import { abortable, type Gpu, type Signal, type Workspace } from '../gpu/index.ts';
import { BuildScratch } from '../table/buildScratch.ts';
import { contextBytes, type Pieces, uploadPieces, writePieces } from '../table/context.ts';

/** What one call makes: uploads, scratch, collections. Most of it is in buffers that the `Gpu` keeps from call to call. */
export class CallMemory {
  readonly #scratch: BuildScratch;
  readonly #held: { destroy(): void }[] = [];
  #uploads = 0;

  constructor(readonly gpu: Gpu) {
    this.#scratch = new BuildScratch(gpu);
  }

  get workspace(): Workspace {
    return this.#scratch.workspace;
  }

  /** Uploads pieces one behind the other, into a buffer that may be larger. */
  upload(pieces: Pieces): GPUBuffer {
    const buffer = this.workspace.scratch(`relational/upload${this.#uploads++}`, contextBytes(pieces));
    writePieces(this.gpu, buffer, pieces);
    return buffer;
  }

  /** Uploads the bytes that strings point into: the size of their buffer tells how many there are. */
  uploadContext(pieces: Pieces): GPUBuffer {
    return uploadPieces(this.gpu, 'relational/context', pieces, (buffer) => this.hold(buffer));
  }

  /** Has something destroyed when the call has ended. */
  hold<T extends { destroy(): void }>(made: T): T {
    this.#held.push(made);
    return made;
  }

  /** All commands of the call are submitted, and have succeeded: what it borrowed goes back. */
  giveBack(): void {
    this.#scratch.release();
  }

  destroy(): void {
    for (const made of this.#held.reverse()) made.destroy();
    this.#scratch.destroy();
  }
}

/**
 * Uploads what a call needs before this returns, so that a caller may change arrays at once, and does its work. The memory of the call
 * lasts as long as that.
 */
export async function withMemory<L, T>(
  gpu: Gpu,
  load: (memory: CallMemory) => L,
  work: (loaded: L, memory: CallMemory) => Promise<T>,
  /** Gives the call up; what comes of it then is discarded. */
  signal: Signal | undefined,
  discard?: (result: T) => void,
): Promise<T> {
  const memory = new CallMemory(gpu);
  const done = async () => {
    try {
      const result = await work(await gpu.checked(() => load(memory)), memory);
      memory.giveBack();
      return result;
    } finally {
      memory.destroy();
    }
  };
  return abortable(signal, done(), discard);
}

/** Of more rows what comes back takes longer to be made up than pipelines take to be compiled. */
const MOST_REHEARSED = 2 ** 17;

/** Work of several submissions on so many rows, for `withMemory`: the pipelines of all are asked for with those of the first. */
export const askingAheadOf =
  <L, T>(rows: number, work: (loaded: L, memory: CallMemory) => Promise<T>) =>
  (loaded: L, memory: CallMemory): Promise<T> =>
    rows > MOST_REHEARSED
      ? work(loaded, memory)
      : askingAhead(
          memory.gpu,
          rows,
          () => work(loaded, memory),
          (idle) => work(loaded, new CallMemory(idle)),
        );
