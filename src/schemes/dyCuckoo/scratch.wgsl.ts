/** What a batch needs while it runs: words for every item in one buffer, because a kernel may have eight, and what copies meet in. */
import type { Workspace } from '../../gpu/index.ts';
import { storage, uniform, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { BufferSpec } from '../contract/index.ts';
import { moveRoom } from './moveRoom.ts';

/** No slot, and no item. */
export const NONE = '0xffffffffu';

/** Set in the word of an item that has no slot; below it are, a bit each, the slots of its two buckets that were empty. */
export const ABSENT = '0x80000000u';
/** Bits for the slots of one bucket. */
export const ROOM_BITS = 8;

/** Words before those of the items: the number of items that wait for room, and padding. */
const HEAD_WORDS = 4;
/** Words of an item, in sections: a slot, the item that its copies met at, the winner among them, a waiting item, a folded value. */
const SECTIONS = { slot: 0, meeting: 1, winner: 2, waiting: 3, folded: 4 } as const;
type Section = keyof typeof SECTIONS;

/** Places where copies meet, for every item. */
const PLACES_PER_ITEM = 2;

export const work = storage('work', 'array<atomic<u32>>', 'read_write');
/** Places for items: the number of an item and one, or 0. */
export const meetingPlaces = storage('places', 'array<atomic<u32>>', 'read_write');
/** Items that there is room for in each section, places where they meet, items that are moved for at a time, bits of a lock's number. */
export const rooms = uniform('rooms', 'vec4u');

/** The word of an item in a section. */
export const workOf = (section: Section, item: WgslPart): Wgsl =>
  wgsl`${work}[${HEAD_WORDS}u + ${SECTIONS[section]}u * ${rooms}.x + ${item}]`;

/** How many items wait for room. */
export const waitingCount: Wgsl = wgsl`${work}[0]`;

/** All of it for a batch of so many items at most. */
export function scratchOf(items: number) {
  const { lanes, lockBits, lockWords, pathWords, rounds } = moveRoom(items);
  const places = items * PLACES_PER_ITEM;
  const spec = (name: string, words: number): BufferSpec => ({ name: `dyCuckoo/${name}`, bytes: words * 4 });
  const specs = {
    work: spec('work', HEAD_WORDS + items * Object.keys(SECTIONS).length),
    places: spec('places', places),
    moves: spec('moves', lockWords + pathWords),
  };
  return {
    specs,
    /** The words of `rooms`. */
    rooms: [items, places, lanes, lockBits] as const,
    lanes,
    rounds,
    places,
    /** Words that are 0 at first: the head of `work`, and the locks of `moves` with the counters of lanes. */
    headWords: HEAD_WORDS,
    lockWords,
    /** Where sections of `work` begin that something is gathered in. */
    winnersAt: HEAD_WORDS + SECTIONS.winner * items,
    foldedAt: HEAD_WORDS + SECTIONS.folded * items,
    get: (workspace: Workspace, name: keyof typeof specs): GPUBuffer =>
      workspace.scratch(specs[name].name, specs[name].bytes),
  };
}
