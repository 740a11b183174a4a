/** What the page with three.js and luma.gl and the test runner say to each other. No imports, so that both can load it. */

/** Everything that the page tries. */
export const BRIDGE_CASES = [
  'runs the example',
  'runs the example of luma.gl',
  'finds what a Map finds, in a compute shader',
  'compiles nothing while the page waits',
  'follows a map that is rebuilt in larger buffers, and a dynamic one',
  'searches in the vertices and fragments of a material',
  'searches tables of other keys, values and schemes',
  'is included in functions of WGSL',
  'searches for strings, by the bytes that they point into',
  'asks for keys that are not there',
  'builds tables from storage attributes, and writes into them',
  'lends buffers to storage nodes',
  'searches two tables in one shader',
  'refuses renderers that are not ready, or draw with WebGL',
  'refuses devices of the compatibility mode',
  'refuses what it cannot take',
  'leaves tables alone when a renderer is disposed',
  'tells that the device is lost',
] as const;

/** What the page puts into its global scope. */
export interface BridgeGlobals {
  /** Tries one of them: what went wrong, if anything did. */
  __try(name: string): Promise<string | undefined>;
}
