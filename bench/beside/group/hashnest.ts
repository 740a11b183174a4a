import { groupBy } from '../../../src/relational.ts';
import type { Contestant } from '../contest.ts';
import type { GroupData, Groups } from '../rows.ts';
import { timed } from '../times.ts';

/** One call, from arrays to arrays. */
export const groupByHashnest: Contestant<GroupData, Groups> = {
  name: 'Hashnest',
  library: 'hashnest',
  clock: 'wall',
  prepare: async ({ keys, values }, { gpu }) => {
    let groups: Groups = { keys: [], counts: [], sums: [] };
    const work = async () => {
      const found = await groupBy(gpu, keys, { values, combine: { counts: 'count', sums: 'sum' } });
      groups = { keys: found.keys as Groups['keys'], ...found.values };
    };
    return { run: () => timed({ all: work }), answer: async () => groups };
  },
};
