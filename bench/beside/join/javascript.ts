import type { Contestant } from '../contest.ts';
import type { JoinData, Pairs } from '../rows.ts';
import { timed } from '../times.ts';

/** A `Map` from the keys on the right to their rows. It knows that there are no more pairs than rows on the left. */
export const joinByMap: Contestant<JoinData, Pairs> = {
  name: 'JavaScript Map',
  library: 'javascript',
  clock: 'wall',
  prepare: async ({ left, right }) => {
    let pairs: Pairs = { left: [], right: [] };
    const work = () => {
      const rows = new Map<number | string, number>();
      for (let row = 0; row < right.length; row++) rows.set(right[row] as number | string, row);
      const [leftRows, rightRows] = [new Uint32Array(left.length), new Uint32Array(left.length)];
      let found = 0;
      for (let row = 0; row < left.length; row++) {
        const partner = rows.get(left[row] as number | string);
        if (partner === undefined) continue;
        leftRows[found] = row;
        rightRows[found++] = partner;
      }
      pairs = { left: leftRows.subarray(0, found), right: rightRows.subarray(0, found) };
    };
    return { run: () => timed({ all: work }), answer: async () => pairs };
  },
};
