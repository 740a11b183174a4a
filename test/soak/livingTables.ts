/** Collections that live, of every shape, behind one interface. */
import { DynamicIndex } from '../../src/collections/dynamic/dynamicIndex.ts';
import { DynamicMap } from '../../src/collections/dynamic/dynamicMap.ts';
import { DynamicSet } from '../../src/collections/dynamic/dynamicSet.ts';
import { type ValueType, valueTypes } from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { wgsl } from '../../src/wgsl/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { equal } from '../conformance/expect.ts';
import { type KeyKind, type Keys, keyKinds } from '../conformance/keyKinds.ts';
import { faceOptions, runShader } from '../conformance/userShader.ts';
import { type Existing, LIVING_SCHEMES, type LivingShape } from './livingHistory.ts';
import type { Answer, Items } from './oracle.ts';
import { cut, withOwn } from './tables.ts';

export type LivingTable = DynamicMap<unknown, never> | DynamicSet<unknown> | DynamicIndex<unknown>;

const VALUE_TYPES = { 1: valueTypes.u32, 2: valueTypes.u64, 3: valueTypes.vec3u, 4: valueTypes.vec4u } as const;
const XOR = { identity: 0, combine: wgsl`fn xor(a: u32, b: u32) -> u32 { return a ^ b; }` };

export const livingKind = ({ kind }: LivingShape): KeyKind => keyKinds[kind];

const optionsOf = (shape: LivingShape) => ({
  key: livingKind(shape).type,
  value: VALUE_TYPES[shape.valueWords] as unknown as ValueType<never>,
  scheme: LIVING_SCHEMES[shape.scheme](),
});

const CLASSES = { dynamicMap: DynamicMap, dynamicSet: DynamicSet, dynamicIndex: DynamicIndex } as const;

export function createLiving(gpu: Gpu, shape: LivingShape, reserve: number, seed: number): Promise<LivingTable> {
  const { value, ...options } = { ...optionsOf(shape), reserve, seed };
  if (shape.collection === 'dynamicMap') return DynamicMap.create(gpu, { ...options, value });
  return CLASSES[shape.collection].create(gpu, options) as Promise<LivingTable>;
}

export function openLiving(gpu: Gpu, shape: LivingShape, bytes: Uint8Array): Promise<LivingTable> {
  const { value, ...options } = optionsOf(shape);
  if (shape.collection === 'dynamicMap') return DynamicMap.fromBytes(gpu, bytes, { ...options, value });
  return CLASSES[shape.collection].fromBytes(gpu, bytes, options) as Promise<LivingTable>;
}

const hostValues = (words: number, values: Uint32Array<ArrayBuffer>): never =>
  (words === 2 ? new BigUint64Array(values.slice().buffer) : values.slice()) as never;

const wordsIn = (values: unknown): Uint32Array => {
  const { buffer, byteOffset, byteLength } = values as Uint32Array;
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
};

/** Which keys were new, and the ids of an index. */
export interface Inserted {
  readonly fresh: Uint8Array;
  readonly ids?: Uint32Array;
}

export async function insertOnHost(
  table: LivingTable,
  shape: LivingShape,
  items: Items,
  { onExisting, unique }: { readonly onExisting: Existing; readonly unique: boolean },
): Promise<Inserted> {
  const keys = livingKind(shape).host(items.keys);
  if (table instanceof DynamicIndex) return withOwn({ keys }, () => table.activate(keys));
  if (table instanceof DynamicSet) return { fresh: await withOwn({ keys }, () => table.insert(keys)) };
  const values = hostValues(shape.valueWords, items.values);
  const how = { onExisting: onExisting === 'xor' ? XOR : onExisting, unique };
  return { fresh: await withOwn({ keys, values }, () => table.insert(keys, values, how)) };
}

/** The values that keys have after absent ones got theirs; of a set and an index, nothing. */
export async function getOrInsert(
  table: LivingTable,
  shape: LivingShape,
  items: Items,
): Promise<Inserted & { readonly answers?: Answer[] }> {
  if (!(table instanceof DynamicMap)) return insertOnHost(table, shape, items, { onExisting: 'keep', unique: false });
  const keys = livingKind(shape).host(items.keys);
  const values = hostValues(shape.valueWords, items.values);
  const got = await withOwn({ keys, values }, () => table.getOrInsert(keys, values));
  return { fresh: got.fresh, answers: cut(wordsIn(got.values), shape.valueWords, items.keys.length) };
}

/** Puts items in by commands. Gives the numbers of those without room, and which keys were there. */
export async function insertOnEncoder(
  table: LivingTable,
  shape: LivingShape,
  items: Items,
  { onExisting, unique }: { readonly onExisting: Existing; readonly unique: boolean },
): Promise<{ left: Set<number>; found: Uint32Array; ids?: Uint32Array }> {
  using buffers = new TestBuffers(table.gpu);
  const kind = livingKind(shape);
  const count = items.keys.length;
  const given = { ...buffers.keys(kind, items.keys), count };
  // Its bytes need room.
  if (given.context) await table.reserve(0, given.context.size);
  const [found, left, ids] = [buffers.words(count), buffers.words(count), buffers.words(count)];
  const encoder = table.gpu.device.createCommandEncoder();
  if (table instanceof DynamicIndex) table.encodeActivate(encoder, { ...given, ids, fresh: found, left });
  else if (table instanceof DynamicSet) table.encodeInsert(encoder, { ...given, found, left });
  else {
    const values = buffers.upload(items.values);
    const how = { onExisting: onExisting === 'xor' ? XOR : onExisting, unique };
    table.encodeInsert(encoder, { ...given, values, found, left }, how);
  }
  table.gpu.device.queue.submit([encoder.finish()]);
  const { left: missed } = await table.settle();
  const numbers = new Set(await buffers.read(left, missed));
  equal(numbers.size, missed, 'different items without room');
  const flags = await buffers.read(found, count);
  if (!(table instanceof DynamicIndex)) return { left: numbers, found: flags };
  const known = await buffers.read(ids, count);
  // Those without room are not new either.
  return { left: numbers, found: flags.map((flag, i) => (numbers.has(i) ? 0 : 1 - flag)), ids: known };
}

/** Removes keys by commands, and tells which were there. */
export async function deleteOnEncoder(table: LivingTable, shape: LivingShape, keys: Keys): Promise<Uint32Array> {
  using buffers = new TestBuffers(table.gpu);
  const given = { ...buffers.keys(livingKind(shape), keys), count: keys.length, found: buffers.words(keys.length) };
  if (given.context) await table.reserve(0, given.context.size);
  const encoder = table.gpu.device.createCommandEncoder();
  table.encodeDelete(encoder, given);
  table.gpu.device.queue.submit([encoder.finish()]);
  await table.settle();
  return buffers.read(given.found, keys.length);
}

/** What a search says: the words of values, or the id. */
export interface Found {
  readonly answers: Answer[];
  readonly ids?: ArrayLike<number>;
}

const flagged = (flags: ArrayLike<number>, words: number, values: ArrayLike<number>): Answer[] =>
  cut(values, words, flags.length).map((value, i) => (flags[i] === 1 ? value : undefined));

/** An index says with one number whether a key is there. */
const NO_ID = 0xffff_ffff;
const identified = (ids: Uint32Array): Found => ({
  answers: Array.from(ids, (id) => (id === NO_ID ? undefined : [])),
  ids,
});

export async function findOnHost(table: LivingTable, shape: LivingShape, queries: Keys): Promise<Found> {
  const keys = livingKind(shape).host(queries);
  if (table instanceof DynamicIndex) return identified(await withOwn({ keys }, () => table.ids(keys)));
  if (table instanceof DynamicSet) return { answers: flagged(await withOwn({ keys }, () => table.has(keys)), 0, []) };
  const { values, found } = await withOwn({ keys }, () => table.get(keys));
  return { answers: flagged(found, shape.valueWords, wordsIn(values)) };
}

export async function findOnEncoder(table: LivingTable, shape: LivingShape, queries: Keys): Promise<Found> {
  using buffers = new TestBuffers(table.gpu);
  const count = queries.length;
  const asked = { ...buffers.queries(livingKind(shape), queries), count };
  const [values, found] = [buffers.words(count * shape.valueWords), buffers.words(count)];
  const encoder = table.gpu.device.createCommandEncoder();
  if (table instanceof DynamicIndex) table.encodeIds(encoder, { ...asked, ids: values });
  else if (table instanceof DynamicSet) table.encodeHas(encoder, { ...asked, found });
  else table.encodeGet(encoder, { ...asked, values, found });
  table.gpu.device.queue.submit([encoder.finish()]);
  if (table instanceof DynamicIndex) return identified(await buffers.read(values, count));
  const flags = await buffers.read(found, count);
  if (table instanceof DynamicSet) return { answers: flagged(flags, 0, []) };
  return { answers: flagged(flags, shape.valueWords, await buffers.read(values, count * shape.valueWords)) };
}

/** Shaders answer with a flag and three words. */
export const canAskInShader = ({ kind, collection, valueWords }: LivingShape): boolean =>
  kind !== 'pairs' && kind !== 'wideTuples' && !(collection === 'dynamicMap' && valueWords === 4);

export async function findInShader(table: LivingTable, shape: LivingShape, queries: Keys): Promise<Found> {
  const kind = livingKind(shape);
  const face = table.wgsl({ name: 'table', group: 1, ...faceOptions(kind) });
  const words = table instanceof DynamicMap ? shape.valueWords : table instanceof DynamicIndex ? 1 : 0;
  const answer = ['vec3u()', 'vec3u(hit.value, 0u, 0u)', 'vec3u(hit.value, 0u)', 'hit.value'][words];
  const answered = await runShader(table.gpu, {
    kind,
    queries,
    tables: [face],
    code: face.code,
    statements: 'let hit = table_find(key);',
    answer: `vec4u(u32(hit.found), ${answer})`,
  });
  const rows = cut(answered, 4, queries.length);
  if (table instanceof DynamicIndex) {
    return identified(Uint32Array.from(rows, ([found, id]) => (found === 1 ? (id as number) : NO_ID)));
  }
  return { answers: rows.map(([found, ...value]) => (found === 1 ? value.slice(0, words) : undefined)) };
}

/** All keys, and what the table has for each of them. */
export async function readLiving(table: LivingTable, shape: LivingShape): Promise<{ keys: Keys } & Found> {
  const { numbers } = livingKind(shape);
  if (table instanceof DynamicSet) {
    const keys = numbers(await table.keys());
    return { keys, answers: keys.map(() => []) };
  }
  if (table instanceof DynamicIndex) {
    const { keys, ids } = await table.entries();
    const known = numbers(keys);
    return { keys: known, answers: known.map(() => []), ids };
  }
  const { keys, values } = await table.entries();
  const known = numbers(keys);
  return { keys: known, answers: cut(wordsIn(values), shape.valueWords, known.length) };
}
