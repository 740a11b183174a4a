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
import { noteWitness } from './example.wgsl.ts';
import type { BuildParts } from './parcels.wgsl.ts';
import type { Shape } from './shape.ts';

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

/** The kernels that build the overflow from the spilled parcels: every one claims a slot, then every claimed slot is filled. */
export const overflowKernels = (parts: BuildParts): { readonly claim: Kernel; readonly fill: Kernel } => ({
  claim: claimKernel(parts),
  fill: fillKernel(parts),
});

function claimKernel({ shape, view, parcels }: BuildParts): Kernel {
  const { header } = view;
  const parcelOf = (i: string): Wgsl => wgsl`${parcels.spilled}[${i}]`;
  const isPreferred = parcels.isPreferred(parcelOf('item'), parcelOf('old'));
  const onCopy = forbidsCopies(shape.request.duplicates)
    ? noteWitness(header, wgsl`${header}.count + item`)
    : wgsl`atomicAdd(&${header}.copies, 1u);`;
  return kernel({
    label: 'bucketCuckoo/overflowClaim',
    threads: THREADS,
    body: wgsl`
  let slotCount = ${header}.overflowSlots;
  if (item >= min(atomicLoad(&${header}.stashed), ${spillLimit(header)}())) { return; }
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
  atomicAdd(&${header}.failed, 1u);`,
  });
}

function fillKernel({ shape, view, parcels }: BuildParts): Kernel {
  const { key, valueWords } = shape.request;
  const words: WgslPart[] = [...wordsOf(key.words, 'storedKey'), ...wordsOf(valueWords, 'storedValue')];
  return kernel({
    label: 'bucketCuckoo/overflowFill',
    threads: THREADS,
    body: wgsl`
  if (item >= ${view.header}.overflowSlots) { return; }
  let at = ${overflowAt(shape, view.header)}(item);
  let owner = atomicLoad(&${overflowOut}[at]);
  if (owner == ${EMPTY}) { return; }
  let parcel = ${parcels.spilled}[owner];
  let storedKey = ${parcels.storedKey('parcel')};
  ${valueWords > 0 ? wgsl`let storedValue = ${parcels.value('parcel')};` : ''}
  ${join(
    words.map((word, w) => wgsl`atomicStore(&${overflowOut}[at + ${1 + w}u], ${word});`),
    '\n  ',
  )}`,
  });
}
