/**
 * How the items of a tile are ranked among those with the same digit. A row of threads has a stretch of the tile, and takes an item a
 * lane of it in every round. It has one counter for each digit, whose upper half counts the items of that digit in earlier rounds.
 */
import { unrolled, type Wgsl, type WgslPart, wgsl } from '../wgsl/index.ts';

export const DIGIT_BITS = 8;

/** What ranks the items of a tile. */
export interface Ranking {
  readonly threads: number;
  /** Items of a thread. */
  readonly rounds: number;
  /** Threads of a row. */
  readonly lanes: number;
  /** Whether rows are subgroups. */
  readonly subgroups: boolean;
  /** Statements that declare `row` and, unless the kernel has it, `lane`; `word` is an atomic word that begins as 0. */
  findRow(word: WgslPart): Wgsl;
  /**
   * Statements that declare `rank0`, `rank1` and so on: how many items of the same digit come before the thread's in its row. Afterwards
   * the upper half of `counter(digit)`, an atomic word that begins as 0, has the number of all.
   */
  rank(digit: (round: number) => WgslPart, counter: (digit: WgslPart) => WgslPart): Wgsl;
}

/** On every device. */
const LANES = 16;

/**
 * By barriers: the lower half of a counter has one bit for every lane whose item has that digit now. One addition takes the bits away and
 * adds their number to the upper half; it needs no barrier before the additions of the next round.
 */
export const rankByBarriers = (threads: number, rounds: number): Ranking => ({
  threads,
  rounds,
  lanes: LANES,
  subgroups: false,
  findRow: () => wgsl`
  let row = thread / ${LANES}u;
  let lane = thread % ${LANES}u;`,
  rank: (digit, counter) =>
    unrolled(
      rounds,
      (r) => wgsl`
    let digit${r} = ${digit(r)};
    atomicAdd(&${counter(`digit${r}`)}, 1u << lane);
    workgroupBarrier();
    let seen${r} = atomicLoad(&${counter(`digit${r}`)});
    let equals${r} = seen${r} & 0xffffu;
    let rank${r} = (seen${r} >> 16u) + countOneBits(equals${r} & lowerLanes);
    workgroupBarrier();
    if ((equals${r} >> lane) == 1u) {
      atomicAdd(&${counter(`digit${r}`)}, (countOneBits(equals${r}) << 16u) - equals${r});
    }`,
    ),
});

/**
 * By votes of a subgroup, without a barrier: whoever agrees with a lane in every bit of the digit has the same. The first of them counts for
 * all. Nobody else touches the counters of the row, and a round begins when everybody has heard the counter of the round before.
 */
export const rankByVotes = (lanes: number, rows: number, rounds: number): Ranking => ({
  threads: lanes * rows,
  rounds,
  lanes,
  subgroups: true,
  // No subgroup knows which one it is.
  findRow: (word) => wgsl`
  var taken = 0u;
  if (lane == 0u) { taken = atomicAdd(&${word}, 1u); }
  let row = subgroupBroadcastFirst(taken);`,
  rank: (digit, counter) =>
    unrolled(
      rounds,
      (r) => wgsl`
    let digit${r} = ${digit(r)};
    var equals${r} = ${2 ** lanes - 1}u;
    ${unrolled(
      DIGIT_BITS,
      (bit) => wgsl`{
      let own = (digit${r} >> ${bit}u) & 1u;
      equals${r} &= subgroupBallot(own == 1u).x ^ (own - 1u);
    }`,
    )}
    let lower${r} = countOneBits(equals${r} & lowerLanes);
    var before${r} = 0u;
    if (lower${r} == 0u) { before${r} = atomicAdd(&${counter(`digit${r}`)}, countOneBits(equals${r}) << 16u); }
    let rank${r} = (subgroupShuffle(before${r}, firstTrailingBit(equals${r})) >> 16u) + lower${r};`,
    ),
});
