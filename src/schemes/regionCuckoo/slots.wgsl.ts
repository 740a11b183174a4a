/**
 * What batches do with slots and their buckets, wherever the tags are. Slots are numbered like the buckets of the store: bucket × slots
 * of a bucket + slot of the bucket. Keys that are not told by their tags, and values, stay where they are in the table.
 */
import { fromWords, type KeyAccess, wordsOf } from '../../keys/index.ts';
import { type Binding, join, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { NONE } from '../kit/batch/work.wgsl.ts';
import type { Parcels } from '../kit/partition/parcels.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { emptyTag, hasInlineValues, type Layout, metaCode } from './layout.wgsl.ts';
import type { Shape } from './shape.ts';
import type { TagStore } from './tagStore.wgsl.ts';

/** What `claim` returns instead of a slot: the bucket is full, or others were always faster. */
export const FULL = '0xfffffffeu';
export const UNDECIDED = '0xfffffffdu';

/** Set in what `claim` returns if the tag was there already. */
export const MET = '0x80000000u';

export type Slots = ReturnType<typeof slotsOf>;

/** What is beside the buckets of a table, as batches write it. */
export const sideOut = storage('side', 'array<u32>', 'read_write');

/** A table and the items that change it. */
export interface Changed {
  readonly shape: Shape;
  readonly header: Binding;
  readonly parcels: Parcels;
  /** How keys of the items and of the table are read. */
  readonly key: KeyAccess;
}

type Geometry = ReturnType<typeof geometry>;

/** Where tags are, and how they lie in words. */
interface Tagged {
  readonly layout: Layout;
  readonly at: ReturnType<typeof metaCode>;
  readonly store: TagStore;
}

export function slotsOf(changed: Changed, store: TagStore) {
  const { shape, header, parcels } = changed;
  const { layout } = shape;
  const { slots: perBucket } = layout;
  const where = geometry(shape, header);
  const { locate, awayFrom, homeFrom, otherBucket, classOf, Address } = where;
  const tagged = { layout, at: metaCode(layout), store };
  const tags = tagsOf(tagged);
  const classes = classesOf(tagged, { ...tags, classOf });
  const { isInSlot, ...content } = contentOf(changed, store);
  return {
    shape,
    header,
    parcels,
    base: store.base,
    perBucket,
    Address,
    awayFrom,
    homeFrom,
    otherBucket,
    classOf,
    /** The other bucket of `address`. */
    awayOf: wgsl`${awayFrom}(address.home, ${classOf}(address.remainder))`,
    ...tags,
    ...classes,
    ...content,
    /** Whether the key of `parcel` is in `slot`, where its tag is: a condition, or nothing where tags tell keys. */
    isInSlot: shape.exact ? undefined : isInSlot,
    /** WGSL: `(parcel) -> Address`, with its home counted from the first bucket of the store. */
    addressOf: wgsl`
fn addressOf(parcel: ${parcels.type}) -> ${Address} {
  var address = ${locate}(${parcels.hash('parcel')});
  address.home = ${store.bucketOf('address')};
  return address;
}`,
    find: finding(changed, tagged, { ...where, ...classes, isInSlot }),
    claiming: (parameters: WgslPart, seen: Wgsl) => claiming(tagged, parameters, seen),
    /** WGSL: `(bucket: u32, tag: u32) -> u32`, puts a tag into an empty slot. */
    claim: claiming(tagged, 'bucket: u32, tag: u32', wgsl`atomicLoad(&${store.tagWord('bucket', 'w')})`),
  };
}

/** Tags, one by one. */
function tagsOf({ layout, at, store: { tagWord } }: Tagged) {
  const { slots: perBucket, metaWords, tagsPerWord, tagBits } = layout;
  const empty = emptyTag(layout);
  const wordOfSlot = (slot: WgslPart): Wgsl =>
    tagWord(wgsl`${slot} / ${perBucket}u`, at.wordOf(wgsl`(${slot} % ${perBucket}u)`));
  const shiftOfSlot = (slot: WgslPart): Wgsl => at.shiftOf(wgsl`(${slot} % ${perBucket}u)`);
  const tagAt = wgsl`
fn tagAt(slot: u32) -> u32 {
  return (atomicLoad(&${wordOfSlot('slot')}) >> ${shiftOfSlot('slot')}) & ${empty}u;
}`;
  /** Only one thread may change a slot in this way at a time. */
  const setTag = wgsl`
fn setTag(slot: u32, tag: u32) {
  atomicXor(&${wordOfSlot('slot')}, (${tagAt}(slot) ^ tag) << ${shiftOfSlot('slot')});
}`;
  const emptySlot = wgsl`
fn emptySlot(bucket: u32) -> u32 {
  for (var w = 0u; w < ${metaWords}u; w++) {
    let t = ${at.tagInWord}(atomicLoad(&${tagWord('bucket', 'w')}), ${empty}u);
    if (t != ${NONE}) { return bucket * ${perBucket}u + w * ${tagsPerWord}u + t; }
  }
  return ${NONE};
}`;
  /** Statements for every slot of a bucket; they see its `tag`, and its number in the bucket is given. */
  const eachTag = (bucket: string, then: (slot: string) => Wgsl): Wgsl => wgsl`
  for (var w = 0u; w < ${metaWords}u; w++) {
    let word = atomicLoad(&${tagWord(bucket, 'w')});
    for (var t = 0u; t < ${Math.min(tagsPerWord, perBucket)}u; t++) {
      let tag = (word >> (t * ${tagBits}u)) & ${empty}u;
      ${then(`(w * ${tagsPerWord}u + t)`)}
    }
  }`;
  return {
    empty,
    /** The word of tags that a slot is in, and where it begins there. */
    wordOfSlot,
    shiftOfSlot,
    tagAt,
    setTag,
    eachTag,
    emptySlot,
  };
}

/** The class bits of a bucket, and the guests for which they are set in their homes. */
function classesOf(
  { layout, at, store: { tagWord } }: Tagged,
  { classOf, eachTag, empty }: Pick<Geometry, 'classOf'> & Pick<ReturnType<typeof tagsOf>, 'eachTag' | 'empty'>,
) {
  const { slots: perBucket } = layout;
  const classWord = (bucket: WgslPart, kind: WgslPart): Wgsl => tagWord(bucket, at.classWordOf(kind));
  const hasClass = wgsl`
fn hasClass(bucket: u32, kind: u32) -> bool {
  return (atomicLoad(&${classWord('bucket', 'kind')}) & ${at.classBitOf('kind')}) != 0u;
}`;
  /** Whether a guest of that class is in a bucket; its home is the one that keys of the class come from. */
  const guestOf = wgsl`
fn guestOf(bucket: u32, kind: u32) -> u32 {
  var guest = ${NONE};
  ${eachTag(
    'bucket',
    (slot) => wgsl`
    if (tag != ${empty}u && (tag & 1u) == 1u && ${classOf}(tag >> 1u) == kind) { guest = bucket * ${perBucket}u + ${slot}; }`,
  )}
  return guest;
}`;
  return {
    hasClass,
    setClass: wgsl`
fn setClass(bucket: u32, kind: u32) {
  atomicOr(&${classWord('bucket', 'kind')}, ${at.classBitOf('kind')});
}`,
    clearClass: wgsl`
fn clearClass(bucket: u32, kind: u32) {
  atomicAnd(&${classWord('bucket', 'kind')}, ~${at.classBitOf('kind')});
}`,
    guestOf,
  };
}

/** What a slot holds beside its tag. */
function contentOf({ shape, parcels, key }: Changed, store: TagStore) {
  const { layout, exact, payloadWords, request } = shape;
  const { slots: perBucket } = layout;
  const { base } = store;
  const { key: keyType, valueWords } = request;
  const inline = hasInlineValues(layout);
  const keyWords = exact ? 0 : keyType.words;
  const payload = (slot: WgslPart, word: number): Wgsl =>
    wgsl`${sideOut}[(${base} * ${perBucket}u + ${slot}) * ${payloadWords}u + ${word}u]`;
  const payloadWordsFrom = (slot: WgslPart, first: number, words: number): Wgsl[] =>
    Array.from({ length: words }, (_, w) => payload(slot, first + w));
  const assign = (targets: readonly Wgsl[], words: readonly WgslPart[]): Wgsl =>
    join(
      targets.map((goal, i) => wgsl`${goal} = ${words[i] as WgslPart};`),
      '\n  ',
    );
  const inside = (slot: WgslPart) => [wgsl`(${slot} / ${perBucket}u)`, wgsl`${slot} % ${perBucket}u`] as const;
  const writeValue = (slot: WgslPart, words: readonly WgslPart[]): Wgsl =>
    inline
      ? store.writeInside(...inside(slot), words[0] as WgslPart)
      : assign(payloadWordsFrom(slot, keyWords, valueWords), words);
  const storeKey = wgsl`
fn storeKey(slot: u32, parcel: ${parcels.type}) {
  ${exact ? '' : assign(payloadWordsFrom('slot', 0, keyWords), wordsOf(keyWords, parcels.storedKey('parcel')))}
}`;
  const storeValue = wgsl`
fn storeValue(slot: u32, parcel: ${parcels.type}) {
  ${valueWords === 0 ? '' : writeValue('slot', wordsOf(valueWords, parcels.value('parcel')))}
}`;
  /** Key and value of one slot go to another. */
  const moveStored = wgsl`
fn moveStored(origin: u32, goal: u32) {
  ${inline ? store.writeInside(...inside('goal'), store.readInside(...inside('origin'))) : ''}
  ${assign(payloadWordsFrom('goal', 0, payloadWords), payloadWordsFrom('origin', 0, payloadWords))}
}`;
  const stored = fromWords(payloadWordsFrom('slot', 0, keyWords));
  return {
    isInSlot: wgsl`${keyType.equals(key, key)}(${key.of(stored)}, ${key.of(parcels.storedKey('parcel'))})`,
    storeKey,
    storeValue,
    moveStored,
    /** The one word of a slot's value, and the statement that replaces it. */
    wordOf: (slot: WgslPart): Wgsl => (inline ? store.readInside(...inside(slot)) : payload(slot, keyWords)),
    setWord: (slot: WgslPart, value: WgslPart): Wgsl => writeValue(slot, [value]),
  };
}

/** WGSL: `(address: Address, parcel) -> u32`, the slot of a key, or none. */
function finding(
  { shape, parcels }: Changed,
  { layout, at, store: { tagWord } }: Tagged,
  { Address, classOf, awayFrom, hasClass, isInSlot }: Geometry & { readonly hasClass: Wgsl; readonly isInSlot: Wgsl },
): Wgsl {
  const { slots: perBucket, metaWords, tagsPerWord } = layout;
  // Loops all of them: written out, the kernels of regions are several times slower on an H200.
  const slotWith = wgsl`
fn slotWith(bucket: u32, tag: u32, parcel: ${parcels.type}) -> u32 {
  for (var w = 0u; w < ${metaWords}u; w++) {
    let t = ${at.tagInWord}(atomicLoad(&${tagWord('bucket', 'w')}), tag);
    let slot = bucket * ${perBucket}u + w * ${tagsPerWord}u + t;
    if (t != ${NONE}${shape.exact ? '' : wgsl` && ${isInSlot}`}) { return slot; }
  }
  return ${NONE};
}`;
  return wgsl`
fn findKey(address: ${Address}, parcel: ${parcels.type}) -> u32 {
  let atHome = ${slotWith}(address.home, address.remainder << 1u, parcel);
  let kind = ${classOf}(address.remainder);
  if (atHome != ${NONE} || !${hasClass}(address.home, kind)) { return atHome; }
  return ${slotWith}(${awayFrom}(address.home, kind), (address.remainder << 1u) | 1u, parcel);
}`;
}

/**
 * WGSL that puts `tag` into an empty slot of `bucket`, of which `seen` is what word `w` of its tags was. It returns the slot, with the
 * highest bit set if the tag was there already, or that the bucket is full. Slots are tried in order and only fill up, so that those who
 * bring the same tag meet.
 */
function claiming({ layout, at, store: { tagWord } }: Tagged, parameters: WgslPart, seen: Wgsl): Wgsl {
  const { slots: perBucket, metaWords, tagsPerWord, tagBits } = layout;
  const empty = emptyTag(layout);
  return wgsl`
fn claim(${parameters}) -> u32 {
  for (var w = 0u; w < ${metaWords}u; w++) {
    let first = bucket * ${perBucket}u + w * ${tagsPerWord}u;
    var isFull = false;
    var word = ${seen};
    // A step that does not end it follows somebody else's success.
    for (var i = 0u; i < 10000u; i++) {
      let same = ${at.tagInWord}(word, tag);
      if (same != ${NONE}) { return (first + same) | ${MET}; }
      let free = ${at.tagInWord}(word, ${empty}u);
      isFull = free == ${NONE};
      if (isFull) { break; }
      let changed = word ^ ((tag ^ ${empty}u) << (free * ${tagBits}u));
      let result = atomicCompareExchangeWeak(&${tagWord('bucket', 'w')}, word, changed);
      if (result.exchanged) { return first + free; }
      word = result.old_value;
    }
    if (!isFull) { return ${UNDECIDED}; }
  }
  return ${FULL};
}`;
}
