import type { Contestant } from '../contest.ts';
import { openDuckDB } from '../duckdb.ts';
import type { JoinData, Pairs } from '../rows.ts';
import { timed } from '../times.ts';

const JOIN = 'SELECT l.rowid::UINTEGER, r.rowid::UINTEGER FROM l JOIN r ON l.key = r.key';

/** Loading, the query itself, and reading its result into typed arrays, each by itself. */
export const joinByDuckDB: Contestant<JoinData, Pairs> = {
  name: 'DuckDB',
  library: 'duckdb',
  clock: 'wall',
  prepare: async ({ left, right }, { keep }) => {
    const database = keep(await openDuckDB());
    let result: Awaited<ReturnType<typeof database.query>>;
    let pairs: Pairs = { left: [], right: [] };
    return {
      run: () =>
        timed({
          load: async () => {
            await database.load('l', { key: left });
            await database.load('r', { key: right });
          },
          query: async () => {
            result = await database.query(JOIN);
          },
          read: async () => {
            const [leftRows, rightRows] = await database.read(result, ['numbers', 'numbers']);
            pairs = { left: leftRows as ArrayLike<number>, right: rightRows as ArrayLike<number> };
          },
        }),
      answer: async () => pairs,
    };
  },
};
