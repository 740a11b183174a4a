/**
 * The slots of an empty region in workgroup memory, as they are filled quickly where nothing is special about it: no more items than
 * slots, no copies, no long walks. They are filled one after the other, by a counter for each bucket. Items go home; `homeless.wgsl.ts`
 * is about those whose home is full.
 */
import { threadsOn } from '../../../gpu/index.ts';
import { type Wgsl, type WgslPart, wgsl } from '../../../wgsl/index.ts';
import { settling } from './homeless.wgsl.ts';
import { movingItems, type QuickItems } from './items.wgsl.ts';
import { memoryOf, mostHomeless, type QuickShape } from './memory.wgsl.ts';

/** Threads that fill a region. */
export const regionThreads = (limits: GPUSupportedLimits): number => threadsOn(limits, 512);

/** The slots, and what items do with them. */
export interface QuickSlots {
  readonly shape: QuickShape;
  /** The tag and the number in a slot, from a word that was read before. */
  readonly word: (slot: WgslPart) => Wgsl;
  readonly tagOf: (word: string) => Wgsl;
  readonly numberOf: (word: string, slot: WgslPart) => Wgsl;
  /** For every bucket, low half: the items that came, more than there are slots if some had to go on. High half: class bits. */
  readonly homes: Wgsl;
  /** WGSL: `(bucket: u32) -> u32`, how many slots are used. */
  readonly used: Wgsl;
  /** Whether one found no slot at all, or copies were met. */
  readonly trouble: Wgsl;
  /** A statement: there is. */
  readonly giveUp: Wgsl;
  /** WGSL: `(address: Address, number: u32)`, takes a slot at home, or a line in the list of the homeless. */
  readonly goHome: Wgsl;
  /**
   * Statements for all of so many threads, when all items have come: those without a home get a slot, or there is trouble. They see
   * `fits`, whether items could come at all, and `slotCount`, the slots of the region. A barrier has to follow.
   */
  readonly settle: (threads: number) => Wgsl;
  /** WGSL: `(bucket: u32, slot: u32) -> u32`, how many slots of a bucket have the key of one of them; left out where keys are distinct. */
  readonly copiesAt: Wgsl | undefined;
  /** Whether equal tags in a bucket are not enough to tell. */
  readonly looksCloser: boolean;
}

export function quickSlots(shape: QuickShape, items: QuickItems): QuickSlots {
  const { Address, looksSame, areDistinct = false } = items;
  const memory = memoryOf(shape);
  const { wordAt, tagOf, numberOf, homes, homeless, putHomeless, trouble, giveUp } = memory;
  const moving = movingItems(memory, items);
  const { Item, itemIn, used, enter, copiesIn } = moving;
  return {
    shape,
    word: wordAt,
    tagOf,
    numberOf,
    homes,
    used,
    trouble,
    giveUp,
    goHome: wgsl`
fn goHome(address: ${Address}, number: u32) {
  if (!${enter}(${Item}(address.home, address.remainder << 1u, number))) {
    let at = atomicAdd(&${homeless}, 1u);
    if (at < ${mostHomeless(shape)}u) { ${putHomeless('at', 'number')} }
  }
}`,
    settle: settling(memory, moving, items),
    looksCloser: looksSame !== undefined,
    copiesAt: areDistinct
      ? undefined
      : wgsl`
fn copiesAt(bucket: u32, slot: u32) -> u32 {
  return ${copiesIn}(${itemIn}(bucket, slot));
}`,
  };
}
