/** Whole calls of the host face, by the wall clock: from arrays to arrays, transfers and waiting included. Every answer is checked. */
import { type Gpu, HashMap, KeyIndex, MultiMap } from '../src/index.ts';
import { median } from './measure.ts';
import { scrambleTwin } from './scramble.ts';

/** What can be measured by itself. */
export const HOST_PARTS = ['first', 'small', 'large', 'frames', 'map'] as const;
export type HostPart = (typeof HOST_PARTS)[number];

/** One kind of call. */
export interface HostRecord {
  readonly what: string;
  readonly items: number;
  /** Milliseconds of a call, or objects made in a frame. */
  readonly unit: 'ms' | 'objects';
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly calls: number;
  readonly correct: boolean;
}

/** Keys that all differ, and a value for each. */
export interface HostItems {
  readonly keys: Uint32Array<ArrayBuffer>;
  readonly values: Uint32Array<ArrayBuffer>;
}

const SEED = [0x2545_f491, 0x4f6c_dd1d] as const;
const valueFor = (key: number): number => (key ^ 0x5bd1_e995) >>> 0;

export function hostItems(count: number): HostItems {
  const keys = Uint32Array.from({ length: count }, (_, i) => scrambleTwin(i, SEED));
  return { keys, values: keys.map(valueFor) };
}

interface Answers {
  readonly values: Uint32Array;
  readonly found: Uint8Array;
}

export const isRight = ({ values }: HostItems, answers: Answers): boolean =>
  values.every((value, i) => answers.values[i] === value) && answers.found.every((flag) => flag === 1);

/**
 * Times calls one after the other; `check` looks at what each gives, and is not timed. A call may do the same several times, in `rounds`. Once
 * calls have taken `mostMs` together there is no further one, but there are three at least.
 */
export async function timed<T>(
  what: string,
  items: number,
  calls: number,
  call: () => Promise<T>,
  check: (result: T) => boolean | Promise<boolean>,
  { mostMs = Number.POSITIVE_INFINITY, rounds = 1 }: { readonly mostMs?: number; readonly rounds?: number } = {},
): Promise<HostRecord> {
  const samples: number[] = [];
  let correct = true;
  let spentMs = 0;
  for (let i = 0; i < calls && (i < 3 || spentMs < mostMs); i++) {
    const started = performance.now();
    const result = await call();
    const ms = performance.now() - started;
    spentMs += ms;
    samples.push(ms / rounds);
    correct = (await check(result)) && correct;
  }
  return recordOf(what, items, 'ms', samples, correct);
}

export const recordOf = (
  what: string,
  items: number,
  unit: HostRecord['unit'],
  samples: readonly number[],
  correct: boolean,
): HostRecord => ({
  what,
  items,
  unit,
  median: median([...samples]),
  min: Math.min(...samples),
  max: Math.max(...samples),
  calls: samples.length,
  correct,
});

/** Whether a map has what it was built from; the map is destroyed. */
export async function holds(map: HashMap<Uint32Array>, items: HostItems): Promise<boolean> {
  const answers = await map.get(items.keys);
  map.destroy();
  return isRight(items, answers);
}

const SMALL = 1000;
/** The next size class: another number of slots in a bucket, and another partition. */
const OTHER_SIZE = 2_000_000;
const OTHER_SIZE_SOFTWARE = 600_000;

/** The first calls of a process. Each compiles what those before it had no use for. */
export async function firstCalls(gpu: Gpu, isPrepared: boolean): Promise<HostRecord[]> {
  const small = hostItems(SMALL);
  const large = hostItems(gpu.info.software ? OTHER_SIZE_SOFTWARE : OTHER_SIZE);
  const names = Array.from(small.keys, String);
  const once = <T>(
    what: string,
    items: number,
    call: () => Promise<T>,
    check: (result: T) => boolean | Promise<boolean>,
  ) => timed(what, items, 1, call, check);
  const records: HostRecord[] = [];
  if (isPrepared) {
    const prepare = () => HashMap.prepare(gpu, { items: SMALL });
    records.push(await once('prepare', SMALL, prepare, () => true));
  }
  let first: HashMap<Uint32Array> | undefined;
  const label = isPrepared ? 'first from, prepared' : 'first from';
  records.push(
    await once(
      label,
      SMALL,
      async () => {
        first = await HashMap.from(gpu, small);
      },
      () => true,
    ),
  );
  const map = first as HashMap<Uint32Array>;
  const get = () => map.get(small.keys);
  records.push(
    await once(isPrepared ? 'first get, prepared' : 'first get', SMALL, get, (answers) => isRight(small, answers)),
  );
  map.destroy();
  if (isPrepared) return records;
  records.push(
    await once(
      'first from of another size class',
      large.keys.length,
      () => HashMap.from(gpu, large),
      (made) => holds(made, large),
    ),
    await once(
      'first MultiMap',
      SMALL,
      () => MultiMap.from(gpu, small),
      async (made) => {
        const { values } = await made.retrieve(small.keys);
        made.destroy();
        return values.every((value, i) => value === small.values[i]);
      },
    ),
    await once(
      'first KeyIndex',
      SMALL,
      () => KeyIndex.from(gpu, small),
      async (made) => {
        const ids = await made.ids(small.keys);
        made.destroy();
        return new Set(ids).size === SMALL && ids.every((id) => id < SMALL);
      },
    ),
    await once(
      'first from of strings',
      SMALL,
      () => HashMap.from(gpu, { keys: names, values: small.values }),
      async (made) => {
        const answers = await made.get(names);
        made.destroy();
        return isRight(small, answers);
      },
    ),
  );
  return records;
}

/** A JavaScript engine has compiled what has been called so often. */
const CALLS_TO_WARM_UP = 1000;

/** Small calls, of which a program makes many: the first ones, and those after many. */
export async function smallCalls(gpu: Gpu, calls: number): Promise<HostRecord[]> {
  const items = hostItems(SMALL);
  const map = await HashMap.from(gpu, items);
  const records: HostRecord[] = [];
  const timedTwice = async <T>(
    what: string,
    count: number,
    some: number,
    call: () => Promise<T>,
    check: (result: T) => boolean | Promise<boolean>,
  ) => {
    await check(await call());
    records.push(await timed(what, count, some, call, check));
    const warmUp = gpu.info.software ? some : CALLS_TO_WARM_UP;
    for (let i = 0; i < warmUp; i++) await check(await call());
    records.push(await timed(`${what}, after ${warmUp} calls`, count, some, call, check));
  };
  try {
    for (const count of [1, SMALL]) {
      const some = { keys: items.keys.subarray(0, count), values: items.values.subarray(0, count) };
      const check = (answers: Answers) => isRight(some, answers);
      await timedTwice('get', count, calls, () => map.get(some.keys), check);
    }
  } finally {
    map.destroy();
  }
  const from = () => HashMap.from(gpu, items);
  await timedTwice('from', SMALL, Math.ceil(calls / 4), from, (made) => holds(made, items));
  return records;
}

/** Large calls, of which transfers take the most. */
export async function largeCalls(gpu: Gpu, count: number, calls: number): Promise<HostRecord[]> {
  const items = hostItems(count);
  const from = () => HashMap.from(gpu, items);
  const records = [await timed('from', count, calls, from, (made) => holds(made, items))];
  const map = await from();
  try {
    const into = { values: new Uint32Array(count), found: new Uint8Array(count) };
    const check = (answers: Answers) => isRight(items, answers);
    records.push(
      await timed('get', count, calls, () => map.get(items.keys), check),
      await timed('get into', count, calls, () => map.get(items.keys, { into }), check),
    );
    let bytes = await map.toBytes();
    const save = async () => {
      bytes = await map.toBytes();
    };
    records.push(
      await timed('toBytes', count, calls, save, () => true),
      await timed(
        'fromBytes',
        count,
        calls,
        () => HashMap.fromBytes(gpu, bytes) as unknown as Promise<HashMap<Uint32Array>>,
        (made) => holds(made, items),
      ),
    );
  } finally {
    map.destroy();
  }
  return records;
}

const FRAMES = 20;

/** How many buffers and bind groups recorded rebuilds of a MultiMap make in a frame, after the first ones. */
export async function madeInFrames(gpu: Gpu): Promise<HostRecord[]> {
  const items = hostItems(SMALL);
  const map = await MultiMap.from(gpu, items);
  const { device } = gpu;
  const buffers = { keys: gpu.upload('bench/keys', items.keys), values: gpu.upload('bench/values', items.values) };
  const { createBuffer, createBindGroup } = device;
  const made = { buffers: 0, groups: 0 };
  device.createBuffer = (descriptor) => {
    made.buffers++;
    return createBuffer.call(device, descriptor);
  };
  device.createBindGroup = (descriptor) => {
    made.groups++;
    return createBindGroup.call(device, descriptor);
  };
  const samples = { buffers: [] as number[], groups: [] as number[] };
  try {
    for (let frame = 0; frame < FRAMES; frame++) {
      Object.assign(made, { buffers: 0, groups: 0 });
      const encoder = device.createCommandEncoder();
      map.encodeRebuild(encoder, { ...buffers, count: SMALL });
      device.queue.submit([encoder.finish()]);
      if (frame < 2) continue;
      samples.buffers.push(made.buffers);
      samples.groups.push(made.groups);
    }
    await map.settle();
    const { values } = await map.retrieve(items.keys);
    const correct = values.every((value, i) => value === items.values[i]);
    return [
      recordOf('encodeRebuild of a MultiMap: buffers', SMALL, 'objects', samples.buffers, correct),
      recordOf('encodeRebuild of a MultiMap: bind groups', SMALL, 'objects', samples.groups, correct),
    ];
  } finally {
    Object.assign(device, { createBuffer, createBindGroup });
    map.destroy();
    for (const buffer of Object.values(buffers)) buffer.destroy();
  }
}
