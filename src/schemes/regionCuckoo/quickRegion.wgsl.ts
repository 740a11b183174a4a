/**
 * Fills a region that is empty quickly, where nothing is special about it (`kit/quick/slots.wgsl.ts`), and writes it once. A region
 * that is given up stays empty, and is left to the kernels that fill any region.
 */
import { type Binding, join, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { Bucket } from '../kit/bucket.wgsl.ts';
import { eachItem, finishedBucket } from '../kit/quick/bucket.wgsl.ts';
import type { QuickItems } from '../kit/quick/items.wgsl.ts';
import { HOME_BITS, type QuickShape, quickSlotsFit } from '../kit/quick/memory.wgsl.ts';
import { quickSlots } from '../kit/quick/slots.wgsl.ts';
import { geometry } from './geometry.wgsl.ts';
import { classBitsOf, classesOf, hasInlineValues, type Layout, putCode } from './layout.wgsl.ts';
import type { Shape } from './shape.ts';

/** The buckets of a table, as whole regions are written. */
export const wholeBuckets = storage('buckets', wgsl`array<${Bucket}>`, 'read_write');

/** Items on their way to an empty region, by number. */
export interface Filling extends Pick<QuickItems, 'addressOf' | 'looksSame' | 'areDistinct'> {
  readonly shape: Shape;
  readonly header: Binding;
  /** Bits of a number. */
  readonly numberBits: number;
  /** The value of an item, where it is inside a bucket. */
  valueAt(number: string): WgslPart;
  /** Statements that write what is beside the buckets; they see the `number` of an item, and its `slot` of the whole table. */
  readonly storeBeside: Wgsl;
}

const shapeOf = ({ layout }: Shape, numberBits: number): QuickShape => ({
  slots: layout.slots,
  buckets: layout.regionBuckets,
  tagBits: layout.tagBits,
  numberBits,
});

/** Whether a device has enough workgroup memory for it. */
export const quickRegionFits = (shape: Shape, numberBits: number, limits: GPUSupportedLimits): boolean =>
  quickSlotsFit(shapeOf(shape, numberBits), limits, ownClassWords(shape.layout) * shape.layout.regionBuckets);

export function quickRegion(filling: Filling) {
  const { shape, header, numberBits, addressOf, looksSame, areDistinct, valueAt, storeBeside } = filling;
  const { layout, payloadWords } = shape;
  const { Address, otherBucket, classOf } = geometry(shape, header);
  const classes = classWords(layout);
  const slots = quickSlots(shapeOf(shape, numberBits), {
    Address,
    addressOf,
    otherBucket,
    noteLeft: (homes, bucket, remainder) => classes.note(homes, bucket, wgsl`${classOf}(${remainder})`),
    exactly: { classOf, noteNone: classes.forget },
    ...(looksSame && { looksSame }),
    ...(areDistinct && { areDistinct }),
  });
  const { homes, trouble } = slots;
  const code = putCode(layout);
  const bucket = finishedBucket(slots, {
    ...code,
    ...(hasInlineValues(layout) && { inside: { load: valueAt, put: code.putValue } }),
    putRest: join(
      Array.from({ length: layout.metaWords }, (_, w) => code.putClasses(w, classes.bitsOf(homes, 'b', w))),
      '\n  ',
    ),
  });
  const eachBucket = (threads: number, isWanted: string, written: WgslPart): Wgsl => wgsl`
  for (var b = thread; ${isWanted} && b < bucketCount; b += ${threads}u) { ${wholeBuckets}[firstBucket + b] = ${written}; }`;
  return {
    /** WGSL: `(address: Address, number: u32)`, an item comes. */
    goHome: slots.goHome,
    /** Statements that tell the sizes of the `region`. */
    sizes: wgsl`
  let firstBucket = region << ${header}.bucketBits;
  let bucketCount = 1u << ${header}.bucketBits;
  let slotCount = ${layout.slots}u << ${header}.bucketBits;`,
    /**
     * Statements for all of so many threads, when all items have come; they see `fits`, whether items could come at all. Behind them
     * `isFilled` tells whether the region has all of them; it has none if not.
     */
    finish: (threads: number): Wgsl => wgsl`
  ${slots.settle(threads)}
  ${eachBucket(threads, 'true', wgsl`${bucket}(b)`)}
  ${payloadWords > 0 ? eachItem(slots, threads, wgsl`let slot = firstBucket * ${layout.slots}u + i;\n      ${storeBeside}`) : ''}
  workgroupBarrier();
  let isFilled = atomicLoad(&${trouble}) == 0u;
  ${eachBucket(threads, '!isFilled', code.empty)}`,
  };
}

/** Bits of a word of `homes` that are left for class bits. */
const SHARED_BITS = 32 - HOME_BITS;

/** Words for the class bits of a bucket where they do not share the word of its count: those of a word of tags are never parted. */
const ownClassWords = (layout: Layout): number =>
  classesOf(layout) <= SHARED_BITS ? 0 : Math.ceil(classesOf(layout) / classesPerWord(layout));

const classesPerWord = (layout: Layout): number => classBitsOf(layout) * Math.floor(32 / classBitsOf(layout));

/** Where class bits are in workgroup memory: in the other half of the words of `homes`, or in words of their own. */
function classWords(layout: Layout) {
  const classBits = classBitsOf(layout);
  const perWord = classesPerWord(layout);
  const each = ownClassWords(layout);
  const own = wgsl`var<workgroup> classWords: array<atomic<u32>, ${layout.regionBuckets * each}>;`;
  const bitOf = (homes: Wgsl, bucket: WgslPart, kind: WgslPart) =>
    each === 0
      ? { word: wgsl`${homes}[${bucket}]`, bit: wgsl`(1u << (${HOME_BITS}u + ${kind}))` }
      : {
          word: wgsl`${own}[${bucket} * ${each}u + ${kind} / ${perWord}u]`,
          bit: wgsl`(1u << (${kind} % ${perWord}u))`,
        };
  return {
    /** A statement: a key of that class is away. */
    note: (homes: Wgsl, bucket: WgslPart, kind: WgslPart): Wgsl => {
      const { word, bit } = bitOf(homes, bucket, kind);
      return wgsl`atomicOr(&${word}, ${bit});`;
    },
    /** A statement: none of that class is. */
    forget: (homes: Wgsl, bucket: WgslPart, kind: WgslPart): Wgsl => {
      const { word, bit } = bitOf(homes, bucket, kind);
      return wgsl`atomicAnd(&${word}, ~${bit});`;
    },
    /** The class bits of a word of tags, from the lowest bit on, and others above them. */
    bitsOf: (homes: Wgsl, bucket: string, word: number): Wgsl => {
      const first = word * classBits;
      return each === 0
        ? wgsl`atomicLoad(&${homes}[${bucket}]) >> ${HOME_BITS + first}u`
        : wgsl`atomicLoad(&${own}[${bucket} * ${each}u + ${Math.floor(first / perWord)}u]) >> ${first % perWord}u`;
    },
  };
}
