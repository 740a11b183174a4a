/** Rehearses calls, to compile what they need. */
export { rehearseCalls } from './rehearseCalls.ts';
