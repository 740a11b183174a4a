import type { Contestant } from '../contest.ts';
import { openDuckDB } from '../duckdb.ts';
import type { GroupData, Groups } from '../rows.ts';
import { timed } from '../times.ts';

const GROUP = 'SELECT key, count(*)::UINTEGER, sum(value)::UINTEGER FROM t GROUP BY key';

/** Loading, the query itself, and reading its result into arrays, each by itself. */
export const groupByDuckDB: Contestant<GroupData, Groups> = {
  name: 'DuckDB',
  library: 'duckdb',
  clock: 'wall',
  prepare: async ({ keys, values }, { keep }) => {
    const database = keep(await openDuckDB());
    let result: Awaited<ReturnType<typeof database.query>>;
    let groups: Groups = { keys: [], counts: [], sums: [] };
    return {
      run: () =>
        timed({
          load: () => database.load('t', { key: keys, value: values }),
          query: async () => {
            result = await database.query(GROUP);
          },
          read: async () => {
            const kind = ArrayBuffer.isView(keys) ? 'numbers' : 'strings';
            const [found, counts, sums] = await database.read(result, [kind, 'numbers', 'numbers']);
            groups = {
              keys: found as Groups['keys'],
              counts: counts as Groups['counts'],
              sums: sums as Groups['sums'],
            };
          },
        }),
      answer: async () => groups,
    };
  },
};
