import type { Recorder } from '../../gpu/index.ts';
import { allOnes, wordsOf, wordsType } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { join, type Kernel, kernel, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader, STATUS } from '../contract/header.wgsl.ts';
import { type BuildInput, bufferOf, type Duplicates, type TableBuffers, type TablePlan } from '../contract/scheme.ts';
import { forbidsCopies, reportDuplicate } from '../kit/copies.wgsl.ts';
import { copyCounter, longestCounter } from '../kit/groupCounters.wgsl.ts';
import { keptPerPlan } from '../kit/keptPerPlan.ts';
import { competes, rankOf, type Token, tokenOf, tryClaim } from '../kit/token.wgsl.ts';
import { nextSlot, type Probing } from './find.wgsl.ts';

const THREADS = 256;

/** Builds by claim, then fill: WGSL has no 64-bit atomics to move a key with its value. */
export function recordBuild(
  probing: Probing,
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  input: BuildInput,
): void {
  const { key, valueWords, capacitySlots, duplicates } = plan;
  const slotWords = key.words + valueWords;
  const slotBuffer = bufferOf(buffers, 'slots');
  const words = (capacitySlots + 1) * slotWords;
  recordFill(recorder, { output: slotBuffer, value: 0xffffffff, items: words });

  const kernels = kernelsOf(plan, probing);
  const common = [
    [buildHeader, buffers.header],
    [kernels.slots, slotBuffer],
    [kernels.keys, input.keys],
  ] as const;
  const values = input.values === undefined ? [] : [[kernels.values, input.values] as const];
  recorder.run(kernels.claim, [...common, ...values], input.items);
  if (needsFill(tokenOf(plan), valueWords, duplicates)) {
    recorder.run(kernels.fill, [...common, ...values], capacitySlots + 1);
  }
}

const kernelsOf = keptPerPlan(buildKernels);

const needsFill = (token: Token, valueWords: number, duplicates: Duplicates): boolean =>
  token === 'rank' || (valueWords > 0 && competes(duplicates));

function buildKernels(plan: TablePlan, probing: Probing) {
  const { key, valueWords, duplicates } = plan;
  const slotWords = key.words + valueWords;
  const token = tokenOf(plan);
  const slots = storage('slots', 'array<atomic<u32>>', 'read_write');
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  const values = storage('values', wgsl`array<${wordsType(valueWords || 1)}>`);

  const rank = rankOf(duplicates);

  const storeValue = (slot: WgslPart, item: WgslPart): Wgsl =>
    join(
      wordsOf(valueWords, wgsl`${values}[${item}]`)
        .slice(0, valueWords)
        .map((word, i) => wgsl`atomicStore(&${slots}[${slot} * ${slotWords}u + ${key.words + i}u], ${word});`),
      '\n    ',
    );

  return {
    slots,
    keys,
    values,
    claim: claimKernel({ probing, plan, token, slots, keys, rank, storeValue }),
    fill: fillKernel({ plan, token, slots, keys, rank, storeValue }),
  };
}

interface KernelParts {
  readonly plan: TablePlan;
  readonly token: Token;
  readonly slots: ReturnType<typeof storage>;
  readonly keys: ReturnType<typeof storage>;
  readonly rank: Wgsl;
  readonly storeValue: (slot: WgslPart, item: WgslPart) => Wgsl;
}

/** Listing 3.1: every item looks for an empty slot along its probe sequence and takes it by compare-exchange. */
function claimKernel(parts: KernelParts & { readonly probing: Probing }): Kernel {
  const { probing, plan, token, slots, keys, rank, storeValue } = parts;
  const { key, valueWords, duplicates } = plan;
  const { probes, family } = probing;
  const slotWords = key.words + valueWords;
  const input = key.access('input');
  const copies = copyCounter();
  const longest = longestCounter();

  const sameKey =
    token === 'key'
      ? wgsl`old == token`
      : wgsl`${key.equals(input, input)}(${input.of(wgsl`${keys}[${rank}(old)]`)}, key)`;

  const onSettled = competes(duplicates)
    ? token === 'rank'
      ? wgsl`if (isCopy) { atomicMin(&${slots}[slot * ${slotWords}u], token); }`
      : valueWords > 0
        ? wgsl`atomicMin(&${slots}[slot * ${slotWords}u + 1u], ${rank}(item));`
        : ''
    : token === 'key' && valueWords > 0
      ? wgsl`if (!isCopy) { ${storeValue('slot', 'item')} }`
      : '';

  const onCopy = forbidsCopies(duplicates) ? wgsl`${reportDuplicate}(item);` : copies.count;

  return kernel({
    label: 'openAddressing/claim',
    threads: THREADS,
    body: wgsl`
  let capacity = ${buildHeader}.capacity;
  if (item < ${buildHeader}.count) {
    let stored = ${keys}[item];
    let key = ${input.of('stored')};
    let isOnes = ${allOnes(key.words, 'stored')};
    let token = ${token === 'key' ? 'select(stored, 0u, isOnes)' : wgsl`${rank}(item)`};
    let hash = ${key.hash(input, family)}(key, ${buildHeader}.hash);
    var slot = select(${family.reduce}(hash.x, capacity), capacity, isOnes);
    var attempt = 1u;
    var settled = false;
    var isCopy = false;
    for (; attempt <= ${buildHeader}.own.y; attempt++) {
      let old = ${tryClaim(slots)}(slot * ${slotWords}u, token);
      isCopy = old != 0xffffffffu && ${sameKey};
      settled = isCopy || old == 0xffffffffu;
      if (settled) { break; }
      slot = ${nextSlot(probes)}(slot, attempt, hash.y, capacity, ${buildHeader}.own.x);
    }
    if (settled) {
      ${onSettled}
      ${longest.note('attempt')}
    } else {
      atomicOr(&${buildHeader}.status, ${STATUS.retry}u);
      atomicAdd(&${buildHeader}.failed, 1u);
    }
    if (isCopy) { ${onCopy} }
  }
  workgroupBarrier();
  if (thread == 0u) {${longest.flush}${copies.flush}
  }`,
  });
}

/** Every claimed slot gets what its token stands for: the key where it is a rank, and the value of the winning copy. */
function fillKernel({ plan, token, slots, keys, rank, storeValue }: KernelParts): Kernel {
  const { key, valueWords } = plan;
  const slotWords = key.words + valueWords;
  const owner = token === 'rank' ? wgsl`first` : wgsl`atomicLoad(&${slots}[item * ${slotWords}u + 1u])`;
  const storeKey = wordsOf(key.words, 'stored').map((word, i) => {
    // The extra slot is marked as taken by a first word that is not all ones.
    const marked = i === 0 ? wgsl`select(${word}, 0u, item == ${buildHeader}.capacity)` : word;
    return wgsl`atomicStore(&${slots}[item * ${slotWords}u + ${i}u], ${marked});`;
  });
  return kernel({
    label: 'openAddressing/fill',
    threads: THREADS,
    body: wgsl`
  if (item > ${buildHeader}.capacity) { return; }
  let first = atomicLoad(&${slots}[item * ${slotWords}u]);
  if (first == 0xffffffffu) { return; }
  let owner = ${rank}(${owner});
  ${
    token === 'rank'
      ? wgsl`
  let stored = ${keys}[owner];
  ${join(storeKey, '\n  ')}`
      : ''
  }
  ${storeValue('item', 'owner')}`,
  });
}
