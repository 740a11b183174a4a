/**
 * Cuckoo hashing over d subtables, of which every key may use two (Li, Zhu, Lyu, Huang and Sun 2021). A table that grows doubles its
 * smallest subtable, one that shrinks halves its largest, and all others stay as they are.
 */
import { refuse } from '../../gpu/index.ts';
import type { DynamicScheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { planDyCuckoo } from './plan.ts';

/** What a table of subtables is made with. */
export interface DyCuckooOptions {
  /** How many subtables there are, 2 to 8: the more, the finer are the steps by which the table grows and shrinks. Default 4. */
  readonly subtables?: number;
}

const FEWEST = 2;
const MOST = 8;

/** Tables that grow and shrink a part at a time: `docs/dynamic.md`. */
export function dyCuckoo(options: DyCuckooOptions = {}): DynamicScheme {
  requireSchemeOptions('dyCuckoo', options, ['subtables']);
  const { subtables = 4 } = options;
  if (!Number.isInteger(subtables) || subtables < FEWEST || subtables > MOST) {
    refuse('subtables', `a whole number from ${FEWEST} to ${MOST}`, subtables);
  }
  return {
    name: 'dyCuckoo',
    options: { subtables },
    mostFilled: 0.9,
    // One step makes the table larger by a d-th at most (section IV-B, with the bound that it must not fall below as well).
    closestBounds: subtables / (subtables + 1),
    plan: (request) => planDyCuckoo(request, subtables),
  };
}
