export type { HashConstants, HashFamily, HashStream } from './family.ts';
export { inverse, mix, unmix } from './mix.wgsl.ts';
export { multiplyHigh, multiplyHighTwin } from './multiply.wgsl.ts';
export { polynomial32, polynomial64, xorPrime } from './papers.wgsl.ts';
export { doubleHash, linear, type ProbeSequence, quadratic } from './probes.wgsl.ts';
export { drawSeed, randomWords, secretWords } from './random.ts';
export { rehash, rehashTwin } from './rehash.wgsl.ts';
export { universal } from './universal.wgsl.ts';

/** Stored with saved tables: a change to any family's results must raise it. */
export const HASH_VERSION = 1;
