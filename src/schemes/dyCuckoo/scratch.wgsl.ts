/** What a batch needs while it runs. */
import type { Workspace } from '../../gpu/index.ts';
import { uniform, WORD_BYTES } from '../../wgsl/index.ts';
import type { BufferSpec } from '../contract/index.ts';
import { itemWork } from '../kit/batch/work.wgsl.ts';
import { moveRoom } from './moveRoom.ts';

/** Bits for the slots of one bucket: below `ABSENT` are, a bit each, the slots of an item's two buckets that were empty. */
export const ROOM_BITS = 8;

export const work = itemWork('dyCuckoo');

/** Items that are moved for at a time, and bits of a lock's number. */
export const moveRooms = uniform('moveRooms', 'vec2u');

/** The memory of moves, for a batch of so many items at most. */
export function moveScratch(items: number) {
  const { lanes, lockBits, lockWords, pathWords, rounds } = moveRoom(items);
  const spec: BufferSpec = { name: 'dyCuckoo/moves', bytes: (lockWords + pathWords) * WORD_BYTES };
  return {
    spec,
    /** The words of `moveRooms`. */
    rooms: [lanes, lockBits] as const,
    lanes,
    rounds,
    /** Words that are 0 at first: the locks, and the counters of lanes. */
    lockWords,
    get: (workspace: Workspace): GPUBuffer => workspace.scratch(spec.name, spec.bytes),
  };
}
