/** Collections of every shape behind one interface: what goes in are items, what comes out are answers. */
import {
  Aggregate,
  HashMap,
  HashSet,
  KeyIndex,
  type MapBuffers,
  type MapInput,
  MultiMap,
  type ValueType,
  valueTypes,
} from '../../src/collections/index.ts';
import type { Gpu } from '../../src/gpu/index.ts';
import { schemes } from '../../src/schemes/index.ts';
import { TestBuffers } from '../conformance/buffers.ts';
import { equal, isTrue } from '../conformance/expect.ts';
import { type KeyKind, type Keys, keyKinds } from '../conformance/keyKinds.ts';
import { faceOptions, runShader } from '../conformance/userShader.ts';
import type { Shape } from './builtHistory.ts';
import { type Answer, type Items, inOrder, wordsOf } from './oracle.ts';

export type AnyTable = HashMap<unknown> | HashSet<unknown> | KeyIndex<unknown> | MultiMap<unknown> | Aggregate<unknown>;

/** What stands for values of keys that are not there. */
const MISSING = 0xdead_beef;

/** More than all values of all queries: there are 600 of both at most, and no fewer than 8 keys where keys repeat. */
const MOST_VALUES = 1 << 18;

export const kindOf = ({ kind }: Shape): KeyKind => keyKinds[kind];

/** The tuples have no spelling in shaders. */
export const hasShaderFace = ({ kind }: Shape): boolean => kind !== 'pairs' && kind !== 'wideTuples';

const valueTypeOf = (shape: Shape): ValueType<Uint32Array> =>
  wordsOf(shape) === 3 ? valueTypes.vec3u : valueTypes.u32;

const optionsOf = (shape: Shape) => {
  const { scheme, duplicates, construction, order, combine } = shape;
  const common = { key: kindOf(shape).type, scheme: schemes[scheme]() };
  return {
    map: { ...common, duplicates, value: valueTypeOf(shape) },
    set: { ...common, duplicates },
    keyIndex: { ...common, construction },
    multiMap: { ...common, construction, order, value: valueTypeOf(shape) },
    aggregate: { ...common, construction, combine: combine as 'sum' },
  };
};

const takesValues = ({ collection }: Shape): boolean => collection !== 'set' && collection !== 'keyIndex';

const inputOf = (shape: Shape, { keys, values }: Items): MapInput<unknown, Uint32Array> => {
  const host = kindOf(shape).host(keys);
  return (takesValues(shape) ? { keys: host, values: values.slice() } : { keys: host }) as MapInput<
    unknown,
    Uint32Array
  >;
};

/** The same in buffers. */
const buffersOf = (buffers: TestBuffers, shape: Shape, items: Items) => {
  const kind = kindOf(shape);
  const input = takesValues(shape) ? buffers.items(kind, items) : buffers.keys(kind, items.keys);
  return { ...input, count: items.keys.length } as MapBuffers;
};

/** Makes a call with arrays of the caller's, and writes others into them as soon as it returns. */
export function withOwn<T>(arrays: Readonly<Record<string, unknown>>, call: () => T): T {
  const made = call();
  for (const array of Object.values(arrays)) {
    if (Array.isArray(array) || array instanceof BigUint64Array || array instanceof BigInt64Array) array.reverse();
    else if (ArrayBuffer.isView(array)) new Uint8Array(array.buffer).fill(0x55);
  }
  return made;
}

export function makeOnHost(gpu: Gpu, shape: Shape, items: Items): Promise<AnyTable> {
  const options = optionsOf(shape);
  const input = inputOf(shape, items);
  return withOwn({ ...input }, (): Promise<AnyTable> => {
    switch (shape.collection) {
      case 'map':
        return HashMap.from(gpu, input, options.map);
      case 'set':
        return HashSet.from(gpu, input, options.set);
      case 'keyIndex':
        return KeyIndex.from(gpu, input, options.keyIndex);
      case 'multiMap':
        return MultiMap.from(gpu, input, options.multiMap);
      case 'aggregate':
        return Aggregate.from(gpu, input, options.aggregate);
    }
  });
}

export async function makeOnEncoder(gpu: Gpu, shape: Shape, items: Items): Promise<AnyTable> {
  using buffers = new TestBuffers(gpu);
  const options = optionsOf(shape);
  const input = buffersOf(buffers, shape, items);
  const encoder = gpu.device.createCommandEncoder();
  const encoded = (): AnyTable => {
    switch (shape.collection) {
      case 'map':
        return HashMap.encodeBuild(gpu, encoder, input, options.map);
      case 'set':
        return HashSet.encodeBuild(gpu, encoder, input, options.set);
      case 'keyIndex':
        return KeyIndex.encodeBuild(gpu, encoder, input, options.keyIndex);
      case 'multiMap':
        return MultiMap.encodeBuild(gpu, encoder, input, options.multiMap);
      case 'aggregate':
        return Aggregate.encodeBuild(gpu, encoder, input, options.aggregate);
    }
  };
  const table = encoded();
  try {
    gpu.device.queue.submit([encoder.finish()]);
    return await table.settle();
  } catch (error) {
    table.destroy();
    throw error;
  }
}

export function rebuildOnHost(table: AnyTable, shape: Shape, items: Items): Promise<unknown> {
  const input = inputOf(shape, items);
  return withOwn({ ...input }, () => table.rebuild(input));
}

export async function rebuildOnEncoder(table: AnyTable, shape: Shape, items: Items): Promise<void> {
  const { gpu } = table;
  using buffers = new TestBuffers(gpu);
  const encoder = gpu.device.createCommandEncoder();
  table.encodeRebuild(encoder, buffersOf(buffers, shape, items));
  gpu.device.queue.submit([encoder.finish()]);
  await table.settle();
}

/** Parts of so many words. */
export const cut = (all: ArrayLike<number>, words: number, count: number): number[][] =>
  Array.from({ length: count }, (_, i) => Array.from({ length: words }, (_, at) => all[i * words + at] as number));

/** Answers from values and flags, which must agree. */
function answersOf(values: ArrayLike<number>, found: ArrayLike<number>, words: number): Answer[] {
  return cut(values, words, found.length).map((value, i) => {
    if (found[i] === 1) return value;
    isTrue(found[i] === 0, `query ${i} is found or not, not ${found[i]}`);
    isTrue(
      value.every((word) => word === MISSING),
      `query ${i} is not there and has no value, not ${value}`,
    );
    return undefined;
  });
}

/** Answers from ids: those of different keys must differ. */
function answersOfIds(queries: Keys, ids: ArrayLike<number>): Answer[] {
  const keyOfId = new Map<number, bigint>();
  return queries.map((key, i) => {
    const id = ids[i] as number;
    if (id === MISSING) return undefined;
    isTrue((keyOfId.get(id) ?? key) === key, `id ${id} has one key, not both ${keyOfId.get(id)} and ${key}`);
    keyOfId.set(id, key);
    return [];
  });
}

/** Answers from lists of values; a key without values is none. */
const answersOfLists = (shape: Shape, lists: readonly ArrayLike<number>[]): Answer[] =>
  lists.map((list) => {
    const words = wordsOf(shape);
    return list.length === 0 ? undefined : inOrder(shape, cut(list, words, list.length / words));
  });

export async function searchOnHost(table: AnyTable, shape: Shape, queries: Keys): Promise<Answer[]> {
  const keys = kindOf(shape).host(queries);
  if (table instanceof HashMap || table instanceof Aggregate) {
    const { values, found } = await withOwn({ keys }, () => table.get(keys, { missing: MISSING }));
    return answersOf(values, found, wordsOf(shape));
  }
  if (table instanceof KeyIndex) {
    return answersOfIds(queries, await withOwn({ keys }, () => table.ids(keys, { missing: MISSING })));
  }
  if (table instanceof MultiMap) return answersOfLists(shape, await withOwn({ keys }, () => table.get(keys)));
  return Array.from(await withOwn({ keys }, () => table.has(keys)), (found) => (found ? [] : undefined));
}

/** Searches by commands, and gives the buffers in which the answers are. */
function encodeSearch(buffers: TestBuffers, table: AnyTable, shape: Shape, queries: Keys) {
  const { gpu } = table;
  const count = queries.length;
  const asked = { ...buffers.queries(kindOf(shape), queries), count };
  const values = buffers.words((table instanceof MultiMap ? MOST_VALUES : count) * wordsOf(shape));
  const [found, offsets, total] = [buffers.words(count), buffers.words(count), buffers.words(1)];
  const encoder = gpu.device.createCommandEncoder();
  if (table instanceof MultiMap) {
    table.encodeCount(encoder, { ...asked, counts: found });
    table.encodeRetrieve(encoder, { ...asked, values, offsets, total: { buffer: total } });
  } else if (table instanceof HashSet) table.encodeHas(encoder, { ...asked, found });
  else if (table instanceof KeyIndex) table.encodeIds(encoder, { ...asked, ids: values, missing: MISSING });
  else table.encodeGet(encoder, { ...asked, values, found, missing: MISSING });
  gpu.device.queue.submit([encoder.finish()]);
  return { values, found, offsets, total };
}

export async function searchOnEncoder(table: AnyTable, shape: Shape, queries: Keys): Promise<Answer[]> {
  using buffers = new TestBuffers(table.gpu);
  const words = wordsOf(shape);
  const count = queries.length;
  const { values, found, offsets, total } = encodeSearch(buffers, table, shape, queries);
  const flags = await buffers.read(found, count);
  if (table instanceof HashSet) return Array.from(flags, (flag) => (flag ? [] : undefined));
  if (table instanceof KeyIndex) return answersOfIds(queries, await buffers.read(values, count));
  if (!(table instanceof MultiMap)) return answersOf(await buffers.read(values, count * words), flags, words);
  const [all = 0] = await buffers.read(total, 1);
  equal(
    all,
    flags.reduce((sum, n) => sum + n, 0),
    'the number of all values',
  );
  const [starts, stored] = [await buffers.read(offsets, count), await buffers.read(values, all * words)];
  return answersOfLists(
    shape,
    Array.from(starts, (start, i) => stored.subarray(start * words, (start + (flags[i] as number)) * words)),
  );
}

/** Searches in a shader of the caller's; of a multi-map's values only the first. */
export async function searchInShader(table: AnyTable, shape: Shape, queries: Keys): Promise<Answer[]> {
  const kind = kindOf(shape);
  const words = wordsOf(shape);
  const face = table.wgsl({ name: 'table', group: 1, ...faceOptions(kind) });
  const value = words === 3 ? 'value' : 'vec3u(value, 0u, 0u)';
  const statements = {
    map: 'let value = hit.value;',
    set: 'let value = 0u;',
    keyIndex: 'let value = hit.value;',
    multiMap: `var value = ${words === 3 ? 'vec3u()' : '0u'};
  for (var i = hit.start; i < hit.start + hit.count; i++) { value += table_value(i); }`,
    aggregate: 'let value = hit.value;',
  }[shape.collection];
  const answers = await runShader(table.gpu, {
    kind,
    queries,
    tables: [face],
    code: face.code,
    statements: `let hit = table_find(key);\n  ${statements}`,
    answer: `vec4u(u32(hit.found), ${value})`,
  });
  return queries.map((_, i) => {
    if (answers[4 * i] === 0) return undefined;
    if (shape.collection === 'set' || shape.collection === 'keyIndex') return [];
    return [...answers.subarray(4 * i + 1, 4 * i + 1 + words)];
  });
}

/** All keys, and what the table says of each. */
export async function readAll(table: AnyTable, shape: Shape): Promise<{ keys: Keys; answers: Answer[] }> {
  const { numbers } = kindOf(shape);
  const words = wordsOf(shape);
  if (table instanceof HashSet || table instanceof KeyIndex) {
    const keys = numbers(await table.keys());
    return { keys, answers: keys.map(() => []) };
  }
  if (!(table instanceof MultiMap)) {
    const entries = await table.entries();
    const keys = numbers(entries.keys);
    return { keys, answers: cut(entries.values, words, keys.length) };
  }
  const { values, offsets, ...entries } = await table.entries();
  const keys = numbers(entries.keys);
  const lists = keys.map((_, i) => values.subarray((offsets[i] ?? 0) * words, (offsets[i + 1] ?? 0) * words));
  return { keys, answers: answersOfLists(shape, lists) };
}

/** Makes every call that reads a table, on every face, for what the calls do and not for what they say. */
export async function readInEveryWay(table: AnyTable, shape: Shape, queries: Keys): Promise<void> {
  const keys = kindOf(shape).host(queries);
  await table.has(keys);
  await table.keys();
  await table.stats({ absent: keys });
  if (table instanceof KeyIndex) {
    await table.ids(keys);
    await table.keysOf(Uint32Array.from({ length: table.size }, (_, id) => id));
  } else if (!(table instanceof HashSet)) await table.get(keys);
  if (!(table instanceof HashSet)) await table.entries();
  using buffers = new TestBuffers(table.gpu);
  const { found } = encodeSearch(buffers, table, shape, queries);
  await buffers.read(found, queries.length);
  if (hasShaderFace(shape)) await searchInShader(table, shape, queries);
  if (!(table instanceof Aggregate)) await table.toBytes();
}

/** Whether tables of this shape can be saved. */
export const isSavable = ({ collection }: Shape): boolean => collection !== 'aggregate';

export async function save(table: AnyTable): Promise<Uint8Array<ArrayBuffer>> {
  isTrue(!(table instanceof Aggregate), 'aggregates are not saved');
  return table.toBytes();
}

export function open(gpu: Gpu, shape: Shape, bytes: Uint8Array): Promise<AnyTable> {
  const names = { key: kindOf(shape).type, scheme: schemes[shape.scheme]() };
  const value = valueTypeOf(shape);
  switch (shape.collection) {
    case 'map':
      return HashMap.fromBytes(gpu, bytes, { ...names, value });
    case 'set':
      return HashSet.fromBytes(gpu, bytes, names);
    case 'keyIndex':
      return KeyIndex.fromBytes(gpu, bytes, names);
    default:
      return MultiMap.fromBytes(gpu, bytes, { ...names, value });
  }
}
