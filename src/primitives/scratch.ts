/** Scratch memory that a primitive takes from its workspace, for planning ahead. */
export interface ScratchBuffer {
  /** Unique among all primitives: `sort/keys`. */
  readonly name: string;
  readonly bytes: number;
}
