/**
 * The format of a bucket, in one place. A bucket is 32 bytes, one memory sector. It begins with the values, where they are
 * inside; then come words of tags and class bits, none of which crosses a word, so that one atomic changes a slot.
 *
 * A tag is what identifies a key inside its bucket, shifted left, and one bit that says whether it is away from home. All ones is
 * an empty slot, and the greatest remainder occurs nowhere, so that every key and every value is legal.
 *
 * Every key has a class. The bit of class c in a bucket is set exactly if a key of that class, whose home is the bucket, is away.
 * All keys of one home and one class have the same other bucket. So who looks after a bucket looks after those bits of other
 * buckets that its guests account for.
 */
import { join, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { NO_SLOT } from '../contract/index.ts';
import { BUCKET_WORDS, Bucket, bucketWord } from '../kit/bucket.wgsl.ts';

const WORD_BITS = 32;

export interface Layout {
  /** Keys that a bucket holds. */
  readonly slots: number;
  /** Words of tags and class bits, and tags in each. */
  readonly metaWords: number;
  readonly tagsPerWord: number;
  readonly tagBits: number;
  /** Buckets of a region at most: its tags have to fit into 8 KB of workgroup memory. */
  readonly regionBuckets: number;
}

/** Pairs of one word each, denser as the table grows: more buckets leave less of the hash to be kept. */
const INLINE: readonly Layout[] = [
  { slots: 6, metaWords: 2, tagsPerWord: 3, tagBits: 9, regionBuckets: 512 },
  { slots: 5, metaWords: 3, tagsPerWord: 2, tagBits: 14, regionBuckets: 512 },
  { slots: 4, metaWords: 4, tagsPerWord: 1, tagBits: 27, regionBuckets: 512 },
];

/** Eight tags and nothing else. */
const OUTSIDE: Layout = { slots: 8, metaWords: 8, tagsPerWord: 1, tagBits: 27, regionBuckets: 256 };

/** The layouts that such tables may have, the one for the largest first. */
export const layoutsFor = (exact: boolean, valueWords: number): readonly Layout[] =>
  exact && valueWords === 1 ? INLINE : [OUTSIDE];

export const hasInlineValues = ({ metaWords }: Layout): boolean => metaWords < BUCKET_WORDS;

/** How many remainders can be told apart; one more would look like an empty slot. */
export const remaindersOf = ({ tagBits }: Layout): number => 2 ** (tagBits - 1) - 1;

/** Fewer buckets would leave more of the hash than a tag holds. */
export const minBucketsOf = (layout: Layout): number => Math.ceil(2 ** WORD_BITS / remaindersOf(layout));

export const classBitsOf = ({ tagsPerWord, tagBits }: Layout): number => WORD_BITS - tagsPerWord * tagBits;

export const classesOf = (layout: Layout): number => layout.metaWords * classBitsOf(layout);

/** The tag of an empty slot. */
export const emptyTag = ({ tagBits }: Layout): number => 2 ** tagBits - 1;

/** The words of a bucket without keys. A word may have room for a tag more than there are slots: it gets one that never occurs. */
export function emptyBucket(layout: Layout): number[] {
  const { slots, metaWords, tagsPerWord, tagBits } = layout;
  const tagAt = (slot: number) => (slot < slots ? emptyTag(layout) : emptyTag(layout) - 1);
  const meta = Array.from({ length: metaWords }, (_, w) =>
    Array.from({ length: tagsPerWord }, (_, t) => tagAt(w * tagsPerWord + t) * 2 ** (t * tagBits)).reduce(
      (a, b) => a + b,
    ),
  );
  return [...Array<number>(BUCKET_WORDS - metaWords).fill(0), ...meta];
}

/** Where the tag of a slot is: a word of tags, and the bit that it begins at. */
const addressOf = ({ tagsPerWord, tagBits }: Layout, slot: number) => ({
  word: Math.floor(slot / tagsPerWord),
  shift: (slot % tagsPerWord) * tagBits,
});

/** Functions that read a bucket. */
export function bucketCode(layout: Layout) {
  const { slots, metaWords, tagBits } = layout;
  const inlineValues = hasInlineValues(layout);
  const each = Array.from({ length: slots }, (_, slot) => slot);
  const meta = (word: number): string => `bucket.${bucketWord(BUCKET_WORDS - metaWords + word)}`;
  const tag = (slot: number): string => {
    const { word, shift } = addressOf(layout, slot);
    return `((${meta(word)} >> ${shift}u) & ${emptyTag(layout)}u)`;
  };
  const classBits = classBitsOf(layout);
  const choose = (choices: readonly string[]): WgslPart =>
    join(
      choices.map((choice, i) => `picked = select(picked, ${choice}, slot == ${i}u);`),
      '\n  ',
    );
  return {
    tagBits,
    /** WGSL: `(bucket: Bucket, tag: u32) -> u32`, a bit for every slot with that tag. */
    matches: wgsl`
fn matches(bucket: ${Bucket}, tag: u32) -> u32 {
  var mask = 0u;
  ${join(
    each.map((slot) => `mask |= select(0u, ${2 ** slot}u, ${tag(slot)} == tag);`),
    '\n  ',
  )}
  return mask;
}`,
    /** WGSL: `(bucket: Bucket) -> u32`, a bit for every slot that is empty or has a key that is away. */
    notAtHome: wgsl`
fn notAtHome(bucket: ${Bucket}) -> u32 {
  var mask = 0u;
  ${join(
    each.map((slot) => `mask |= (${tag(slot)} & 1u) << ${slot}u;`),
    '\n  ',
  )}
  return mask;
}`,
    /** WGSL: `(bucket: Bucket, mask: u32) -> u32`, the value of the slot whose bit is set, for values that are inside. */
    valueOfMatch: wgsl`
fn valueOfMatch(bucket: ${Bucket}, mask: u32) -> u32 {
  // Without a branch, because a compiler would put the load of the values behind it.
  var value = 0u;
  ${join(
    inlineValues
      ? each.map((slot) => `value |= select(0u, bucket.${bucketWord(slot)}, (mask & ${2 ** slot}u) != 0u);`)
      : [],
    '\n  ',
  )}
  return value;
}`,
    /** WGSL: `(bucket: Bucket, kind: u32) -> bool`: is a key of this class away? */
    hasLeft: wgsl`
fn hasLeft(bucket: ${Bucket}, kind: u32) -> bool {
  var word = ${meta(0)};
  ${join(
    Array.from(
      { length: metaWords - 1 },
      (_, w) => `word = select(word, ${meta(w + 1)}, kind >= ${(w + 1) * classBits}u);`,
    ),
    '\n  ',
  )}
  return ((word >> (${WORD_BITS - classBits}u + kind % ${classBits}u)) & 1u) == 1u;
}`,
    /** WGSL: `(bucket: Bucket, slot: u32) -> u32`. */
    tagOf: wgsl`
fn tagOf(bucket: ${Bucket}, slot: u32) -> u32 {
  var picked = 0u;
  ${choose(each.map(tag))}
  return picked;
}`,
    /** WGSL: `(bucket: Bucket, slot: u32) -> u32`, for values that are inside. */
    inlineValue: wgsl`
fn inlineValue(bucket: ${Bucket}, slot: u32) -> u32 {
  var picked = 0u;
  ${inlineValues ? choose(each.map((slot) => `bucket.${bucketWord(slot)}`)) : ''}
  return picked;
}`,
  };
}

/** Where things are in the words of tags of a bucket, as expressions. */
export function metaCode(layout: Layout) {
  const { tagsPerWord, tagBits } = layout;
  const classBits = classBitsOf(layout);
  /** The same bits for every tag of a word. */
  const repeated = (bits: number): number =>
    Array.from({ length: tagsPerWord }, (_, t) => bits * 2 ** (t * tagBits)).reduce((a, b) => a + b);
  return {
    /** The word that has the tag of a slot, and the bit that it begins at. */
    wordOf: (slot: WgslPart): Wgsl => wgsl`${slot} / ${tagsPerWord}u`,
    shiftOf: (slot: WgslPart): Wgsl => wgsl`((${slot} % ${tagsPerWord}u) * ${tagBits}u)`,
    classWordOf: (kind: WgslPart): Wgsl => wgsl`${kind} / ${classBits}u`,
    classBitOf: (kind: WgslPart): Wgsl => wgsl`(1u << (${WORD_BITS - classBits}u + ${kind} % ${classBits}u))`,
    /** The class bits of a word, from the lowest bit on, and how many there are. */
    classesIn: (word: WgslPart): Wgsl => wgsl`(${word} >> ${WORD_BITS - classBits}u)`,
    classBits,
    /** WGSL: `(word: u32, tag: u32) -> u32`, the highest bit of every tag of a word that is the same: all of them compared at once. */
    sameTags: wgsl`
fn sameTags(word: u32, tag: u32) -> u32 {
  let difference = word ^ (tag * ${repeated(1)}u);
  return ~(((difference & ${repeated(2 ** (tagBits - 1) - 1)}u) + ${repeated(2 ** (tagBits - 1) - 1)}u) | difference) & ${repeated(2 ** (tagBits - 1))}u;
}`,
    /** WGSL: `(word: u32, tag: u32) -> u32`, which tag of a word it is, or none. */
    tagInWord: wgsl`
fn tagInWord(word: u32, tag: u32) -> u32 {
  for (var t = 0u; t < ${tagsPerWord}u; t++) {
    if (((word >> (t * ${tagBits}u)) & ${emptyTag(layout)}u) == tag) { return t; }
  }
  return ${NO_SLOT}u;
}`,
  };
}

/** Statements that fill a `bucket` whose slots were empty. */
export function putCode(layout: Layout) {
  const { metaWords } = layout;
  const classBits = classBitsOf(layout);
  const meta = (word: number): string => `bucket.${bucketWord(BUCKET_WORDS - metaWords + word)}`;
  const words = emptyBucket(layout).map((word) => `${word}u`);
  return {
    /** A bucket without keys. */
    empty: wgsl`${Bucket}(vec4u(${words.slice(0, 4).join(', ')}), vec4u(${words.slice(4).join(', ')}))`,
    putTag: (slot: number, tag: string): string => {
      const { word, shift } = addressOf(layout, slot);
      return `${meta(word)} ^= (${tag} ^ ${emptyTag(layout)}u) << ${shift}u;`;
    },
    /** Where values are inside. */
    putValue: (slot: number, value: WgslPart): Wgsl => wgsl`bucket.${bucketWord(slot)} = ${value};`,
    /** The class bits of a word of tags, the lowest of `bits`. */
    putClasses: (word: number, bits: WgslPart): Wgsl => wgsl`${meta(word)} |= (${bits}) << ${WORD_BITS - classBits}u;`,
  };
}
