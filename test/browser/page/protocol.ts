/** What the page and the test runner say to each other. No imports, so that both can load it. */

/** How one conformance entry ended; `failure` is undefined where it passed. */
export interface ConformanceResult {
  readonly failure: string | undefined;
  readonly milliseconds: number;
}

/** What the page puts into its global scope. */
export interface ConformanceGlobals {
  /** Results so far, by the entry's name. */
  __results: Record<string, ConformanceResult>;
  /** Runs one entry of the list. */
  __run(name: string): Promise<ConformanceResult>;
}

/** With this at the end of its address the page waits for calls of `__run`; without it, it runs everything by itself. */
export const ON_DEMAND = '#on-demand';
