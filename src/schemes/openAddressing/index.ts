/**
 * Open addressing: linear probing, quadratic probing and double hashing (Alcantara 2011, chapter 3). They differ in the
 * step from slot to slot and in nothing else.
 */
import { doubleHash, type HashFamily, linear, mix, type ProbeSequence, quadratic } from '../../hashing/index.ts';
import type { Scheme } from '../contract/index.ts';
import { requireSchemeOptions } from '../kit/options.ts';
import { planOpenAddressing } from './plan.ts';

/** Options of `linearProbing`, `quadraticProbing` and `doubleHashing`. */
export interface OpenAddressingOptions {
  /** Items per slot, above 0 and at most 1. Default 0.8, the dissertation's 1.25 N slots. */
  readonly loadFactor?: number;
  /** Exactly this many slots, instead of a load factor; the table then never grows. */
  readonly capacitySlots?: number;
  /** The hash family. Default `mix`; the others reproduce the dissertation. */
  readonly hash?: HashFamily;
}

function openAddressing(name: string, probes: ProbeSequence, options: OpenAddressingOptions): Scheme {
  requireSchemeOptions(name, options, ['loadFactor', 'capacitySlots', 'hash']);
  const { loadFactor, capacitySlots, hash: family = mix } = options;
  const size = capacitySlots === undefined ? { loadFactor: loadFactor ?? 0.8 } : { capacitySlots };
  return {
    name,
    options: { ...size, hash: family.name },
    plan: (request) => planOpenAddressing({ name, probes, family }, options, request),
    withOptions: (saved) => openAddressing(name, probes, { ...saved, hash: family }),
  };
}

/** Probes one slot after the other: fastest at low loads, long searches at high ones. */
export const linearProbing = (options: OpenAddressingOptions = {}): Scheme =>
  openAddressing('linearProbing', linear, options);

/** Probes in growing steps, the same for all keys. */
export const quadraticProbing = (options: OpenAddressingOptions = {}): Scheme =>
  openAddressing('quadraticProbing', quadratic, options);

/** Probes in growing steps that depend on the key. */
export const doubleHashing = (options: OpenAddressingOptions = {}): Scheme =>
  openAddressing('doubleHashing', doubleHash, options);
