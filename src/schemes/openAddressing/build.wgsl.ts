import { allOnes, wordsOf } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import {
  type Binding,
  join,
  type Kernel,
  kernel,
  once,
  storage,
  type Wgsl,
  type WgslPart,
  wgsl,
} from '../../wgsl/index.ts';
import {
  type BuildView,
  buildView,
  type GpuBuild,
  type PlanRequest,
  STATUS,
  type TablePlan,
} from '../contract/index.ts';
import { copiesCompete, forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { markedWords } from '../kit/extraSlot.wgsl.ts';
import { groupCounter, longestCounter } from '../kit/groupCounters.wgsl.ts';
import { slotWords } from '../kit/slot.wgsl.ts';
import { rankOf, tokenOf, tryClaim } from '../kit/token.wgsl.ts';
import { nextSlot } from './find.wgsl.ts';
import type { Probing } from './plan.ts';

const THREADS = 256;

interface BuildPlan extends Pick<TablePlan, 'request' | 'fields' | 'slotCount'> {
  readonly probing: Probing;
  readonly needsFill: boolean;
}

/** Builds by claim, then fill: WGSL has no 64-bit atomics to move a key with its value. */
export function openAddressingBuild({ probing, request, fields, slotCount, needsFill }: BuildPlan): GpuBuild {
  const kernels = once(() => {
    const view = buildView(request, fields);
    const parts = { request, view, words: storage('slots', 'array<atomic<u32>>', 'read_write') };
    return { ...parts, claim: claimKernel(probing, parts), fill: needsFill ? fillKernel(parts) : undefined };
  });
  return {
    on: 'gpu',
    record: (recorder, table, input) => {
      const { view, words, claim, fill } = kernels();
      const slots = table.get('slots');
      const bound = [...view.bind(table, input), [words, slots] as const];
      recordFill(recorder, { output: slots, value: 0xffffffff, items: slotCount * slotWords(request) });
      recorder.run(claim, bound, input.items);
      if (fill) recorder.run(fill, bound, slotCount);
    },
  };
}

interface KernelParts {
  readonly request: PlanRequest;
  readonly view: BuildView;
  /** The slots word by word, for atomics. */
  readonly words: Binding;
}

/** Statements that put the value of an item into a slot. */
function storeValue({ request, view, words }: KernelParts, slot: WgslPart, item: WgslPart): Wgsl {
  const { key, valueWords } = request;
  return join(
    wordsOf(valueWords, view.valueAt(item)).map(
      (word, i) => wgsl`atomicStore(&${words}[${slot} * ${slotWords(request)}u + ${key.words + i}u], ${word});`,
    ),
    '\n    ',
  );
}

/** Listing 3.1: every item looks for an empty slot along its probe sequence and takes it by compare-exchange. */
function claimKernel({ probes, family }: Probing, parts: KernelParts): Kernel {
  const { request, view, words } = parts;
  const { header, keys } = view;
  const { key, duplicates } = request;
  const token = tokenOf(key);
  const rank = rankOf(duplicates);
  const copies = groupCounter(header);
  const longest = longestCounter(header);
  const isSame =
    token === 'key'
      ? wgsl`old == token`
      : wgsl`${key.equals(keys.access, keys.access)}(${keys.at(wgsl`${rank}(old)`)}, key)`;
  const onCopy = forbidsCopies(duplicates) ? wgsl`${reportDuplicate(header)}(item);` : copies.count;

  return kernel({
    label: 'openAddressing/claim',
    threads: THREADS,
    body: wgsl`
  let capacity = ${header}.capacity;
  if (item < ${header}.count) {
    let stored = ${keys.stored('item')};
    let key = ${keys.access.of('stored')};
    let isOnes = ${allOnes(key.words, 'stored')};
    let token = ${token === 'key' ? 'select(stored, 0u, isOnes)' : wgsl`${rank}(item)`};
    let hash = ${key.hash(keys.access, family)}(key, ${header}.hash);
    var slot = select(${family.reduce}(hash.x, capacity), capacity, isOnes);
    var attempt = 1u;
    var settled = false;
    var isCopy = false;
    for (; attempt <= ${header}.insertLimit; attempt++) {
      let old = ${tryClaim(header, words)}(slot * ${slotWords(request)}u, token);
      isCopy = old != 0xffffffffu && ${isSame};
      settled = isCopy || old == 0xffffffffu;
      if (settled) { break; }
      slot = ${nextSlot(probes)}(slot, attempt, hash.y, capacity, ${header}.probeLimit);
    }
    if (settled) {
      ${onSettled(parts)}
      ${longest.note('attempt')}
    } else {
      atomicOr(&${header}.status, ${STATUS.retry}u);
      atomicAdd(&${header}.failed, 1u);
    }
    if (isCopy) { ${onCopy} }
  }
  workgroupBarrier();
  if (thread == 0u) {${longest.flush}${copies.flush}
  }`,
  });
}

/** What an item does with the slot of its key: the copies of a key compete by their ranks, or the first to come fills it. */
function onSettled(parts: KernelParts): WgslPart {
  const { words, request } = parts;
  const { key, valueWords, duplicates } = request;
  const hasKeyToken = tokenOf(key) === 'key';
  if (!copiesCompete(duplicates)) {
    return hasKeyToken && valueWords > 0 ? wgsl`if (!isCopy) { ${storeValue(parts, 'slot', 'item')} }` : '';
  }
  if (!hasKeyToken) return wgsl`if (isCopy) { atomicMin(&${words}[slot * ${slotWords(request)}u], token); }`;
  if (valueWords === 0) return '';
  return wgsl`atomicMin(&${words}[slot * ${slotWords(request)}u + 1u], ${rankOf(duplicates)}(item));`;
}

/** Every claimed slot gets what its token stands for: the key where it is a rank, and the value of the winning copy. */
function fillKernel(parts: KernelParts): Kernel {
  const { request, view, words } = parts;
  const { key, duplicates } = request;
  const { header, keys } = view;
  const isRank = tokenOf(key) === 'rank';
  const word = (i: number): Wgsl => wgsl`${words}[item * ${slotWords(request)}u + ${i}u]`;
  const storeKey = wgsl`
  let stored = ${keys.stored('owner')};
  ${join(
    markedWords(key.words, wgsl`item == ${header}.capacity`).map((part, i) => wgsl`atomicStore(&${word(i)}, ${part});`),
    '\n  ',
  )}`;
  return kernel({
    label: 'openAddressing/fill',
    threads: THREADS,
    body: wgsl`
  if (item > ${header}.capacity) { return; }
  let first = atomicLoad(&${word(0)});
  if (first == 0xffffffffu) { return; }
  let owner = ${rankOf(duplicates)}(${isRank ? 'first' : wgsl`atomicLoad(&${word(1)})`});
  ${isRank ? storeKey : ''}
  ${storeValue(parts, 'item', 'owner')}`,
  });
}
