/** What the kernels of a build have in common. */
import type { Bound } from '../../gpu/index.ts';
import { allOnes } from '../../keys/index.ts';
import { type Binding, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { type BuildView, buildView, NO_SLOT, type PlanRequest, type TablePlan } from '../contract/index.ts';
import { copiesCompete } from '../kit/copies.wgsl.ts';
import { slotsType, slotWords } from '../kit/slot.wgsl.ts';
import { rankOf, type Token, tokenOf } from '../kit/token.wgsl.ts';
import { type Choices, type Cuckoo, choicesOf } from './choices.wgsl.ts';
import { type SeenSlots, searchFor } from './search.wgsl.ts';

/** What a build has to know of its plan. */
export interface CuckooPlan extends Pick<TablePlan, 'request' | 'fields' | 'slotCount'> {
  readonly cuckoo: Cuckoo;
  /** Whether there may be more items than the table has room for, because copies are dropped. */
  readonly isCrowded: boolean;
}

export interface BuildParts {
  readonly cuckoo: Cuckoo;
  readonly request: PlanRequest;
  readonly view: BuildView;
  /** The choices of keys of the input. */
  readonly choices: Choices;
  readonly token: Token;
  /** WGSL: `(item: u32) -> u32` and back. */
  readonly rank: Wgsl;
  /** Whether the owner of a slot is chosen among the copies of its key; its rank is then kept in the value meanwhile. */
  readonly ownerIsChosen: boolean;
  readonly slotWords: number;
  /** The slots word by word, for atomics; a kernel binds one view only. */
  readonly words: Binding;
  /** The slots as a whole. */
  readonly slots: Binding;
  readonly slotsOut: Binding;
  bindSlots(slots: GPUBuffer): Bound;
}

export function partsOf({ cuckoo, request, fields }: CuckooPlan): BuildParts {
  const { key, valueWords, duplicates } = request;
  const view = buildView(request, fields);
  const token = tokenOf(key);
  // If several copies of a key wrote their values to its slot, the words of wide values could be mixed.
  const isTorn = duplicates === 'any' && token === 'key' && valueWords > 1;
  const words = storage('words', 'array<atomic<u32>>', 'read_write');
  const slots = storage('slots', slotsType(request));
  const slotsOut = storage('slots', slotsType(request), 'read_write');
  return {
    cuckoo,
    request,
    view,
    choices: choicesOf(cuckoo, key, view.keys.access),
    token,
    rank: rankOf(duplicates),
    ownerIsChosen: valueWords > 0 && (copiesCompete(duplicates) || isTorn),
    slotWords: slotWords(request),
    words,
    slots,
    slotsOut,
    bindSlots: (buffer) => [words, slots, slotsOut].map((binding) => [binding, buffer] as const),
  };
}

/** The key that a token stands for. */
export const keyOfToken = ({ view, token, rank }: BuildParts, word: WgslPart): WgslPart =>
  token === 'key' ? view.keys.access.of(word) : view.keys.at(wgsl`${rank}(${word})`);

/** WGSL: `(a, b) -> bool`, whether two keys of the input are the same. */
export const isSameKey = ({ request, view }: BuildParts): Wgsl =>
  request.key.equals(view.keys.access, view.keys.access);

/** Slots that hold keys already, not tokens. */
export function keySlots(parts: BuildParts, load: SeenSlots['load']): SeenSlots {
  const { request, view } = parts;
  return {
    load,
    isEmpty: (stored) => allOnes(request.key.words, stored),
    hasKey: (stored) => wgsl`${isSameKey(parts)}(${view.keys.access.of(stored)}, key)`,
  };
}

/** WGSL: `(key) -> u32`, the slot at which a search would find the key of an item now, or `NO_SLOT`. */
export function locate({ cuckoo, view, choices }: BuildParts, slots: SeenSlots): Wgsl {
  const { header } = view;
  const search = searchFor({
    cuckoo,
    choices,
    header,
    stashed: wgsl`atomicLoad(&${header}.stashed)`,
    slots,
    found: (index) => index,
    absent: () => `${NO_SLOT}u`,
  });
  return wgsl`
fn locate(key: ${view.keys.access.type}) -> u32 {
  ${search}
}`;
}
