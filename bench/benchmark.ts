/** One configuration, measured and verified. */
import {
  Aggregate,
  BuildError,
  type Collection,
  type Duplicates,
  type Gpu,
  HashMap,
  HashSet,
  KeyIndex,
  MultiMap,
  type Scheme,
  type Target,
  wgsl,
} from '../src/index.ts';
import type { CollectionName, Configuration } from './configurations.ts';
import type { QueryKind } from './generators.ts';
import { type Measurement, measure } from './measure.ts';
import { encodeSearch, faultsOf, searchFault } from './verify.ts';
import type { Workload } from './workload.ts';

/** What is measured: building from nothing, or searching for keys that are there or are not. */
export type Operation = 'build' | 'hit' | 'miss';
export const OPERATIONS: readonly Operation[] = ['build', 'hit', 'miss'];

/** One measured operation, as archived. Times are GPU time of one operation over all items. */
export interface BenchRecord {
  readonly scheme: string;
  readonly collection: CollectionName;
  readonly key: string;
  readonly items: number;
  /** Keys per slot of the table that was measured. */
  readonly loadFactor: number;
  readonly op: Operation;
  readonly medianMs: number;
  readonly minMs: number;
  /** From the median. */
  readonly itemsPerSecond: number;
  readonly tableBytes: number;
  /** Whether every answer after the measurement was right. */
  readonly correct: boolean;
  /** What was wrong. */
  readonly error?: string;
  readonly adapter: string;
  readonly software: boolean;
  readonly timer: Measurement['timer'];
  readonly timestampsQuantised: boolean;
  readonly repeat: number;
  readonly operationsPerPass: number;
  readonly duplicates: Duplicates;
  /** How often every key occurs, about. */
  readonly copies: number;
  readonly hash: string;
  readonly seed: number;
}

export interface BenchOptions {
  readonly operations: readonly Operation[];
  readonly repeat: number;
  readonly duplicates: Duplicates;
  /** Hash functions follow from it; the workload has a seed of its own. */
  readonly seed: number;
}

/** The table of a configuration, or the typed error that says why there is none. */
export function buildCollection(
  gpu: Gpu,
  workload: Workload,
  options: {
    collection: CollectionName;
    key: Configuration['key'];
    scheme: Scheme;
    duplicates: Duplicates;
    seed?: number;
  },
): Promise<Collection<unknown>> {
  const { collection, duplicates, ...rest } = options;
  const { keys, values, items: count } = workload;
  const input = { keys, values, count };
  const [kind, way] = collection.split('/');
  if (kind === 'map') return HashMap.from<unknown>(gpu, input, { ...rest, duplicates });
  if (kind === 'set') return HashSet.from<unknown>(gpu, input, { ...rest, duplicates });
  if (kind === 'keyIndex') return KeyIndex.from<unknown>(gpu, input, { ...rest, construction: way ? 'sort' : 'table' });
  if (kind === 'multiMap') return MultiMap.from<unknown>(gpu, input, { ...rest, order: way ? 'any' : 'input' });
  return way
    ? Aggregate.from<unknown, 'u32'>(gpu, input, { ...rest, combine: greatestInOrder })
    : Aggregate.from<unknown, Uint32Array>(gpu, input, { ...rest, combine: 'max' });
}

/** The same as `max`, which the judge can check, but by the way of combiners that need an order. */
const greatestInOrder = {
  accumulator: 'u32',
  identity: 0,
  combine: wgsl`fn greatest(a: u32, b: u32) -> u32 { return max(a, b); }`,
} as const;

/** Those that are built from keys and values; the others take keys alone. */
const takesValues = (collection: Collection<unknown>) =>
  collection instanceof HashMap || collection instanceof MultiMap || collection instanceof Aggregate;

/** Records a rebuild from all items of the workload: what `build` measures. */
export function encodeRebuild(target: Target, collection: Collection<unknown>, workload: Workload): void {
  const { keys, values, items: count } = workload;
  if (takesValues(collection)) collection.encodeRebuild(target, { keys, values, count });
  else if (collection instanceof HashSet || collection instanceof KeyIndex) {
    collection.encodeRebuild(target, { keys, count });
  }
}

async function rebuild(collection: Collection<unknown>, workload: Workload): Promise<void> {
  const { keys, values, items: count } = workload;
  if (takesValues(collection)) await collection.rebuild({ keys, values, count });
  else if (collection instanceof HashSet || collection instanceof KeyIndex) await collection.rebuild({ keys, count });
}

/** Measures the operations of one configuration, and judges the answers after each. */
export async function benchmark(
  gpu: Gpu,
  workload: Workload,
  configuration: Configuration,
  options: BenchOptions,
  report: (op: Operation) => void = () => {},
): Promise<BenchRecord[]> {
  const { scheme, key } = configuration;
  const { duplicates, seed, repeat } = options;
  const collection = await buildCollection(gpu, workload, { ...configuration, duplicates, seed });
  try {
    const records: BenchRecord[] = [];
    for (const op of options.operations) {
      report(op);
      const { measurement, faults } =
        op === 'build'
          ? await measureBuild(gpu, workload, collection, repeat)
          : await measureSearch(gpu, workload, collection, op === 'hit' ? 'present' : 'absent', repeat);
      records.push({
        scheme: scheme.name,
        collection: configuration.collection,
        key: key.name,
        items: workload.items,
        loadFactor: Math.round(collection.loadFactor * 1000) / 1000,
        op,
        medianMs: measurement.medianMs,
        minMs: measurement.minMs,
        itemsPerSecond: workload.items / (measurement.medianMs / 1000),
        tableBytes: collection.tableBytes,
        correct: faults.length === 0,
        ...(faults.length > 0 && { error: faults.join('; ') }),
        adapter: adapterName(gpu),
        software: gpu.info.software,
        timer: measurement.timer,
        timestampsQuantised: measurement.timestampsQuantised,
        repeat,
        operationsPerPass: measurement.operationsPerPass,
        duplicates,
        copies: Math.round(workload.items / workload.distinct),
        hash: scheme.family.name,
        seed,
      });
    }
    return records;
  } finally {
    collection.destroy();
  }
}

interface Judged {
  readonly measurement: Measurement;
  /** What was wrong after any of the measured passes; a fault that repeats itself is here once. */
  readonly faults: readonly string[];
}

async function measureBuild(
  gpu: Gpu,
  workload: Workload,
  collection: Collection<unknown>,
  repeat: number,
): Promise<Judged> {
  const faults = new Set<string>();
  const afterPass = async (): Promise<void> => {
    try {
      await collection.settle();
    } catch (error) {
      if (!(error instanceof BuildError)) throw error;
      // Bad luck of an encoded build, which cannot grow. What follows needs a table all the same.
      faults.add(error.message);
      await rebuild(collection, workload);
    }
    for (const fault of await faultsOf(collection, workload)) faults.add(fault);
  };
  const encode = (pass: Target): void => encodeRebuild(pass, collection, workload);
  const measurement = await measure(gpu, encode, { repeat, afterPass });
  return { measurement, faults: [...faults] };
}

async function measureSearch(
  gpu: Gpu,
  workload: Workload,
  collection: Collection<unknown>,
  kind: QueryKind,
  repeat: number,
): Promise<Judged> {
  const faults = new Set<string>();
  await workload.ask(kind);
  const measurement = await measure(gpu, (pass) => encodeSearch(pass, collection, workload), {
    repeat,
    beforePass: () => workload.ask(kind),
    afterPass: async () => {
      const fault = await searchFault(collection, workload, kind);
      if (fault !== undefined) faults.add(fault);
    },
  });
  // The measured searches of a map write values alone; these, which are not measured, write the flags too.
  for (const fault of await faultsOf(collection, workload)) faults.add(fault);
  return { measurement, faults: [...faults] };
}

/** How an adapter is called in records: the device and its driver. */
export const adapterName = ({ info }: Gpu): string =>
  [info.device.replace(/-+$/, ''), info.description].filter(Boolean).join(', ') ||
  [info.vendor, info.architecture].filter(Boolean).join(' ') ||
  'unknown';
