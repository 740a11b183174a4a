import type { Contestant } from '../contest.ts';
import type { GroupData, Groups } from '../rows.ts';
import { timed } from '../times.ts';

/** A `Map` from keys to the numbers of groups; counts and sums in arrays. */
export const groupByMap: Contestant<GroupData, Groups> = {
  name: 'JavaScript Map',
  library: 'javascript',
  clock: 'wall',
  prepare: async ({ keys, values }) => {
    let groups: Groups = { keys: [], counts: [], sums: [] };
    const work = () => {
      const numbers = new Map<number | string, number>();
      const [counts, sums]: [number[], number[]] = [[], []];
      for (let row = 0; row < keys.length; row++) {
        const key = keys[row] as number | string;
        const number = numbers.get(key);
        if (number === undefined) {
          numbers.set(key, counts.length);
          counts.push(1);
          sums.push(values[row] as number);
        } else {
          counts[number] = (counts[number] as number) + 1;
          sums[number] = (sums[number] as number) + (values[row] as number);
        }
      }
      groups = { keys: [...numbers.keys()], counts, sums };
    };
    return { run: () => timed({ all: work }), answer: async () => groups };
  },
};
