import type { ShaderFace } from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { type SchemeName, schemes } from '../../src/schemes/index.ts';
import type { ConformanceCase } from './case.ts';
import { equal, equalWords, throwsCode } from './expect.ts';
import { type Keys, keyOption } from './keyKinds.ts';
import { interleave, randomKeys, randomSet, valuesFor } from './keySets.ts';
import { keysInSlots } from './storedKeys.ts';
import { carries, forSubjects, type Subject, schemeNames } from './subjects.ts';
import { buildMap, buildSet, mapFrom, setFrom } from './tables.ts';
import { faceOptions, runShader, type UserShader } from './userShader.ts';

const COUNT = 300;
const NO_SLOT = 0xffff_ffff;

/** Declarations of someone who never heard of our names, and happens to use them. */
const NAMES = { queries: 'header', answers: 'slots' };
const OWN_CODE = `
struct Hit { header: u32 }
struct Header { slots: u32 }
const capacity = 1000u;
fn find(key: u32) -> Hit { return Hit(key + capacity); }
fn mix(a: u32) -> u32 { return a ^ 1u; }
fn findSlot() -> Header { return Header(3u); }`;

/** Three tables that hold different parts of the keys, the second by another scheme. */
async function threeTables(gpu: Gpu, subject: Subject, keys: Keys) {
  const { kind } = subject;
  const able = schemeNames.filter((name) => carries(name, kind));
  const next = (able.indexOf(subject.schemeName) + 1) % able.length;
  const otherScheme = schemes[able[next] as SchemeName]();
  const weights = Float32Array.from({ length: COUNT }, (_, i) => i / 4 - 20);
  const depths = Int32Array.from({ length: COUNT }, (_, i) => 100 - i);
  const all = kind.host(keys.slice(0, COUNT));
  const key = keyOption(kind);
  return {
    weights,
    depths,
    weight: await mapFrom(gpu, { keys: all, values: weights }, { ...key, scheme: subject.make() }),
    depth: await mapFrom(gpu, { keys: all, values: depths }, { ...key, scheme: otherScheme }),
    seen: await setFrom(gpu, { keys: kind.host(keys.slice(0, COUNT / 2)) }, { ...key, scheme: subject.make() }),
  };
}

/** What the shader below must write for every query. */
function expectedAnswers(queries: Keys, keys: Keys, weights: Float32Array, depths: Int32Array): Uint32Array {
  const places = new Map(keys.slice(0, COUNT).map((key, i) => [key, i]));
  const words = new Uint32Array(4 * queries.length);
  for (const [i, query] of queries.entries()) {
    const place = places.get(query);
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

/** Three tables of strings, with the bytes of each, bind more buffers than every device has. */
const fitsThreeTimes = ({ kind }: Subject): boolean => kind.type.access('table').context === undefined;

const codeOf = (faces: readonly ShaderFace[]): string => faces.map(({ code }) => code).join('\n');

/** Runs the shader over keys that are there and others, and compares what it writes. */
async function answersInShader(
  gpu: Gpu,
  { kind }: Subject,
  keys: Keys,
  tables: Awaited<ReturnType<typeof threeTables>>,
  shader: Pick<UserShader, 'code' | 'tables'>,
): Promise<void> {
  const queries = interleave(keys.slice(0, COUNT), keys.slice(COUNT));
  const code = `${OWN_CODE}\n${shader.code}`;
  const words = await runShader(gpu, { kind, queries, answer: ANSWER, names: NAMES, tables: shader.tables, code });
  equalWords(words, expectedAnswers(queries, keys, tables.weights, tables.depths), 'answers');
}

export const shaderFaceCases: readonly ConformanceCase[] = [
  ...forSubjects(
    "three tables of two schemes in one user's shader, beside its own names and buffers",
    async (gpu, subject) => {
      const keys = randomKeys(subject.kind, 2 * COUNT);
      const tables = await threeTables(gpu, subject, keys);
      const { weight, depth, seen } = tables;
      const faces = Object.entries({ weight, depth, seen }).map(([name, table], i) =>
        table.wgsl({ name, group: i + 1, ...faceOptions(subject.kind) }),
      );
      await answersInShader(gpu, subject, keys, tables, { code: codeOf(faces), tables: faces });
      for (const table of [weight, depth, seen]) table.destroy();
    },
    { short: true, only: fitsThreeTimes },
  ),
  ...forSubjects(
    'three tables in one bind group',
    async (gpu, subject) => {
      const keys = randomKeys(subject.kind, 2 * COUNT);
      const tables = await threeTables(gpu, subject, keys);
      const { weight, depth, seen } = tables;
      const faces: ShaderFace[] = [];
      for (const [name, table] of Object.entries({ weight, depth, seen })) {
        const firstBinding = faces.reduce((sum, { entries }) => sum + entries.length, 0);
        faces.push(table.wgsl({ name, group: 1, firstBinding, ...faceOptions(subject.kind) }));
      }
      const layout = gpu.device.createBindGroupLayout({ entries: faces.flatMap((face) => face.layoutEntries) });
      const bindGroup = gpu.device.createBindGroup({ layout, entries: faces.flatMap((face) => face.entries) });
      await answersInShader(gpu, subject, keys, tables, { code: codeOf(faces), tables: [{ layout, bindGroup }] });
      for (const table of [weight, depth, seen]) table.destroy();
    },
    { only: fitsThreeTimes },
  ),
  ...forSubjects('a hit names the slot in which its key stands, and a miss none', async (gpu, subject) => {
    const { kind } = subject;
    const random = randomKeys(kind, 2 * COUNT);
    const keys = [...random.slice(0, COUNT), 0n, kind.allOnes];
    using map = await buildMap(gpu, subject, { keys, values: valuesFor(keys.length) });
    const face = map.wgsl({ name: 'table', group: 1, ...faceOptions(kind) });
    const queries = interleave(keys, random.slice(COUNT));
    const words = await runShader(gpu, {
      kind,
      queries,
      tables: [face],
      code: face.code,
      statements: 'let hit = table_find(key);',
      answer: 'vec4u(u32(hit.found), hit.slot, 0u, 0u)',
    });
    const bySlot = await keysInSlots(kind, map.table);
    equal(bySlot.filter((key) => key !== undefined).length, keys.length, 'slots that hold a key');
    const present = new Set(keys);
    for (const [i, query] of queries.entries()) {
      const slot = words[4 * i + 1] as number;
      if (present.has(query)) equal(bySlot[slot], query, `the key in slot ${slot}, which query ${i} was sent to`);
      else equal(slot, NO_SLOT, `the slot of query ${i}, whose key is absent`);
    }
  }),
  ...forSubjects(
    'the code of a face is good for all rebuilds, its buffers until the table grows',
    async (gpu, subject) => {
      const { kind } = subject;
      const { present: keys, absent } = randomSet(kind, 5 * COUNT);
      using map = await buildMap(gpu, subject, { keys: keys.slice(0, 2), values: valuesFor(2) });
      const options = { name: 'table', group: 1, ...faceOptions(kind) };
      const first = map.wgsl(options);
      const answer = 'vec4u(table_find(key).value, u32(table_find(key).found), 0u, 0u)';
      const queries = interleave(keys, absent);
      const check = async (face: ShaderFace, size: number) => {
        // The text that was taken first, with the buffers of now.
        const words = await runShader(gpu, { kind, queries, tables: [face], code: first.code, answer });
        const places = new Map(keys.slice(0, size).map((key, i) => [key, i]));
        const expected = queries.flatMap((key) => {
          const place = places.get(key);
          return place === undefined ? [0, 0, 0, 0] : [valuesFor(size)[place] as number, 1, 0, 0];
        });
        equalWords(words, Uint32Array.from(expected), `answers from ${size} items`);
      };
      await check(first, 2);
      for (const size of [1, keys.length, 10]) {
        const face = map.wgsl(options);
        await map.rebuild({ keys: kind.host(keys.slice(0, size)), values: valuesFor(size) });
        equal(face.isCurrent, size < keys.length, `whether its buffers still are in use after a rebuild from ${size}`);
        const now = map.wgsl(options);
        equal(now.isCurrent, true, 'whether the buffers of a new face are in use');
        equal(now.code, first.code, 'the code of a new face');
        await check(now, size);
      }
      equal(first.isCurrent, false, 'whether buffers of long ago are in use');
    },
    { short: true },
  ),
  ...forSubjects('a name that cannot stand in WGSL is refused', async (gpu, subject) => {
    using set = await buildSet(gpu, subject, randomKeys(subject.kind, 3));
    for (const name of ['', 'my table', '3d', '_', '__x', 'a-b']) {
      await throwsCode(
        () => set.wgsl({ name, group: 0, ...faceOptions(subject.kind) }),
        'invalid-input',
        `the name '${name}'`,
      );
    }
  }),
];
