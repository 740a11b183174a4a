/**
 * The format of a bucket, in one place. A bucket is 32 bytes, one memory sector: reading it costs no more than reading a
 * single pair. From the lowest bit up it holds the values (where they are inside), a tag for every slot, class bits, and
 * how many slots are used.
 *
 * A tag is what identifies a key inside its bucket, and one bit that says whether it is away from home. For one-word
 * keys it is the rest of a bijective hash that region and bucket do not already tell, so it is exact; for wider keys it
 * is a fingerprint, and the key itself is kept beside the buckets to be compared.
 *
 * A class bit is set when some key of that class has left the bucket, so a search that finds its class bit clear is over.
 */
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
  /** Whether the values are inside, a word each; otherwise they are in the payload. */
  readonly inlineValues: boolean;
  /** With fewer buckets in the table, more of the hash would be left than a tag holds. */
  readonly minBuckets: number;
}

/** The fewest buckets of any table. */
export const MIN_BUCKETS = 64;

/** Pairs of one word each, denser as the table grows: more buckets leave less of the hash to be kept. */
const INLINE: readonly BucketLayout[] = [
  { slots: 6, tagBits: 9, classes: 7, countBits: 3, inlineValues: true, minBuckets: 2 ** 24 },
  { slots: 5, tagBits: 15, classes: 16, countBits: 3, inlineValues: true, minBuckets: 2 ** 18 },
  { slots: 4, tagBits: 27, classes: 16, countBits: 3, inlineValues: true, minBuckets: MIN_BUCKETS },
];

/** Eight tags and nothing else. */
const TAGS_ONLY: BucketLayout = {
  slots: 8,
  tagBits: 27,
  classes: 16,
  countBits: 4,
  inlineValues: false,
  minBuckets: MIN_BUCKETS,
};

/** The layouts that such tables may have, the one for the largest first. */
export const layoutsFor = (exact: boolean, valueWords: ValueWords): readonly BucketLayout[] =>
  exact && valueWords === 1 ? INLINE : [TAGS_ONLY];

/** The layout for that many buckets. */
export function chooseLayout(layouts: readonly BucketLayout[], buckets: number): BucketLayout {
  return layouts.find(({ minBuckets }) => buckets >= minBuckets) ?? (layouts.at(-1) as BucketLayout);
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

const metaStart = (layout: BucketLayout): number => (layout.inlineValues ? layout.slots * WORD_BITS : 0);
const classStart = (layout: BucketLayout): number => metaStart(layout) + layout.slots * layout.tagBits;
const countStart = (layout: BucketLayout): number => classStart(layout) + layout.classes;

/** Statements that read or write a bucket called `bucket`. */
export function bucketCode(layout: BucketLayout) {
  const { slots, tagBits, classes, countBits, inlineValues } = layout;
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
    /** WGSL: `(bucket: Bucket, slot: u32) -> u32`, for values that are inside. */
    inlineValue: chooser(
      'inlineValue',
      each.map((slot) => (inlineValues ? `bucket.${bucketWord(slot)}` : '0u')),
    ),
    /** The number of used slots, as an expression. */
    used: bits('bucket', countStart(layout), countBits),
    putTag: (slot: number, tag: string): string => put(tagAt(slot), tagBits, tag).join(' '),
    putValue: (slot: number, value: WgslPart): WgslPart => wgsl`bucket.${bucketWord(slot)} = ${value};`,
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
