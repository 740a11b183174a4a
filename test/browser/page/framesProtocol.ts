/** What the page that draws frames and the test runner say to each other. No imports, so that both can load it. */

/** What is made for the first time while frames are drawn. */
export const FIRSTS = ['HashMap', 'MultiMap', 'DynamicMap', 'SpatialGrid'] as const;

/** What happened while it was made and searched. */
export interface Drawn {
  /** Pipelines that were compiled while the page waited, and on other threads. */
  readonly blocking: number;
  readonly beside: number;
  /** Frames between the call and its answer. */
  readonly frames: number;
  readonly isRight: boolean;
}

/** What the page puts into its global scope. */
export interface FrameGlobals {
  __make(name: (typeof FIRSTS)[number]): Promise<Drawn>;
}
