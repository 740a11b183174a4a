/**
 * The overflow: a small table with linear probing, behind the payload in the side buffer, for the few keys that found no
 * place in their region. A search comes here only if both of its buckets say that such keys left them. A slot is a mark
 * (all ones where it is empty), the key and the value.
 */
import type { Recorder } from '../../gpu/index.ts';
import { multiplyHigh } from '../../hashing/index.ts';
import { fromWords, wordsOf } from '../../keys/index.ts';
import { recordFill } from '../../primitives/index.ts';
import { type Binding, join, kernel, storage, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader, STATUS } from '../contract/header.wgsl.ts';
import { bufferOf, type TableBuffers, type TablePlan } from '../contract/scheme.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { keptPerPlan } from '../kit/keptPerPlan.ts';
import { geometry, OWN } from './geometry.wgsl.ts';
import { shapeOf } from './plan.ts';
import { recordsOf } from './records.wgsl.ts';

const THREADS = 64;
const EMPTY = '0xffffffffu';
const side = storage('side', 'array<atomic<u32>>', 'read_write');

/** Key and value of the overflow slot whose mark is at word `at`. */
export function overflowSlot(plan: TablePlan, sideBuffer: Binding, at: string): { key: WgslPart; value: WgslPart } {
  const { key, valueWords } = plan;
  const words = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => wgsl`${sideBuffer}[${at} + ${first + i}u]`);
  return {
    key: fromWords(words(1, key.words)),
    value: valueWords === 0 ? '' : fromWords(words(1 + key.words, valueWords)),
  };
}

const kernelsOf = keptPerPlan(overflowKernels);

/** Builds the overflow from the spilled records. */
export function recordOverflow(recorder: Recorder, plan: TablePlan, buffers: TableBuffers, spilled: GPUBuffer): void {
  const { buckets, layout, payloadWords, overflowSlots, overflowWords } = shapeOf(plan);
  const sideBuffer = bufferOf(buffers, 'side');
  const kernels = kernelsOf(plan);
  recordFill(recorder, {
    output: sideBuffer,
    value: 0xffffffff,
    items: overflowSlots * overflowWords,
    offsetItems: buckets * layout.slots * payloadWords,
  });
  const bound = [
    [buildHeader, buffers.header],
    [side, sideBuffer],
    [kernels.spilled, spilled],
  ] as const;
  recorder.run(kernels.claim, bound, overflowSlots);
  recorder.run(kernels.fill, bound, overflowSlots);
}

function overflowKernels(plan: TablePlan) {
  const { key, valueWords, duplicates } = plan;
  const shape = shapeOf(plan);
  const { overflowWords, indexed } = shape;
  const { overflowStart, spillLimit } = geometry(shape, buildHeader);
  const records = recordsOf(plan, buildHeader);
  const spilled = records.readable;
  const index = (i: string) => records.index(wgsl`${spilled}[${i}]`);
  const better = indexed ? wgsl`(${index('item')} ${duplicates === 'first' ? '<' : '>'} ${index('old')})` : 'false';
  const copiesAllowed = !forbidsCopies(duplicates);
  const onCopy = copiesAllowed
    ? wgsl`atomicAdd(&${buildHeader}.copies, 1u);`
    : wgsl`
        atomicOr(&${buildHeader}.status, ${STATUS.duplicate}u);
        // Places of spilled items are counted behind those of the others.
        atomicMin(&${buildHeader}.witness, ${buildHeader}.count + item);`;

  const claim = kernel({
    label: 'bucketCuckoo/overflowClaim',
    threads: THREADS,
    body: wgsl`
  let slotCount = ${buildHeader}.${OWN.overflowSlots};
  if (item >= min(atomicLoad(&${buildHeader}.stashed), ${spillLimit}())) { return; }
  let record = ${spilled}[item];
  var slot = ${multiplyHigh}(${records.fullHash('record')}.y, slotCount);
  // A step moves on or follows somebody else's success at this slot.
  for (var i = 0u; i < 2u * slotCount; i++) {
    let at = ${overflowStart}() + slot * ${overflowWords}u;
    let old = atomicLoad(&${side}[at]);
    if (old == ${EMPTY}) {
      if (atomicCompareExchangeWeak(&${side}[at], old, item).exchanged) { return; }
    } else if (${records.sameKey(wgsl`${spilled}[old]`, 'record')}) {
      if (!${better} || atomicCompareExchangeWeak(&${side}[at], old, item).exchanged) {
        ${onCopy}
        return;
      }
    } else {
      slot = select(slot + 1u, 0u, slot + 1u == slotCount);
    }
  }
  atomicOr(&${buildHeader}.status, ${STATUS.retry}u);
  atomicAdd(&${buildHeader}.failed, 1u);`,
  });

  const words: WgslPart[] = [
    ...wordsOf(key.words, 'storedKey'),
    ...(valueWords > 0 ? wordsOf(valueWords, 'storedValue') : []),
  ];
  const fill = kernel({
    label: 'bucketCuckoo/overflowFill',
    threads: THREADS,
    body: wgsl`
  if (item >= ${buildHeader}.${OWN.overflowSlots}) { return; }
  let at = ${overflowStart}() + item * ${overflowWords}u;
  let owner = atomicLoad(&${side}[at]);
  if (owner == ${EMPTY}) { return; }
  let storedKey = ${records.storedKey(wgsl`${spilled}[owner]`)};
  ${valueWords > 0 ? wgsl`let storedValue = ${records.value(wgsl`${spilled}[owner]`)};` : ''}
  ${join(
    words.map((word, w) => wgsl`atomicStore(&${side}[at + ${1 + w}u], ${word});`),
    '\n  ',
  )}`,
  });
  return { claim, fill, spilled };
}
