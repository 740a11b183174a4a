export type { HashConstants, HashFamily, HashStream } from './family.ts';
export { mix, unmix } from './mix.ts';
export { multiplyHigh, multiplyHighTwin } from './multiply.ts';
export { polynomial32, polynomial64, xorPrime } from './papers.ts';
export { doubleHash, linear, type ProbeSequence, quadratic } from './probes.ts';
export { drawSeed, randomWords } from './random.ts';
export { rehash, rehashTwin } from './rehash.ts';
export { universal } from './universal.ts';

/** Stored with saved tables: a change to any family's results must raise it. */
export const HASH_VERSION = 1;
