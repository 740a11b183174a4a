/** What the kernels of a build have in common. */
import type { Bound } from '../../gpu/index.ts';
import { fromWords, wordsOf } from '../../keys/index.ts';
import { type Binding, join, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { type BuildView, buildView, type PlanRequest, type TablePlan } from '../contract/index.ts';
import { copiesCompete } from '../kit/copies.wgsl.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import { rankOf } from '../kit/token.wgsl.ts';
import type { Sequence, WordSequence } from './sequence.wgsl.ts';
import { type RobinHood, sequenceOf, shapeOf } from './shape.ts';
import { type WordFunctions, wordFunctions } from './word.wgsl.ts';

/** Threads of a workgroup, as in the paper (section 3.2). */
export const THREADS = 192;

/** Probes after which an insertion is given up, those of the keys included that it evicts one after the other. */
export const MOST_PROBES = 100_000;

/** What a build has to know of its plan. */
export interface RobinHoodPlan extends Pick<TablePlan, 'request' | 'fields' | 'slotCount'> {
  readonly made: RobinHood;
}

export interface BuildParts {
  readonly made: RobinHood;
  readonly request: PlanRequest;
  readonly view: BuildView;
  readonly probes: Sequence;
  /** Of one-word keys. */
  readonly words: WordSequence | undefined;
  readonly word: WordFunctions;
  /** WGSL: `(item: u32) -> u32` and back; of the copies of a key, the one of the least rank is kept. */
  readonly rank: Wgsl;
  /** Whether the owner of a slot is chosen among the copies of its key when all of them are known. */
  readonly ownerIsChosen: boolean;
  readonly slotWords: number;
  /** The slots word by word. */
  readonly slots: Binding;
  /** Word `i` of a slot. */
  slotWord(slot: WgslPart, i?: number): Wgsl;
  /** Where the words of values begin in a slot. */
  readonly firstValueWord: number;
  bindSlots(slots: GPUBuffer): Bound;
}

export function partsOf({ made, request, fields }: RobinHoodPlan): BuildParts {
  const { duplicates, valueWords } = request;
  const view = buildView(request, fields);
  const { probes, words } = sequenceOf(made, request, view.header);
  const shape = shapeOf(request);
  const slots = storage('slots', 'array<atomic<u32>>', 'read_write');
  // If several copies of a key wrote their values to its slot, the words of wide values could be mixed.
  const isTorn = duplicates === 'any' && valueWords > 1;
  return {
    made,
    request,
    view,
    probes,
    words,
    word: wordFunctions(view.header),
    rank: rankOf(duplicates),
    ownerIsChosen: valueWords > 0 && (copiesCompete(duplicates) || isTorn),
    slotWords: slotWords(shape),
    slots,
    slotWord: (slot, i = 0) => wgsl`${slots}[${slot} * ${slotWords(shape)}u + ${i}u]`,
    firstValueWord: shape.key.words,
    bindSlots: (buffer) => [[slots, buffer]],
  };
}

/** The key in a slot, for keys that stand there; of the access's type of the input, whose bytes the table will have. */
export const keyInSlot = ({ request, view, slotWord }: BuildParts, slot: WgslPart): WgslPart =>
  view.keys.access.of(
    fromWords(Array.from({ length: request.key.words }, (_, i) => wgsl`atomicLoad(&${slotWord(slot, 1 + i)})`)),
  );

/** Statements that put the value of an item into a slot. */
export const storeValue = ({ request, view, slotWord, firstValueWord }: BuildParts, slot: WgslPart, item: WgslPart) =>
  join(
    wordsOf(request.valueWords, view.valueAt(item)).map(
      (word, i) => wgsl`atomicStore(&${slotWord(slot, firstValueWord + i)}, ${word});`,
    ),
    '\n  ',
  );
