/** From which size a JavaScript `Map` loses: beside whole calls of the host face, and beside the GPU alone. */
import { type Gpu, HashMap } from '../src/index.ts';
import { type HostItems, type HostRecord, holds, hostItems, isRight, recordOf, timed } from './hostCalls.ts';
import { measure } from './measure.ts';
import { orderTwin } from './order.ts';

/** Who builds, and is searched: a `Map`, whole calls from arrays to arrays, or the GPU without transfers. */
const CONTENDERS = ['Map', 'host', 'GPU'] as const;
type Contender = (typeof CONTENDERS)[number];
type Task = 'build' | 'get';

const CALLS: Readonly<Record<Contender, Readonly<Record<Task, string>>>> = {
  Map: { build: 'Map: set', get: 'Map: get' },
  host: { build: 'HashMap: from', get: 'HashMap: get' },
  GPU: { build: 'GPU: encodeRebuild', get: 'GPU: encodeGet' },
};

/** Calls of one kind end after so many milliseconds; three are measured in any case. */
const MOST_MS = 1000;
/** A clock cannot tell the time of ten keys. */
const KEYS_PER_SAMPLE = 10_000;

/** Times building and searching with so many keys, all of which are searched for, in another order than they were inserted. */
export async function mapCalls(gpu: Gpu, count: number, calls: number, repeat: number): Promise<HostRecord[]> {
  const items = hostItems(count);
  const asked = shuffled(items);
  return [
    ...(await timeMap(items, asked, calls)),
    ...(await timeHost(gpu, items, asked, calls)),
    ...(await timeGpu(gpu, items, asked, repeat)),
  ];
}

const ORDER_SEED = [0x9e37_79b9, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f] as const;

function shuffled({ keys, values }: HostItems): HostItems {
  const order = Uint32Array.from(keys, (_, i) => orderTwin(i, keys.length, ORDER_SEED));
  const inOrder = (words: Uint32Array) => order.map((place) => words[place] as number);
  return { keys: inOrder(keys), values: inOrder(values) };
}

function mapOf({ keys, values }: HostItems): Map<number, number> {
  const map = new Map<number, number>();
  for (let i = 0; i < keys.length; i++) map.set(keys[i] as number, values[i] as number);
  return map;
}

function searchMap(map: Map<number, number>, { keys }: HostItems, values: Uint32Array): void {
  for (let i = 0; i < keys.length; i++) values[i] = map.get(keys[i] as number) as number;
}

async function timeMap(items: HostItems, asked: HostItems, calls: number): Promise<HostRecord[]> {
  const count = items.keys.length;
  const rounds = Math.ceil(KEYS_PER_SAMPLE / count);
  const samplesOf = (what: string, once: () => void, check: () => boolean): Promise<HostRecord> =>
    timed(
      what,
      count,
      calls,
      async () => {
        for (let round = 0; round < rounds; round++) once();
      },
      check,
      { mostMs: MOST_MS, rounds },
    );
  let map = mapOf(items);
  const values = new Uint32Array(count);
  const build = () => {
    map = mapOf(items);
  };
  const isThere = () => map.size === count && map.get(items.keys[count - 1] as number) === items.values[count - 1];
  const search = () => searchMap(map, asked, values);
  const isFound = () => {
    const isSame = values.every((value, i) => value === asked.values[i]);
    values.fill(0);
    return isSame;
  };
  search();
  return [await samplesOf(CALLS.Map.build, build, isThere), await samplesOf(CALLS.Map.get, search, isFound)];
}

async function timeHost(gpu: Gpu, items: HostItems, asked: HostItems, calls: number): Promise<HostRecord[]> {
  const count = items.keys.length;
  const how = { mostMs: MOST_MS };
  // Compiles, and makes the buffers that later calls find.
  const map = await HashMap.from(gpu, items);
  try {
    await map.get(asked.keys);
    return [
      await timed(
        CALLS.host.build,
        count,
        calls,
        () => HashMap.from(gpu, items),
        (made) => holds(made, items),
        how,
      ),
      await timed(
        CALLS.host.get,
        count,
        calls,
        () => map.get(asked.keys),
        (answers) => isRight(asked, answers),
        how,
      ),
    ];
  } finally {
    map.destroy();
  }
}

async function timeGpu(gpu: Gpu, items: HostItems, asked: HostItems, repeat: number): Promise<HostRecord[]> {
  const count = items.keys.length;
  const map = await HashMap.from(gpu, items);
  const buffers = {
    keys: gpu.upload('bench/keys', items.keys),
    values: gpu.upload('bench/values', items.values),
    queries: gpu.upload('bench/queries', asked.keys),
    answers: gpu.createBuffer('bench/answers', count * 4),
  };
  const { keys, values, queries, answers } = buffers;
  try {
    const build = await measure(gpu, (pass) => map.encodeRebuild(pass, { keys, values, count }), { repeat });
    await map.settle();
    const isBuilt = isRight(items, await map.get(items.keys));
    const get = await measure(gpu, (pass) => map.encodeGet(pass, { queries, values: answers, count }), {
      repeat,
    });
    const [bytes] = await gpu.run(() => {}, [{ buffer: answers, bytes: count * 4 }]);
    const isFound = new Uint32Array(bytes as ArrayBuffer).every((value, i) => value === asked.values[i]);
    return [
      recordOf(CALLS.GPU.build, count, 'ms', build.samplesMs, isBuilt),
      recordOf(CALLS.GPU.get, count, 'ms', get.samplesMs, isFound),
    ];
  } finally {
    map.destroy();
    for (const buffer of Object.values(buffers)) buffer.destroy();
  }
}

/** What `Map` is held against, and from which of the measured sizes on it is slower at all of them. */
export interface Crossing {
  readonly task: string;
  readonly against: Exclude<Contender, 'Map'>;
  /** Undefined if it is not slower at the largest size. */
  readonly items: number | undefined;
}

/** Building, searching for as many keys, and both together. */
const TASKS: Readonly<Record<string, readonly Task[]>> = {
  build: ['build'],
  get: ['get'],
  'build and get': ['build', 'get'],
};

export const TASK_NAMES = Object.keys(TASKS);

/** Milliseconds of a task at one size; undefined where it was not measured. */
export function taskMs(
  records: readonly HostRecord[],
  who: Contender,
  task: string,
  items: number,
): number | undefined {
  const parts = (TASKS[task] ?? []).map(
    (part) => records.find((record) => record.what === CALLS[who][part] && record.items === items)?.median,
  );
  return parts.includes(undefined) ? undefined : parts.reduce<number>((sum, ms) => sum + (ms as number), 0);
}

/** The sizes that were compared with a `Map`, in ascending order. */
export const mapSizes = (records: readonly HostRecord[]): number[] =>
  records
    .filter(({ what }) => what === CALLS.Map.get)
    .map(({ items }) => items)
    .sort((a, b) => a - b);

export function crossingsOf(records: readonly HostRecord[]): Crossing[] {
  const sizes = mapSizes(records);
  return TASK_NAMES.flatMap((task) =>
    (['host', 'GPU'] as const).map((against) => {
      const isSlower = (items: number): boolean =>
        (taskMs(records, 'Map', task, items) ?? 0) >
        (taskMs(records, against, task, items) ?? Number.POSITIVE_INFINITY);
      const last = sizes.findLastIndex((items) => !isSlower(items));
      return { task, against, items: sizes[last + 1] };
    }),
  );
}
