import type { Contestant } from '../contest.ts';
import { optional } from '../packages.ts';
import type { GroupData, Groups } from '../rows.ts';
import { timed } from '../times.ts';

/** A table over the arrays as they are. */
export const groupByArquero: Contestant<GroupData, Groups> = {
  name: 'Arquero',
  library: 'arquero',
  clock: 'wall',
  prepare: async ({ keys, values }) => {
    const { op, table } = await optional<typeof import('arquero')>('arquero');
    const rows = table({ key: keys, value: values });
    let groups = table({});
    const work = () => {
      groups = rows.groupby('key').rollup({ counts: op.count(), sums: op.sum('value') });
    };
    return {
      run: () => timed({ all: work }),
      answer: async () => ({
        keys: groups.array('key') as ArrayLike<number | string>,
        counts: groups.array('counts') as ArrayLike<number>,
        sums: groups.array('sums') as ArrayLike<number>,
      }),
    };
  },
};
