import { wordsType } from '../../keys/index.ts';
import { type Binding, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { TablePlan } from '../contract/scheme.ts';
import { slotsType, slotWords } from '../kit/slot.wgsl.ts';
import { competes, rankOf, type Token, tokenOf } from '../kit/token.wgsl.ts';
import type { Cuckoo } from './places.wgsl.ts';

/** What the kernels of a build have in common. */
export interface BuildParts {
  readonly cuckoo: Cuckoo;
  readonly plan: TablePlan;
  readonly token: Token;
  readonly slotWords: number;
  /** The slots word by word, for atomics; a kernel binds one view only. */
  readonly words: Binding;
  /** The slots as a whole. */
  readonly slots: Binding;
  readonly slotsOut: Binding;
  readonly keys: Binding;
  readonly values: Binding;
  /** WGSL: `(item: u32) -> u32` and back. */
  readonly rank: Wgsl;
  /** The key as the input's side knows it, from a token. */
  keyOf(token: WgslPart): WgslPart;
  /** Whether the owner of a slot is chosen among the copies of its key; its rank is then kept in the value meanwhile. */
  readonly ownerIsChosen: boolean;
}

export function partsOf(cuckoo: Cuckoo, plan: TablePlan): BuildParts {
  const { key, valueWords, duplicates } = plan;
  const token = tokenOf(plan);
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  const rank = rankOf(duplicates);
  const input = key.access('input');
  // Copies of a key that write their values one by one would mix the words of wide values.
  const isTorn = duplicates === 'any' && token === 'key' && valueWords > 1;
  return {
    cuckoo,
    plan,
    token,
    slotWords: slotWords(plan),
    words: storage('words', 'array<atomic<u32>>', 'read_write'),
    slots: storage('slots', slotsType(plan)),
    slotsOut: storage('slots', slotsType(plan), 'read_write'),
    keys,
    values: storage('values', wgsl`array<${wordsType(valueWords || 1)}>`),
    rank,
    keyOf: (word) => input.of(token === 'key' ? word : wgsl`${keys}[${rank}(${word})]`),
    ownerIsChosen: valueWords > 0 && (competes(duplicates) || isTorn),
  };
}
