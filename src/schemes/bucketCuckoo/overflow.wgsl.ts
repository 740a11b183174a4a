/**
 * The overflow: a small table with linear probing, behind the payload in the side buffer, for the few keys that found no
 * slot in their region. A search comes here only if both of its buckets say that such keys left them. A slot is a mark
 * (all ones where it is empty), the key and the value.
 */
import { multiplyHigh } from '../../hashing/index.ts';
import { fromWords, wordsOf } from '../../keys/index.ts';
import { type Binding, join, type Kernel, kernel, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { STATUS } from '../contract/index.ts';
import { forbidsCopies } from '../kit/copies.wgsl.ts';
import { EXAMPLE_ITEMS, EXAMPLE_THREADS, findExample, noteWitness, SPILLED } from './example.wgsl.ts';
import type { BuildParts } from './parcels.wgsl.ts';
import { regionShape } from './regionInput.wgsl.ts';
import type { Shape } from './shape.ts';
import { sideOut } from './writeBucket.wgsl.ts';

const THREADS = 64;

/** The mark of an empty slot. While it is built, the mark of another is the number of its spilled item. */
export const EMPTY = '0xffffffffu';

/** The side buffer as the overflow is built in it. */
export const overflowOut = storage('side', 'array<atomic<u32>>', 'read_write');

/** WGSL: `(slot: u32) -> u32`, the word of the side buffer with the mark of that slot. */
export const overflowAt = ({ layout, payloadWords, overflowWords }: Shape, header: Binding): Wgsl => wgsl`
fn overflowAt(slot: u32) -> u32 {
  let start = ${header}.regions * ${header}.bucketsPerRegion * ${layout.slots * payloadWords}u;
  return start + slot * ${overflowWords}u;
}`;

/** Statements by which the workgroups of all regions together empty the overflow. */
export const clearOverflow = (shape: Shape, header: Binding, threads: number): Wgsl => wgsl`
  let overflowWords = ${header}.overflowSlots * ${shape.overflowWords}u;
  for (var i = region * ${threads}u + thread; i < overflowWords; i += ${regionShape}.x * ${threads}u) {
    ${sideOut}[${overflowAt(shape, header)}(0u) + i] = ${EMPTY};
  }`;

/** WGSL: `() -> u32`, how many of the slots may be used: the rest keeps searches short. */
export const spillLimit = (header: Binding): Wgsl => wgsl`
fn spillLimit() -> u32 {
  return ${header}.overflowSlots - ${header}.overflowSlots / 4u;
}`;

/** Key and value of the slot whose mark is at word `at`. */
export function overflowSlot({ request }: Shape, side: Binding, at: string): { key: WgslPart; value: WgslPart } {
  const { key, valueWords } = request;
  const words = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => wgsl`${side}[${at} + ${first + i}u]`);
  return {
    key: fromWords(words(1, key.words)),
    value: valueWords === 0 ? '' : fromWords(words(1 + key.words, valueWords)),
  };
}

/** Up to so many slots, one workgroup does it all: that takes less time than starting several kernels. */
const FEW_SLOTS = 2048;

/** The last kernels of a build, and over how many items each runs. */
export type LastKernels = readonly (readonly [kernel: Kernel, items: number])[];

/**
 * The kernels that build the overflow from the spilled parcels: every one claims a slot, then every claimed slot is filled.
 * Where the policy forbids copies, an example of those that were met is looked for.
 */
export function lastKernels(parts: BuildParts): LastKernels {
  const { request, overflowSlots } = parts.shape;
  const looksForExample = forbidsCopies(request.duplicates);
  const claim = claimSlot(parts);
  const fill = fillSlot(parts);
  const slots = wgsl`${parts.view.header}.overflowSlots`;
  const example = findExample(parts);
  if (overflowSlots <= FEW_SLOTS) {
    const together = kernel({
      label: 'bucketCuckoo/overflow',
      threads: EXAMPLE_THREADS,
      body: wgsl`
  let spilled = ${spilledItems(parts)}();
  for (var i = thread; i < spilled; i += ${EXAMPLE_THREADS}u) { ${claim}(i); }
  storageBarrier();
  for (var i = thread; spilled > 0u && i < ${slots}; i += ${EXAMPLE_THREADS}u) { ${fill}(i); }
  ${looksForExample ? wgsl`${example}(thread, ${EXAMPLE_THREADS}u);` : ''}`,
    });
    return [[together, 1]];
  }
  const over = (label: string, body: Wgsl, threads = THREADS): Kernel =>
    kernel({ label: `bucketCuckoo/${label}`, threads, body });
  return [
    [over('overflowClaim', wgsl`if (item < ${spilledItems(parts)}()) { ${claim}(item); }`), overflowSlots],
    [over('overflowFill', wgsl`if (item < ${slots}) { ${fill}(item); }`), overflowSlots],
    ...(looksForExample
      ? [[over('example', wgsl`${example}(item, ${EXAMPLE_ITEMS}u);`, EXAMPLE_THREADS), EXAMPLE_ITEMS] as const]
      : []),
  ];
}

/** WGSL: `() -> u32`, how many items wait for a slot. */
const spilledItems = ({ view: { header } }: BuildParts): Wgsl => wgsl`
fn spilledItems() -> u32 {
  return min(atomicLoad(&${header}.stashed), ${spillLimit(header)}());
}`;

/** WGSL: `(item: u32)`, claims a slot for a spilled item. */
function claimSlot({ shape, view, parcels }: BuildParts): Wgsl {
  const { header } = view;
  const parcelOf = (i: string): Wgsl => wgsl`${parcels.spilled}[${i}]`;
  const isPreferred = parcels.isPreferred(parcelOf('item'), parcelOf('old'));
  const onCopy = forbidsCopies(shape.request.duplicates)
    ? noteWitness(header, `${SPILLED} + item`)
    : wgsl`atomicAdd(&${header}.copies, 1u);`;
  return wgsl`
fn claimSlot(item: u32) {
  let slotCount = ${header}.overflowSlots;
  let parcel = ${parcelOf('item')};
  var slot = ${multiplyHigh}(${parcels.fullHash('parcel')}.y, slotCount);
  // A step moves on or follows somebody else's success at this slot.
  for (var i = 0u; i < 2u * slotCount; i++) {
    let at = ${overflowAt(shape, header)}(slot);
    let old = atomicLoad(&${overflowOut}[at]);
    if (old == ${EMPTY}) {
      if (atomicCompareExchangeWeak(&${overflowOut}[at], old, item).exchanged) { return; }
    } else if (${parcels.isSameKey(parcelOf('old'), 'parcel')}) {
      if (!${isPreferred} || atomicCompareExchangeWeak(&${overflowOut}[at], old, item).exchanged) {
        ${onCopy}
        return;
      }
    } else {
      slot = select(slot + 1u, 0u, slot + 1u == slotCount);
    }
  }
  atomicOr(&${header}.status, ${STATUS.retry}u);
  atomicAdd(&${header}.failed, 1u);
}`;
}

/** WGSL: `(slot: u32)`, puts the item that has claimed a slot into it. */
function fillSlot({ shape, view, parcels }: BuildParts): Wgsl {
  const { key, valueWords } = shape.request;
  const words: WgslPart[] = [...wordsOf(key.words, 'storedKey'), ...wordsOf(valueWords, 'storedValue')];
  return wgsl`
fn fillSlot(slot: u32) {
  let at = ${overflowAt(shape, view.header)}(slot);
  let owner = atomicLoad(&${overflowOut}[at]);
  if (owner == ${EMPTY}) { return; }
  let parcel = ${parcels.spilled}[owner];
  let storedKey = ${parcels.storedKey('parcel')};
  ${valueWords > 0 ? wgsl`let storedValue = ${parcels.value('parcel')};` : ''}
  ${join(
    words.map((word, w) => wgsl`atomicStore(&${overflowOut}[at + ${1 + w}u], ${word});`),
    '\n  ',
  )}
}`;
}
