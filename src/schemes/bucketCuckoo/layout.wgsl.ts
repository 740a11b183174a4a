/**
 * The format of a bucket, in one place. A bucket is 32 bytes, one memory sector: reading it costs no more than reading a
 * single pair. From the lowest bit up it holds the words of every slot (where they are inside), a tag for every slot, class
 * bits, and how many slots are used.
 *
 * A tag is what identifies a key inside its bucket, and one bit that says whether it is away from home. It is the rest of the
 * hash that region and bucket do not already tell. The hash is a bijection of the last word of a key, so that word need not
 * be kept: of a one-word key, nothing but the tag. If the other words and the value do not fit inside either, they are beside
 * the buckets, and tags are fingerprints. So are those of keys of variable length.
 *
 * A class bit is set when some key of that class has left the bucket, so a search that finds its class bit clear is over.
 */
import { fromWords, isWordByWord, type KeyType, wordsOf, wordsType } from '../../keys/index.ts';
import { join, Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { ValueWords } from '../contract/index.ts';
import { Bucket, bucketWord } from '../kit/bucket.wgsl.ts';

export const BUCKET_BYTES = 32;
const WORD_BITS = 32;

export interface BucketLayout {
  /** Keys that a bucket holds. */
  readonly slots: number;
  readonly tagBits: number;
  readonly classes: number;
  readonly countBits: number;
  /** Words of every slot that are inside; if there are none, what a slot keeps is in the payload. */
  readonly inside: number;
  /** Slots of a plain table that a bucket stands for where loads are measured. */
  readonly nominal: number;
  /** With fewer buckets in the table, more of the hash would be left than a tag holds. */
  readonly minBuckets: number;
}

/** The fewest buckets of any table. */
export const MIN_BUCKETS = 64;

/** Eight tags and nothing else. */
export const TAGS_ONLY: BucketLayout = {
  slots: 8,
  tagBits: 27,
  classes: 16,
  countBits: 4,
  inside: 0,
  nominal: 8,
  minBuckets: MIN_BUCKETS,
};

/**
 * By the words that a slot keeps. Those of one word are denser as the table grows: more buckets leave less of the hash to be kept.
 * Buckets of two or three slots would be hard to fill, so they stand for less.
 */
const LAYOUTS: readonly (readonly BucketLayout[])[] = [
  [TAGS_ONLY],
  [
    { slots: 6, tagBits: 9, classes: 7, countBits: 3, inside: 1, nominal: 4, minBuckets: 2 ** 24 },
    { slots: 5, tagBits: 15, classes: 16, countBits: 3, inside: 1, nominal: 4, minBuckets: 2 ** 18 },
    { slots: 4, tagBits: 27, classes: 16, countBits: 3, inside: 1, nominal: 4, minBuckets: MIN_BUCKETS },
  ],
  [{ slots: 3, tagBits: 15, classes: 16, countBits: 2, inside: 2, nominal: 2.4, minBuckets: 2 ** 18 }, TAGS_ONLY],
  [{ slots: 2, tagBits: 20, classes: 16, countBits: 2, inside: 3, nominal: 1.6, minBuckets: 2 ** 13 }, TAGS_ONLY],
];

/** Whether the hash tells the last word of a key from the others. */
export const tellsLastWord = (key: KeyType): boolean => key.isWord || isWordByWord(key);

/** Words of a key that a slot keeps where it keeps all inside. */
const wordsInside = (key: KeyType): number => (tellsLastWord(key) ? key.words - 1 : key.words);

/** The layouts that such tables may have, the one for the largest first. */
export const layoutsFor = (key: KeyType, valueWords: ValueWords): readonly BucketLayout[] =>
  LAYOUTS[wordsInside(key) + valueWords] ?? [TAGS_ONLY];

/** The layout for tables of so many plain slots. */
export function chooseLayout(layouts: readonly BucketLayout[], plainSlots: number): BucketLayout {
  const isLarge = ({ nominal, minBuckets }: BucketLayout) => plainSlots / nominal >= minBuckets;
  return layouts.find(isLarge) ?? (layouts.at(-1) as BucketLayout);
}

/** The bits of a bucket from `offset` on. */
function bits(bucket: string, offset: number, width: number): string {
  const word = Math.floor(offset / WORD_BITS);
  const shift = offset % WORD_BITS;
  const low = `(${bucket}.${bucketWord(word)} >> ${shift}u)`;
  const rest = WORD_BITS - shift;
  const all = rest >= width ? low : `(${low} | (${bucket}.${bucketWord(word + 1)} << ${rest}u))`;
  return `(${all} & ${2 ** width - 1}u)`;
}

const metaStart = (layout: BucketLayout): number => layout.slots * layout.inside * WORD_BITS;
const classStart = (layout: BucketLayout): number => metaStart(layout) + layout.slots * layout.tagBits;
const countStart = (layout: BucketLayout): number => classStart(layout) + layout.classes;

/** Statements that read or write a bucket called `bucket`. */
export function bucketCode(layout: BucketLayout) {
  const { slots, tagBits, classes, countBits, inside } = layout;
  const tagAt = (slot: number) => metaStart(layout) + slot * tagBits;
  const each = Array.from({ length: slots }, (_, slot) => slot);
  const put = (offset: number, width: number, value: string): string[] => {
    const word = Math.floor(offset / WORD_BITS);
    const shift = offset % WORD_BITS;
    const spill = shift + width - WORD_BITS;
    return [
      `bucket.${bucketWord(word)} |= ${value} << ${shift}u;`,
      ...(spill > 0 ? [`bucket.${bucketWord(word + 1)} |= ${value} >> ${width - spill}u;`] : []),
    ];
  };
  const wordIn = (slot: number, word: number): string => `bucket.${bucketWord(slot * inside + word)}`;
  return {
    /** WGSL: `(bucket: Bucket, tag: u32) -> u32`, a bit for every used slot with that tag. */
    matches: wgsl`
fn matches(bucket: ${Bucket}, tag: u32) -> u32 {
  var mask = 0u;
  ${join(
    each.map((slot) => `mask |= select(0u, ${2 ** slot}u, ${bits('bucket', tagAt(slot), tagBits)} == tag);`),
    '\n  ',
  )}
  return mask & ((1u << ${bits('bucket', countStart(layout), countBits)}) - 1u);
}`,
    /** WGSL: `(bucket: Bucket, words) -> u32`, a bit for every slot, used or not, that begins with so many words inside. */
    beginsWith: (words: number): Wgsl => wgsl`
fn beginsWith(bucket: ${Bucket}, words: ${wordsType(words)}) -> u32 {
  var mask = 0u;
  ${join(
    each.map(
      (slot) =>
        wgsl`mask |= select(0u, ${2 ** slot}u, ${join(
          wordsOf(words, 'words').map((word, w) => wgsl`${wordIn(slot, w)} == ${word}`),
          ' && ',
        )});`,
    ),
    '\n  ',
  )}
  return mask;
}`,
    /** WGSL: `(bucket: Bucket, mask: u32)` to so many words from `first` on, those of the slot whose bit is set, where they are inside. */
    wordsOfMatch: (first: number, words: number): Wgsl => wgsl`
fn wordsOfMatch(bucket: ${Bucket}, mask: u32) -> ${wordsType(words)} {
  // Without a branch, because a compiler would put the load of the words behind it.
  ${join(
    Array.from({ length: words }, (_, w) => {
      const picks = each.map(
        (slot) => `word${w} |= select(0u, ${wordIn(slot, first + w)}, (mask & ${2 ** slot}u) != 0u);`,
      );
      return [`var word${w} = 0u;`, ...picks].join('\n  ');
    }),
    '\n  ',
  )}
  return ${fromWords(Array.from({ length: words }, (_, w) => `word${w}`))};
}`,
    /** WGSL: `(bucket: Bucket, kind: u32) -> bool`: has a key of this class left? */
    hasLeft: wgsl`
fn hasLeft(bucket: ${Bucket}, kind: u32) -> bool {
  return ((${bits('bucket', classStart(layout), classes)} >> kind) & 1u) == 1u;
}`,
    /** WGSL: `(bucket: Bucket, slot: u32) -> u32`. */
    tagOf: chooser(
      'tagOf',
      each.map((slot) => bits('bucket', tagAt(slot), tagBits)),
    ),
    /** The number of used slots, as an expression. */
    used: bits('bucket', countStart(layout), countBits),
    putTag: (slot: number, tag: string): string => put(tagAt(slot), tagBits, tag).join(' '),
    putWords: (slot: number, words: readonly WgslPart[]): WgslPart =>
      join(
        words.map((word, w) => wgsl`${wordIn(slot, w)} = ${word};`),
        ' ',
      ),
    putClasses: (value: string): string => put(classStart(layout), classes, value).join(' '),
    putCount: (value: string): string => put(countStart(layout), countBits, value).join(' '),
  };
}

/** A function that picks one of several expressions by slot; a chain of selects keeps everything in registers. */
function chooser(name: string, choices: readonly string[]): Wgsl {
  const [first, ...others] = choices;
  const picks = others.map((choice, i) => `picked = select(picked, ${choice}, slot == ${i + 1}u);`);
  const body = `, slot: u32) -> u32 {
  var picked = ${first};
  ${picks.join('\n  ')}
  return picked;
}`;
  // Not a template: the linker reads the name from the first piece of text.
  return new Wgsl([`fn ${name}(bucket: `, body], [Bucket]);
}
