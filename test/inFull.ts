/**
 * Whether this is `npm run test:full`. Every day, what repeats other tests is left out: more seeds, more sizes of the same kind, the same
 * ways once more. Files that ask are listed in `vitest.config.ts`.
 */
export const inFull = process.env.HASHNEST_TESTS === 'full';
