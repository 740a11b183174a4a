/**
 * What a workgroup does with the buckets that it owns: those of one region, or of several. Nobody else touches them while a
 * batch runs, so that the order of all changes is that of the workgroup's barriers. Tags are in its memory; keys and values stay
 * where they are.
 *
 * Buckets are numbered from the first of the first region, and slots too: bucket × slots of a bucket + slot of the bucket.
 */
import { fromWords, type KeyAccess, wordsOf } from '../../keys/index.ts';
import { type Binding, join, storage, uniform, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import type { Parcels } from '../kit/partition/parcels.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { emptyTag, hasInlineValues, metaCode } from './layout.wgsl.ts';
import type { Shape } from './shape.ts';
import { bucketsOut, type StoreKind, tagStore } from './tagStore.wgsl.ts';

/** No slot. */
export const NONE = '0xffffffffu';

/** What `claim` returns instead of a slot: the bucket is full, or others were always faster. */
export const FULL = '0xfffffffeu';
export const UNDECIDED = '0xfffffffdu';

/** Set in what `claim` returns if the tag was there already. */
export const MET = '0x80000000u';

export type Region = ReturnType<typeof regionOf>;

/** What is beside the buckets of a table, as those write it who own regions. */
export const sideOut = storage('side', 'array<u32>', 'read_write');

/** How many regions a workgroup owns, as a power of two. */
export const groupBits = uniform('groupBits', 'u32');

/** What kernels do with regions. `parcels` are those of the batch, and `key` is how its keys and the table's are read. */
export function regionOf(shape: Shape, header: Binding, parcels: Parcels, key: KeyAccess, kind: StoreKind) {
  const { layout, exact, payloadWords, request } = shape;
  const { slots: perBucket, metaWords, tagsPerWord, tagBits } = layout;
  const at = metaCode(layout);
  const empty = emptyTag(layout);
  const { locate, awayFrom, homeFrom, classOf, Place } = geometry(shape, header);
  const store = tagStore(kind, layout, header);
  const { tags, dirty, base, placeOf: here } = store;
  const noteDirty = wgsl`
fn noteDirty(bucket: u32) {
  let place = ${here('bucket')};
  atomicOr(&${dirty}[place / 32u], 1u << (place % 32u));
}`;

  /** WGSL: `(word: u32, tag: u32) -> u32`, which tag of a word it is. */
  const inWord = wgsl`
fn inWord(word: u32, tag: u32) -> u32 {
  for (var t = 0u; t < ${tagsPerWord}u; t++) {
    if (((word >> (t * ${tagBits}u)) & ${empty}u) == tag) { return t; }
  }
  return ${NONE};
}`;
  const tagAt = wgsl`
fn tagAt(slot: u32) -> u32 {
  let within = slot % ${perBucket}u;
  return (atomicLoad(&${tags}[${at.wordOf(here(wgsl`(slot / ${perBucket}u)`), 'within')}]) >> ${at.shiftOf('within')}) & ${empty}u;
}`;
  /** Only one thread may change a word in this way at a time. */
  const setTag = wgsl`
fn setTag(slot: u32, tag: u32) {
  let within = slot % ${perBucket}u;
  let word = ${at.wordOf(here(wgsl`(slot / ${perBucket}u)`), 'within')};
  atomicXor(&${tags}[word], (${tagAt}(slot) ^ tag) << ${at.shiftOf('within')});
  ${noteDirty}(slot / ${perBucket}u);
}`;
  const emptySlot = wgsl`
fn emptySlot(bucket: u32) -> u32 {
  let place = ${here('bucket')};
  for (var w = 0u; w < ${metaWords}u; w++) {
    let t = ${inWord}(atomicLoad(&${tags}[place * ${metaWords}u + w]), ${empty}u);
    if (t != ${NONE}) { return bucket * ${perBucket}u + w * ${tagsPerWord}u + t; }
  }
  return ${NONE};
}`;
  const hasClass = wgsl`
fn hasClass(bucket: u32, kind: u32) -> bool {
  return (atomicLoad(&${tags}[${at.classWordOf(here('bucket'), 'kind')}]) & ${at.classBitOf('kind')}) != 0u;
}`;
  const setClass = wgsl`
fn setClass(bucket: u32, kind: u32) {
  atomicOr(&${tags}[${at.classWordOf(here('bucket'), 'kind')}], ${at.classBitOf('kind')});
  ${noteDirty}(bucket);
}`;
  const clearClass = wgsl`
fn clearClass(bucket: u32, kind: u32) {
  atomicAnd(&${tags}[${at.classWordOf(here('bucket'), 'kind')}], ~${at.classBitOf('kind')});
  ${noteDirty}(bucket);
}`;
  /** Whether a guest of that class is in a bucket; its home is the one that keys of the class come from. */
  const guestOf = wgsl`
fn guestOf(bucket: u32, kind: u32) -> u32 {
  for (var s = 0u; s < ${perBucket}u; s++) {
    let tag = ${tagAt}(bucket * ${perBucket}u + s);
    if (tag != ${empty}u && (tag & 1u) == 1u && ${classOf}(tag >> 1u) == kind) { return bucket * ${perBucket}u + s; }
  }
  return ${NONE};
}`;

  const payload = (slot: WgslPart, word: number): Wgsl =>
    wgsl`${sideOut}[(${base} * ${perBucket}u + ${slot}) * ${payloadWords}u + ${word}u]`;
  const inline = hasInlineValues(layout);
  const { key: keyType, valueWords } = request;
  const keyWords = exact ? 0 : keyType.words;
  const valueWord = (slot: WgslPart, word: number): Wgsl =>
    inline
      ? wgsl`${bucketsOut}[(${base} + ${slot} / ${perBucket}u) * ${BUCKET_WORDS}u + ${slot} % ${perBucket}u]`
      : payload(slot, keyWords + word);
  const storedWords = [
    ...Array.from({ length: keyWords }, (_, w) => (slot: WgslPart) => payload(slot, w)),
    ...Array.from({ length: valueWords }, (_, w) => (slot: WgslPart) => valueWord(slot, w)),
  ];
  const assign = (targets: readonly Wgsl[], words: readonly WgslPart[]): WgslPart =>
    join(
      targets.map((goal, i) => wgsl`${goal} = ${words[i] as WgslPart};`),
      '\n  ',
    );
  const allValueWords = (slot: WgslPart): Wgsl[] => Array.from({ length: valueWords }, (_, w) => valueWord(slot, w));
  const allKeyWords = (slot: WgslPart): Wgsl[] => Array.from({ length: keyWords }, (_, w) => payload(slot, w));
  const storeKey = wgsl`
fn storeKey(slot: u32, parcel: ${parcels.type}) {
  ${exact ? '' : assign(allKeyWords('slot'), wordsOf(keyWords, parcels.storedKey('parcel')))}
}`;
  const storeValue = wgsl`
fn storeValue(slot: u32, parcel: ${parcels.type}) {
  ${valueWords === 0 ? '' : assign(allValueWords('slot'), wordsOf(valueWords, parcels.value('parcel')))}
}`;
  /** Key and value of one slot go to another. */
  const moveStored = wgsl`
fn moveStored(origin: u32, goal: u32) {
  ${assign(
    storedWords.map((word) => word('goal')),
    storedWords.map((word) => word('origin')),
  )}
}`;

  const isInSlot = wgsl`${keyType.equals(key, key)}(${key.of(fromWords(allKeyWords('slot')))}, ${key.of(parcels.storedKey('parcel'))})`;
  const slotWith = wgsl`
fn slotWith(bucket: u32, tag: u32, parcel: ${parcels.type}) -> u32 {
  let place = ${here('bucket')};
  for (var w = 0u; w < ${metaWords}u; w++) {
    let word = atomicLoad(&${tags}[place * ${metaWords}u + w]);
    for (var t = 0u; t < ${tagsPerWord}u; t++) {
      if (((word >> (t * ${tagBits}u)) & ${empty}u) != tag) { continue; }
      let slot = bucket * ${perBucket}u + w * ${tagsPerWord}u + t;
      ${exact ? '' : wgsl`if (!${isInSlot}) { continue; }`}
      return slot;
    }
  }
  return ${NONE};
}`;
  const placeOf = wgsl`
fn placeOf(parcel: ${parcels.type}) -> ${Place} {
  var place = ${locate}(${parcels.hash('parcel')});
  place.home = (place.region << ${header}.bucketBits) + place.home - ${base};
  return place;
}`;
  const isWhole = store.kind === 'whole region';
  const eachItem = (then: Wgsl): Wgsl => wgsl`
    for (var item = start + thread; item < stop; item += ${store.threads}u) {
      let parcel = ${parcels.buffer}[item];
      let place = ${placeOf}(parcel);
      ${then}
    }`;
  const heldItems = (mask: string, then: Wgsl): Wgsl => wgsl`
    for (var rest = ${mask}; rest != 0u; rest &= rest - 1u) {
      let bit = rest & (0u - rest);
      let item = start + firstTrailingBit(rest) * ${store.threads}u + thread;
      let parcel = ${parcels.buffer}[item];
      let place = ${placeOf}(parcel);
      ${then}
    }`;
  const awayOf = wgsl`${awayFrom}(place.home, ${classOf}(place.remainder))`;
  return {
    shape,
    parcels,
    isWhole,
    /** Statements for every item of this thread, from `start` to `stop`; they see `item`, `parcel` and `place`. */
    eachItem,
    /** The same for those whose bits are in a mask; they see their `bit` too. */
    heldItems,
    /** The other bucket of `place`. */
    awayOf,
    /** Statements that load what the items from `start` to `stop` need to look for their keys; others may be done with them. */
    openItems: (others: Wgsl): Wgsl =>
      isWhole
        ? wgsl`workgroupBarrier();`
        : wgsl`
    ${store.open}(firstBucket, thread);
    ${others}
    workgroupBarrier();
    ${eachItem(store.ensure('place.home'))}
    workgroupBarrier();
    ${eachItem(wgsl`if (${hasClass}(place.home, ${classOf}(place.remainder))) { ${store.ensure(awayOf)} }`)}
    workgroupBarrier();`,
    /** Statements behind those items: what was loaded for them is saved. */
    closeItems: isWhole
      ? wgsl``
      : wgsl`
    ${store.save}(thread);
    storageBarrier();
    workgroupBarrier();`,
    header,
    Place,
    locate,
    awayFrom,
    homeFrom,
    classOf,
    store,
    empty,
    perBucket,
    noteDirty,
    /** Whether the tags of a bucket have changed. */
    isDirtyAt: (place: WgslPart): Wgsl =>
      wgsl`(((atomicLoad(&${dirty}[${place} / 32u]) >> (${place} % 32u)) & 1u) == 1u)`,
    tagAt,
    setTag,
    emptySlot,
    hasClass,
    setClass,
    clearClass,
    guestOf,
    storeKey,
    storeValue,
    moveStored,
    /** The one word of a slot's value. */
    wordOf: (slot: WgslPart): Wgsl => valueWord(slot, 0),
    /** WGSL: `(parcel) -> Place`, with its home counted from the first bucket of the group. */
    placeOf,
    /** WGSL: `(place: Place, parcel) -> u32`, the slot of a key, or none. */
    find: wgsl`
fn findInRegion(place: ${Place}, parcel: ${parcels.type}) -> u32 {
  let atHome = ${slotWith}(place.home, place.remainder << 1u, parcel);
  let kind = ${classOf}(place.remainder);
  if (atHome != ${NONE} || !${hasClass}(place.home, kind)) { return atHome; }
  return ${slotWith}(${awayFrom}(place.home, kind), (place.remainder << 1u) | 1u, parcel);
}`,
    /**
     * WGSL: `(bucket: u32, tag: u32) -> u32`, puts a tag into an empty slot. It returns the slot, with the highest bit set if the tag was
     * there already, or that the bucket is full. Slots are tried in order and only fill up, so that those who bring the same tag meet.
     */
    claim: wgsl`
fn claim(bucket: u32, tag: u32) -> u32 {
  let place = ${here('bucket')};
  for (var w = 0u; w < ${metaWords}u; w++) {
    let first = bucket * ${perBucket}u + w * ${tagsPerWord}u;
    var isFull = false;
    // A step that does not end it follows somebody else's success.
    for (var i = 0u; i < 10000u; i++) {
      let word = atomicLoad(&${tags}[place * ${metaWords}u + w]);
      let same = ${inWord}(word, tag);
      if (same != ${NONE}) { return (first + same) | ${MET}; }
      let free = ${inWord}(word, ${empty}u);
      isFull = free == ${NONE};
      if (isFull) { break; }
      let changed = word ^ ((tag ^ ${empty}u) << (free * ${tagBits}u));
      if (atomicCompareExchangeWeak(&${tags}[place * ${metaWords}u + w], word, changed).exchanged) {
        ${noteDirty}(bucket);
        return first + free;
      }
    }
    if (!isFull) { return ${UNDECIDED}; }
  }
  return ${FULL};
}`,
  };
}

/** Where the parcels of every group end. */
export const groupEnds: Binding = storage('groupEnds', 'array<u32>');

/** Statements that leave unless the workgroup has parcels; `firstBucket`, `first` and `end` are known behind them. */
export const enterGroup = (header: Binding): Wgsl => wgsl`
  if ((group << ${groupBits}) >= ${header}.regions) { return; }
  let firstBucket = group << (${groupBits} + ${header}.bucketBits);
  var first = 0u;
  if (group > 0u) { first = ${groupEnds}[group - 1u]; }
  let end = ${groupEnds}[group];
  if (first == end) { return; }`;
