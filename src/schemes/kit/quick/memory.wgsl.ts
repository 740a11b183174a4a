/**
 * What a workgroup keeps of a region that it fills quickly. A slot holds a tag, as it will stand in the bucket, and the number of its item.
 * The less memory a workgroup takes, the more of them are at work, so both share a word where they fit.
 */
import { workgroupBytes } from '../../../gpu/index.ts';
import { type Wgsl, type WgslPart, WORD_BYTES, wgsl } from '../../../wgsl/index.ts';

/** Words of workgroup memory for single variables. */
const SINGLE_WORDS = 16;
/** Bits of the number of an item in the list of those without a home. */
const LISTED_BITS = 16;
/** Bits of a word of `homes` that count; those above are for classes. */
export const HOME_BITS = 16;
/** Room for the bits of a bucket's slots. */
const ASKED_BITS = 8;

/** What the memory depends on. */
export interface QuickShape {
  /** Slots of a bucket, and buckets of a region at most. */
  readonly slots: number;
  readonly buckets: number;
  readonly tagBits: number;
  /** Bits of the number of an item: 16 at most, or none where slots keep no numbers. Tags have less than 32 then. */
  readonly numberBits: number;
  /** Whether a region may be nearly full, so that many items have to walk. */
  readonly isDense?: boolean;
}

/** Items without a home that are looked after; if there are more, the region is no ordinary one. */
export const mostHomeless = ({ slots, isDense }: QuickShape): number => (slots === 6 && !isDense ? 192 : 512);

/** Items that walk: more of them in small buckets and in dense regions. */
export const mostStuck = ({ slots, isDense }: QuickShape): number => (slots <= 3 || isDense ? 96 : 64);

/** Whether tag and number fit into one word. */
const isPacked = ({ tagBits, numberBits }: QuickShape): boolean => tagBits + numberBits <= 32;

/** Whether items walk at the same time: in small buckets and in dense regions many have to. */
export const walksTogether = (shape: QuickShape): boolean =>
  isPacked(shape) && (shape.slots <= 3 || shape.isDense === true);

/** Words of workgroup memory. */
function wordsOfSlots(shape: QuickShape): number {
  const perBucket = shape.slots * (isPacked(shape) ? 1 : 2) + 1 + ASKED_BITS / 32;
  return shape.buckets * perBucket + mostHomeless(shape) / 2 + mostStuck(shape) + SINGLE_WORDS;
}

/** Whether a device has enough workgroup memory for them, and so many words beside. */
export const quickSlotsFit = (shape: QuickShape, limits: GPUSupportedLimits, others = 0): boolean =>
  (wordsOfSlots(shape) + others) * WORD_BYTES <= workgroupBytes(limits);

export type QuickMemory = ReturnType<typeof memoryOf>;

/** The variables, and how what is in them is read and written. */
export function memoryOf(shape: QuickShape) {
  const { buckets } = shape;
  const homeless = wgsl`var<workgroup> homeless: atomic<u32>;`;
  const list = wgsl`var<workgroup> list: array<atomic<u32>, ${mostHomeless(shape) / 2}>;`;
  const asked = wgsl`var<workgroup> asked: array<atomic<u32>, ${(buckets * ASKED_BITS) / 32}>;`;
  const trouble = wgsl`var<workgroup> trouble: atomic<u32>;`;
  const inHalf = (i: string): string => `(${LISTED_BITS}u * (${i} & 1u))`;
  return {
    shape,
    ...slotWords(shape),
    /** For every bucket, low half: the items that came, more than there are slots if some had to go on. High half: class bits. */
    homes: wgsl`var<workgroup> homes: array<atomic<u32>, ${buckets}>;`,
    /** How many items have no home, and the number of one of them; and the statement that makes a number one of them. */
    homeless,
    homelessAt: (i: string): Wgsl =>
      wgsl`(atomicLoad(&${list}[${i} >> 1u]) >> ${inHalf(i)}) & ${2 ** LISTED_BITS - 1}u`,
    putHomeless: (i: string, number: string): Wgsl => wgsl`atomicOr(&${list}[${i} >> 1u], ${number} << ${inHalf(i)});`,
    /** The bit of a slot of a bucket whose item somebody has asked to move, and the word that it is in. */
    askedBit: (bucket: string, slot: string): string =>
      `1u << ((${bucket} % ${32 / ASKED_BITS}u) * ${ASKED_BITS}u + ${slot})`,
    askedWord: (bucket: string): Wgsl => wgsl`${asked}[${bucket} / ${32 / ASKED_BITS}u]`,
    /** How many items have to walk, and which of the homeless they are. */
    stuck: wgsl`var<workgroup> stuck: atomic<u32>;`,
    stuckItems: wgsl`var<workgroup> stuckItems: array<u32, ${mostStuck(shape)}>;`,
    /** Whether an item found no slot at all, or copies were met; and the statement that says so. */
    trouble,
    giveUp: wgsl`atomicStore(&${trouble}, 1u);`,
  };
}

/** The slots: a tag, and the number of an item in the same word or beside it. */
function slotWords(shape: QuickShape) {
  const { slots: perBucket, buckets, numberBits } = shape;
  const slots = perBucket * buckets;
  const packed = isPacked(shape);
  const room = packed ? 32 - numberBits : 32;
  const many = walksTogether(shape);
  const words = wgsl`var<workgroup> slotWords: array<${many ? 'atomic<u32>' : 'u32'}, ${slots}>;`;
  const numbers = wgsl`var<workgroup> numbers: array<u32, ${slots}>;`;
  const inWord = (word: string): string => (numberBits > 0 ? `(${word} >> ${room}u)` : '0u');
  return {
    words,
    /** A word of tag and number: where many walk, every bit of it is turned round, so that 0 is a slot that nobody has come to: no item has a number of all ones. */
    wordAt: (slot: WgslPart): Wgsl => (many ? wgsl`~atomicLoad(&${words}[${slot}])` : wgsl`${words}[${slot}]`),
    tagOf: (word: string): Wgsl => wgsl`${packed ? `(${word} & ${2 ** room - 1}u)` : word}`,
    numberOf: (word: string, slot: WgslPart): Wgsl => wgsl`${packed ? inWord(word) : wgsl`${numbers}[${slot}]`}`,
    wordOf: (tag: string, number: string): string =>
      packed && numberBits > 0 ? `${tag} | (${number} << ${room}u)` : tag,
    /** Statements: a word, and the number of its item, go into a slot. */
    putWord: (slot: string, word: Wgsl): Wgsl =>
      many ? wgsl`atomicStore(&${words}[${slot}], ~${word});` : wgsl`${words}[${slot}] = ${word};`,
    putNumber: (slot: string, number: string): WgslPart => (packed ? '' : wgsl`${numbers}[${slot}] = ${number};`),
  };
}
