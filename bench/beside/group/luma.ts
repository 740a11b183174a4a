import type { Contestant, Stage } from '../contest.ts';
import { Luma } from '../luma.ts';
import type { GroupData, Groups } from '../rows.ts';
import { timed, timedOnGpu } from '../times.ts';

/** `GPUGroupAggregation` twice: it counts whole numbers, and sums floating-point ones, which are exact up to 2²⁴. */
async function groupGraph({ keys, values, distinct }: GroupData, { gpu, keep }: Stage) {
  const luma = keep(await Luma.open(gpu));
  const columns = luma.columns({ keys: keys.length, values: keys.length, counts: distinct, sums: distinct });
  const record = luma.compiled(columns, (graph, view) => {
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
  return { record, upload, read };
}

/** Those that have rows. */
function groupsIn({ counts, sums }: { readonly counts: Uint32Array; readonly sums: Float32Array }): Groups {
  const keys = [...counts.keys()].filter((key) => counts[key] !== 0);
  return { keys, counts: counts.filter((count) => count !== 0), sums: keys.map((key) => sums[key] as number) };
}

const refuses = ({ kind }: GroupData) => (kind === 'dense u32' ? undefined : 'it has dense u32 keys only');

/** Into buffers that are there, through a graph that is compiled, and back into arrays. */
export const groupByLuma: Contestant<GroupData, Groups> = {
  name: 'luma.gl',
  library: 'luma',
  clock: 'wall',
  refuses,
  prepare: async (data, stage) => {
    const { record, upload, read } = await groupGraph(data, stage);
    let results = { counts: new Uint32Array(), sums: new Float32Array() };
    const work = async () => {
      upload();
      await stage.gpu.run(record);
      results = await read();
    };
    return { run: () => timed({ all: work }), answer: async () => groupsIn(results) };
  },
};

export const groupByLumaOnGpu: Contestant<GroupData, Groups> = {
  name: 'luma.gl, on the GPU',
  library: 'luma',
  clock: 'gpu',
  refuses,
  prepare: async (data, stage) => {
    const { record, upload, read } = await groupGraph(data, stage);
    upload();
    return { run: () => timedOnGpu(stage.gpu, { all: record }), answer: async () => groupsIn(await read()) };
  },
};
