/**
 * What stands in a slot. Of one-word keys it is the word and the value. Words of wider keys are in a buffer of their own, and a slot is
 * the key and the value: most searches for absent keys then end without a look at any key.
 */
import type { PlaceOrder } from '../../keys/index.ts';
import type { Binding } from '../../wgsl/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { PlanRequest, TableBuffer } from '../contract/index.ts';
import { slotsBuffer } from '../kit/slot.wgsl.ts';
import { keySequence, type Sequence, type SequenceName, type WordSequence, wordSequence } from './sequence.wgsl.ts';

/** What a scheme was made with, as far as kernels depend on it. */
export interface RobinHood {
  readonly sequence: SequenceName;
  /** Whether keys are evicted by more senior ones. */
  readonly evict: boolean;
  /** Whether maximum ages are kept. */
  readonly reject: boolean;
  readonly order: PlaceOrder | undefined;
}

/** The buffers of so many slots. */
export const slotBuffers = (request: Pick<PlanRequest, 'key' | 'valueWords'>, slots: number): TableBuffer[] => [
  ...(request.key.isWord ? [] : [{ name: 'words', bytes: WORD_BYTES * slots, type: 'array<u32>' }]),
  slotsBuffer('slots', request, slots),
];

/** The probes of the keys of a request; those of one-word keys can be resumed. */
export function sequenceOf(
  { sequence, order }: RobinHood,
  { key }: Pick<PlanRequest, 'key'>,
  header: Binding,
): { readonly probes: Sequence; readonly words: WordSequence | undefined } {
  if (!key.isWord) return { probes: keySequence(sequence, key, order, header), words: undefined };
  const words = wordSequence(sequence, header);
  return { probes: words, words };
}
