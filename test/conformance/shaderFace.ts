import { HashMap, HashSet, type ShaderFace } from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { type SchemeName, schemes } from '../../src/schemes/index.ts';
import { TestBuffers } from './buffers.ts';
import type { ConformanceCase } from './case.ts';
import { equalWords, throwsCode } from './expect.ts';
import { interleave, type Key, type Keys, randomKeys } from './keySets.ts';
import { carries, forSubjects, type Subject, schemeNames } from './subjects.ts';

const COUNT = 300;

/** A shader of someone who never heard of our names, and happens to use them. */
const userShader = (keyType: string, tables: string, answer: string) => `
struct Hit { header: u32 }
struct Header { slots: u32 }
@group(0) @binding(0) var<storage, read> header: array<${keyType}>;
@group(0) @binding(1) var<storage, read_write> slots: array<vec4u>;
const capacity = 1000u;
fn find(key: u32) -> Hit { return Hit(key + capacity); }
fn mix(a: u32) -> u32 { return a ^ 1u; }
fn findSlot() -> Header { return Header(3u); }
${tables}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let item = id.x;
  if (item >= arrayLength(&header)) { return; }
  let key = header[item];
  slots[item] = ${answer};
}`;

/** Runs the user's shader over the queries; the tables' bind groups begin at 1. */
export async function runShader(
  gpu: Gpu,
  queries: Keys,
  code: string,
  tables: readonly { readonly layout: GPUBindGroupLayout; readonly bindGroup: GPUBindGroup }[],
): Promise<Uint32Array> {
  const { device } = gpu;
  using buffers = new TestBuffers(gpu);
  const output = buffers.words(4 * queries.length);
  const ownLayout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: 4, buffer: { type: 'read-only-storage' } },
      { binding: 1, visibility: 4, buffer: { type: 'storage' } },
    ],
  });
  const ownGroup = device.createBindGroup({
    layout: ownLayout,
    entries: [buffers.upload(queries), output].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const [bytes] = await gpu.run(
    (encoder) => {
      const layouts = [ownLayout, ...tables.map(({ layout }) => layout)];
      const pipeline = device.createComputePipeline({
        layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
        compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
      });
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      for (const [i, group] of [ownGroup, ...tables.map(({ bindGroup }) => bindGroup)].entries()) {
        pass.setBindGroup(i, group);
      }
      pass.dispatchWorkgroups(Math.ceil(queries.length / 64));
      pass.end();
    },
    [{ buffer: output, bytes: 16 * queries.length }],
  );
  return new Uint32Array(bytes as ArrayBuffer);
}

/** Three tables that hold different parts of the keys, the second by another scheme. */
async function threeTables(gpu: Gpu, subject: Subject, keys: Keys) {
  const able = schemeNames.filter((name) => carries(name, subject.kind.name));
  const next = (able.indexOf(subject.schemeName) + 1) % able.length;
  const otherScheme = schemes[able[next] as SchemeName]();
  const weights = Float32Array.from({ length: COUNT }, (_, i) => i / 4 - 20);
  const depths = Int32Array.from({ length: COUNT }, (_, i) => 100 - i);
  const half = keys.slice(0, COUNT / 2);
  return {
    weights,
    depths,
    weight: await HashMap.from(gpu, { keys: keys.slice(0, COUNT), values: weights }, { scheme: subject.make() }),
    depth: await HashMap.from(gpu, { keys: keys.slice(0, COUNT), values: depths }, { scheme: otherScheme }),
    seen: await HashSet.from(gpu, { keys: half }, { scheme: subject.make() }),
  };
}

/** What the shader below must write for every query. */
function expectedAnswers(queries: Keys, keys: Keys, weights: Float32Array, depths: Int32Array): Uint32Array {
  const places = new Map<Key, number>(Array.from(keys.slice(0, COUNT) as ArrayLike<Key>, (key, i) => [key, i]));
  const words = new Uint32Array(4 * queries.length);
  for (let i = 0; i < queries.length; i++) {
    const place = places.get(queries[i] as Key);
    const flags = place === undefined ? 0 : 1 | 2 | (place < COUNT / 2 ? 4 : 0);
    const doubled = new Float32Array([2 * (weights[place ?? -1] ?? 0)]);
    const halved = Math.trunc((depths[place ?? -1] ?? 0) / 2);
    words.set([new Uint32Array(doubled.buffer)[0] as number, halved >>> 0, flags, i + 1000], 4 * i);
  }
  return words;
}

// Arithmetic in the values' own types: it would not compile, or give other bits, if they came as plain words.
const ANSWER = `vec4u(
    bitcast<u32>(2.0 * weight_find(key).value),
    bitcast<u32>(depth_find(key).value / 2),
    u32(weight_find(key).found) | (u32(depth_find(key).found) << 1u) | (u32(seen_find(key).found) << 2u),
    find(item).header)`;

const codeOf = (faces: readonly ShaderFace[]): string => faces.map(({ code }) => code).join('\n');

export const shaderFaceCases: readonly ConformanceCase[] = [
  ...forSubjects(
    "three tables of two schemes in one user's shader, beside its own names and buffers",
    async (gpu, subject) => {
      const keys = randomKeys(subject.kind, 2 * COUNT);
      const { weight, depth, seen, weights, depths } = await threeTables(gpu, subject, keys);
      const faces = Object.entries({ weight, depth, seen }).map(([name, table], i) =>
        table.wgsl({ name, group: i + 1 }),
      );
      const queries = interleave(subject.kind, keys.slice(0, COUNT), keys.slice(COUNT));
      const keyType = subject.kind.bits === 32 ? 'u32' : 'vec2u';
      const words = await runShader(gpu, queries, userShader(keyType, codeOf(faces), ANSWER), faces);
      equalWords(words, expectedAnswers(queries, keys, weights, depths), 'answers');
      for (const table of [weight, depth, seen]) table.destroy();
    },
    { short: true },
  ),
  ...forSubjects('three tables in one bind group', async (gpu, subject) => {
    const keys = randomKeys(subject.kind, 2 * COUNT);
    const { weight, depth, seen, weights, depths } = await threeTables(gpu, subject, keys);
    const faces: ShaderFace[] = [];
    for (const [name, table] of Object.entries({ weight, depth, seen })) {
      const firstBinding = faces.reduce((sum, { entries }) => sum + entries.length, 0);
      faces.push(table.wgsl({ name, group: 1, firstBinding }));
    }
    const layout = gpu.device.createBindGroupLayout({ entries: faces.flatMap((face) => face.layoutEntries) });
    const bindGroup = gpu.device.createBindGroup({ layout, entries: faces.flatMap((face) => face.entries) });
    const queries = interleave(subject.kind, keys.slice(0, COUNT), keys.slice(COUNT));
    const keyType = subject.kind.bits === 32 ? 'u32' : 'vec2u';
    const words = await runShader(gpu, queries, userShader(keyType, codeOf(faces), ANSWER), [{ layout, bindGroup }]);
    equalWords(words, expectedAnswers(queries, keys, weights, depths), 'answers');
    for (const table of [weight, depth, seen]) table.destroy();
  }),
  ...forSubjects('a name that cannot stand in WGSL is refused', async (gpu, subject) => {
    using set = await HashSet.from(gpu, { keys: randomKeys(subject.kind, 3) }, { scheme: subject.make() });
    for (const name of ['', 'my table', '3d', '_', '__x', 'a-b']) {
      await throwsCode(() => set.wgsl({ name, group: 0 }), 'invalid-input', `the name '${name}'`);
    }
  }),
];
