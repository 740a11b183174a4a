/** What stands in a slot: its word, the key if the word does not tell it, and the value. */
import type { PlaceOrder } from '../../keys/index.ts';
import type { Binding } from '../../wgsl/index.ts';
import type { PlanRequest } from '../contract/index.ts';
import type { SlotShape } from '../kit/slot.wgsl.ts';
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

/** A slot as the kit knows it: the word, and the key behind it, are the words of its key. */
export const shapeOf = ({ key, valueWords }: Pick<PlanRequest, 'key' | 'valueWords'>): SlotShape => ({
  key: { words: key.isWord ? 1 : 1 + key.words },
  valueWords,
});

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
