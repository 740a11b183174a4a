import { weld } from '../../../src/spatial.ts';
import type { Contestant } from '../contest.ts';
import { timed } from '../times.ts';
import { type Mesh, type Soup, TOLERANCE } from './soup.ts';

/** One call, from arrays to arrays. */
export const weldByHashnest: Contestant<Soup, Mesh> = {
  name: 'Hashnest',
  library: 'hashnest',
  clock: 'wall',
  prepare: async ({ corners }, { gpu }) => {
    let mesh: Mesh = { indices: [], positions: [] };
    const work = async () => {
      mesh = await weld(gpu, corners, { tolerance: TOLERANCE });
    };
    return { run: () => timed({ all: work }), answer: async () => mesh };
  },
};
