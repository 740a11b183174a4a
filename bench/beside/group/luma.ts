import type { Stage } from '../contest.ts';
import { Luma, lumaContestants } from '../luma.ts';
import type { GroupData, Groups } from '../rows.ts';

/** `GPUGroupAggregation` twice: it counts whole numbers, and sums floating-point ones, which are exact up to 2²⁴. */
async function groupTask({ keys, values, distinct }: GroupData, { gpu, keep }: Stage) {
  const luma = keep(await Luma.open(gpu));
  const columns = luma.columns({ keys: keys.length, values: keys.length, counts: distinct, sums: distinct });
  const all = luma.compiled(columns, (graph, view) => {
    const { GPUGroupAggregation } = luma.core;
    const by = view('keys', 'uint32');
    new GPUGroupAggregation({ id: 'counts', keys: by, output: view('counts', 'uint32') }).addToGraph(graph);
    new GPUGroupAggregation({
      id: 'sums',
      keys: by,
      values: view('values', 'float32'),
      output: view('sums', 'float32'),
      operation: 'sum',
    }).addToGraph(graph);
  });
  const floats = Float32Array.from(values);
  const upload = () => {
    columns.keys.write(keys as Uint32Array<ArrayBuffer>);
    columns.values.write(floats);
  };
  const read = async () => {
    const [counts, sums] = [await luma.read(columns.counts), await luma.read(columns.sums)];
    return { counts, sums: new Float32Array(sums.buffer) };
  };
  return { graphs: { all }, upload, read };
}

/** Those that have rows. */
function groupsIn({ counts, sums }: { readonly counts: Uint32Array; readonly sums: Float32Array }): Groups {
  const keys = [...counts.keys()].filter((key) => counts[key] !== 0);
  return { keys, counts: counts.filter((count) => count !== 0), sums: keys.map((key) => sums[key] as number) };
}

const refuses = ({ kind }: GroupData) => (kind === 'dense u32' ? undefined : 'it has dense u32 keys only');

export const groupsByLuma = lumaContestants(refuses, groupTask, groupsIn);
