/** What the kernels of a build have in common. */
import type { Bound, Recorder } from '../../gpu/index.ts';
import { fromWords, wordsOf } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { type Binding, join, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { type BuildView, buildView, type PlanRequest, type TableBuffers, type TablePlan } from '../contract/index.ts';
import { copiesCompete } from '../kit/copies.wgsl.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import { rankOf } from '../kit/token.wgsl.ts';
import type { Sequence, WordSequence } from './sequence.wgsl.ts';
import { type RobinHood, sequenceOf } from './shape.ts';
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
  /** The slots word by word, and the words of one. */
  readonly slots: Binding;
  readonly slotWords: number;
  /** The word of a slot. */
  wordOf(slot: WgslPart): Wgsl;
  /** Word `i` of what else stands in a slot: a key, if the word does not tell it, and a value. */
  keyWord(slot: WgslPart, i: number): Wgsl;
  valueWord(slot: WgslPart, i: number): Wgsl;
  bindSlots(table: TableBuffers): Bound;
  /** Records that all slots become empty. */
  recordClear(recorder: Recorder, table: TableBuffers): void;
}

export function partsOf({ made, request, fields, slotCount }: RobinHoodPlan): BuildParts {
  const { duplicates, valueWords } = request;
  const view = buildView(request, fields);
  const { probes, words } = sequenceOf(made, request, view.header);
  const stride = slotWords(request);
  const slots = storage('slots', 'array<atomic<u32>>', 'read_write');
  const apart = storage('words', 'array<atomic<u32>>', 'read_write');
  const inSlot = (slot: WgslPart, i: number): Wgsl => wgsl`${slots}[${slot} * ${stride}u + ${i}u]`;
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
    slots,
    slotWords: stride,
    wordOf: (slot) => (words ? inSlot(slot, 0) : wgsl`${apart}[${slot}]`),
    keyWord: inSlot,
    valueWord: (slot, i) => inSlot(slot, request.key.words + i),
    bindSlots: (table) => [[slots, table.get('slots')], ...(words ? [] : [[apart, table.get('words')] as const])],
    recordClear: (recorder, table) => {
      const [output, items] = words ? [table.get('slots'), slotCount * stride] : [table.get('words'), slotCount];
      recordFill(recorder, { output, value: 0, items });
    },
  };
}

/** The key in a slot, for keys that stand there; of the access's type of the input, whose bytes the table will have. */
export const keyInSlot = ({ request, view, keyWord }: BuildParts, slot: WgslPart): WgslPart =>
  view.keys.access.of(
    fromWords(Array.from({ length: request.key.words }, (_, i) => wgsl`atomicLoad(&${keyWord(slot, i)})`)),
  );

/** Statements that put the value of an item into a slot. */
export const storeValue = ({ request, view, valueWord }: BuildParts, slot: WgslPart, item: WgslPart) =>
  join(
    wordsOf(request.valueWords, view.valueAt(item)).map(
      (word, i) => wgsl`atomicStore(&${valueWord(slot, i)}, ${word});`,
    ),
    '\n  ',
  );
