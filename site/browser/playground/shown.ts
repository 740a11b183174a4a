/** What the page shows and its script uses: known to both. */

/** Probes that have a colour of their own; the last is for all longer searches. */
export const SHADES = ['1', '2', '3', '4', '5 to 8', 'more'] as const;

/** What a visitor's kernel may use, put before it; the table's functions follow. */
export const PRELUDE = `@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;`;
