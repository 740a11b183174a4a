import type { Stage } from '../contest.ts';
import { Luma, lumaContestants } from '../luma.ts';
import type { JoinData, Pairs } from '../rows.ts';

/** Slots that a search looks at; luma.gl refuses more than 2³² of all rows together. */
const MOST_PROBES = 256;
const BUILD_STATISTICS = 6;
const QUERY_STATISTICS = 4;

/** A table of at least two slots a key, and two graphs: `GPUHashIndex`, and `GPUHashJoin` behind it. */
async function joinTask(data: JoinData, { gpu, keep }: Stage) {
  const luma = keep(await Luma.open(gpu));
  const slots = 2 ** Math.ceil(Math.log2(2 * data.right.length));
  const columns = luma.columns({
    leftKeys: data.left.length,
    rightKeys: data.right.length,
    tableKeys: slots,
    tableValues: slots,
    built: BUILD_STATISTICS,
    leftRows: data.left.length,
    rightRows: data.left.length,
    count: 1,
    overflow: 1,
    asked: QUERY_STATISTICS,
  });
  const table = { maxProbeCount: Math.min(slots, MOST_PROBES) };
  const build = luma.compiled(columns, (graph, view) => {
    new luma.core.GPUHashIndex({
      keys: view('rightKeys', 'uint32'),
      tableKeys: view('tableKeys', 'uint32'),
      tableValues: view('tableValues', 'uint32'),
      statistics: view('built', 'uint32'),
      ...table,
    }).addToGraph(graph);
  });
  const join = luma.compiled(columns, (graph, view) => {
    new luma.core.GPUHashJoin({
      index: { tableKeys: view('tableKeys', 'uint32'), tableValues: view('tableValues', 'uint32'), ...table },
      keys: view('leftKeys', 'uint32'),
      outputLeftRows: view('leftRows', 'uint32'),
      outputRightRows: view('rightRows', 'uint32'),
      count: view('count', 'uint32'),
      overflow: view('overflow', 'uint32'),
      statistics: view('asked', 'uint32'),
    }).addToGraph(graph);
  });
  const upload = () => {
    columns.leftKeys.write(data.left as Uint32Array<ArrayBuffer>);
    columns.rightKeys.write(data.right as Uint32Array<ArrayBuffer>);
  };
  const read = async (): Promise<Pairs> => {
    const [count] = await luma.read(columns.count);
    return { left: await luma.read(columns.leftRows, count), right: await luma.read(columns.rightRows, count) };
  };
  return { graphs: { build, join }, upload, read };
}

const refuses = ({ left }: JoinData) => (ArrayBuffer.isView(left) ? undefined : 'it has u32 keys only');

export const joinsByLuma = lumaContestants(refuses, joinTask, (pairs) => pairs);
