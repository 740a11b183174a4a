import { join } from '../../../src/relational.ts';
import type { Contestant } from '../contest.ts';
import type { JoinData, Pairs } from '../rows.ts';
import { timed } from '../times.ts';

/** One call, from arrays to arrays. */
export const joinByHashnest: Contestant<JoinData, Pairs> = {
  name: 'Hashnest',
  library: 'hashnest',
  clock: 'wall',
  prepare: async ({ left, right }, { gpu }) => {
    let pairs: Pairs = { left: [], right: [] };
    const work = async () => {
      pairs = await join(gpu, left, right);
    };
    return { run: () => timed({ all: work }), answer: async () => pairs };
  },
};
