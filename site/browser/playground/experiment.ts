/** Builds a table on this GPU, looks at every answer, and measures it. Nothing of the page is known here. */
import { type Gpu, HashMap, type MapOptions, type SchemeName } from 'hashnest';
import { hasLoadFactor, makeScheme } from '../../../bench/configurations.ts';
import { type Measurement, measure } from '../../../bench/measure.ts';
import { type KeyKind, makeKeys } from './workload.ts';

/** What a visitor chose. */
export interface Choice {
  readonly scheme: SchemeName;
  readonly keys: KeyKind;
  readonly items: number;
  readonly loadFactor: number;
  readonly seed: number;
}

/** How searches went: four words for each. */
interface Looks {
  readonly found: Uint32Array;
  readonly slots: Uint32Array;
  readonly probes: Uint32Array;
  readonly averageProbes: number;
}

/** What came out, and the table, which is the caller's to destroy. */
export interface Outcome {
  readonly choice: Choice;
  readonly map: HashMap<Uint32Array>;
  readonly keys: Uint32Array;
  readonly present: Looks;
  readonly absent: Looks;
  /** Present keys without their value, and absent ones that were found. */
  readonly wrong: number;
  readonly times: Readonly<Record<'build' | 'present' | 'absent', Measurement>>;
}

/** What holds the clocks of a large GPU up would take a small one seconds. */
const MEASURING = { repeat: 3, holdMs: 0 };

export const takesLoad = hasLoadFactor;

/** Does it all; `tell` hears what is being done. */
export async function experiment(gpu: Gpu, choice: Choice, tell: (what: string) => void): Promise<Outcome> {
  const { items, seed } = choice;
  tell('making keys');
  const { present, absent } = makeKeys(choice.keys, items);
  const input = { keys: present, values: Uint32Array.from({ length: items }, (_, i) => i) };
  const options = {
    scheme: makeScheme(choice.scheme, { loadFactor: choice.loadFactor }),
    duplicates: 'unique',
    seed,
  } as const;

  tell('building');
  const map = await HashMap.from(gpu, input, options);
  try {
    tell('searching for every key');
    const looks = { present: await lookAt(gpu, map, present), absent: await lookAt(gpu, map, absent) };
    tell('measuring');
    const times = await measureAll(gpu, map, input, absent, options);
    return {
      choice,
      map,
      keys: present,
      present: looks.present,
      absent: looks.absent,
      wrong: looks.present.wrong + looks.absent.found.reduce((sum, found) => sum + found, 0),
      times,
    };
  } catch (error) {
    map.destroy();
    throw error;
  }
}

const lookKernel = (table: string, count: number): string => /* wgsl */ `${table}
@group(0) @binding(0) var<storage, read> queries: array<u32>;
@group(0) @binding(1) var<storage, read_write> looks: array<vec4u>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= ${count}u) { return; }
  let hit = table_find(queries[id.x]);
  looks[id.x] = vec4u(u32(hit.found), hit.slot, hit.probes, hit.value);
}`;

/** Searches for keys by a kernel of our own, which tells where each was found and by how many probes. */
async function lookAt(
  gpu: Gpu,
  map: HashMap<Uint32Array>,
  keys: Uint32Array<ArrayBuffer>,
): Promise<Looks & { wrong: number }> {
  const { device } = gpu;
  const count = keys.length;
  const face = map.wgsl({ name: 'table', group: 1 });
  const queries = gpu.upload('queries', keys);
  const looks = gpu.createBuffer('looks', 16 * count);
  try {
    const module = device.createShaderModule({ code: lookKernel(face.code, count) });
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
    const own = [queries, looks].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const [bytes] = await gpu.run(
      (encoder) => {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        for (const [group, entries] of [own, face.entries].entries()) {
          pass.setBindGroup(group, device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries }));
        }
        pass.dispatchWorkgroups(Math.ceil(count / 256));
        pass.end();
      },
      [{ buffer: looks, bytes: 16 * count }],
    );
    const words = new Uint32Array(bytes as ArrayBuffer);
    const column = (first: number) => Uint32Array.from({ length: count }, (_, i) => words[4 * i + first] as number);
    const [found, slots, probes, values] = [column(0), column(1), column(2), column(3)];
    const wrong = values.reduce((sum, value, i) => sum + (found[i] === 1 && value === i ? 0 : 1), 0);
    const averageProbes = probes.reduce((sum, n) => sum + n, 0) / count;
    return { found, slots, probes, averageProbes, wrong };
  } finally {
    queries.destroy();
    looks.destroy();
  }
}

/** Building is measured on a table of its own: recorded builds draw other hash functions. */
async function measureAll(
  gpu: Gpu,
  map: HashMap<Uint32Array>,
  input: { readonly keys: Uint32Array; readonly values: Uint32Array },
  absentKeys: Uint32Array,
  options: MapOptions<Uint32Array, Uint32Array>,
): Promise<Outcome['times']> {
  const count = input.keys.length;
  const buffers = {
    keys: gpu.upload('keys', input.keys),
    values: gpu.upload('values', input.values),
    absent: gpu.upload('absent', absentKeys),
    answers: gpu.createBuffer('answers', 4 * count),
  };
  const { keys, values, absent, answers } = buffers;
  const search = (queries: GPUBuffer): Promise<Measurement> =>
    measure(gpu, (pass) => map.encodeGet(pass, { queries, values: answers, count }), MEASURING);
  try {
    using rebuilt = await HashMap.from(gpu, input, options);
    const build = await measure(gpu, (pass) => rebuilt.encodeRebuild(pass, { keys, values, count }), MEASURING);
    return { build, present: await search(keys), absent: await search(absent) };
  } finally {
    for (const buffer of Object.values(buffers)) buffer.destroy();
  }
}
