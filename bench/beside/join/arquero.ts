import type { Contestant } from '../contest.ts';
import { optional } from '../packages.ts';
import type { JoinData, Pairs } from '../rows.ts';
import { timed } from '../times.ts';

/** Tables over the arrays as they are, with numbers of rows as further columns. */
export const joinByArquero: Contestant<JoinData, Pairs> = {
  name: 'Arquero',
  library: 'arquero',
  clock: 'wall',
  prepare: async (data) => {
    const { table } = await optional<typeof import('arquero')>('arquero');
    const numbers = (length: number) => Uint32Array.from({ length }, (_, row) => row);
    const left = table({ key: data.left, left: numbers(data.left.length) });
    const right = table({ key: data.right, right: numbers(data.right.length) });
    let joined = table({});
    const work = () => {
      joined = left.join(right, 'key', [['left'], ['right']]);
    };
    return {
      run: () => timed({ all: work }),
      answer: async () => ({
        left: joined.array('left') as ArrayLike<number>,
        right: joined.array('right') as ArrayLike<number>,
      }),
    };
  },
};
