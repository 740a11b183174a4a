/** One configuration, measured and verified. */
import {
  Aggregate,
  BuildError,
  type Collection,
  type CustomCombiner,
  type Duplicates,
  type Gpu,
  HashMap,
  HashSet,
  KeyIndex,
  type MapInput,
  MultiMap,
  type Scheme,
  type Target,
  type ValueArray,
  type ValueType,
  wgsl,
} from '../src/index.ts';
import { HOLD_MS } from './clocks.ts';
import type { CollectionName, Configuration } from './configurations.ts';
import { ABSENT, PRESENT, type Queries, type QueryOrder } from './generators.ts';
import { type Measurement, type MeasureOptions, measure, measureOnHost } from './measure.ts';
import { encodeRetrieval, retrievalFault } from './retrieval.ts';
import type { SchemeOptions } from './schemeChoice.ts';
import { encodeMembership, encodeSearch, faultsOf, membershipFault, searchFault } from './verify.ts';
import type { Workload } from './workload.ts';

/**
 * What is measured: building from nothing; searching for keys that are there (`hit`) or are not (`miss`), with their
 * values where there are any; asking of keys that are there no more than whether they are (`has`); or all values of as many keys of a `MultiMap`
 * as it has (`retrieve`).
 */
export const OPERATIONS = ['build', 'hit', 'miss', 'has', 'retrieve'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** One measured operation, as archived. Times are GPU time of one operation over all items. */
export interface BenchRecord {
  readonly scheme: string;
  /** Options that the scheme was asked to have. */
  readonly options?: SchemeOptions;
  readonly collection: CollectionName;
  readonly key: string;
  /** The type of values, for collections that take them. */
  readonly value: string;
  readonly items: number;
  /** Keys per slot of the table that was measured. */
  readonly loadFactor: number;
  /** `mixed` is a search in which a share of the keys is absent. */
  readonly op: Operation | 'mixed';
  /** The share of absent keys in a mixed search. */
  readonly absent?: number;
  /** The order of the keys that are searched for. */
  readonly queries?: QueryOrder;
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
  /** How long the GPU computed before every pass, about. */
  readonly holdMs: number;
  readonly duplicates: Duplicates;
  /** How often every key occurs, about. */
  readonly copies: number;
  readonly hash: string;
  readonly seed: number;
}

export interface BenchOptions {
  readonly operations: readonly Operation[];
  /** Further searches, in which this share of the keys is absent. 0 is `hit`, 1 is `miss`. */
  readonly absent?: readonly number[] | undefined;
  /** Orders of the keys that are searched for. Default `shuffled`. */
  readonly queries?: readonly QueryOrder[];
  readonly repeat: number;
  /** As in `MeasureOptions`. */
  readonly holdMs?: number;
  readonly duplicates: Duplicates;
  /** Hash functions follow from it; the workload has a seed of its own. */
  readonly seed: number;
}

/** The table of a configuration, or the typed error that says why there is none. */
export function buildCollection(
  gpu: Gpu,
  workload: Pick<Workload, 'value'> & { readonly input: MapInput<unknown, ValueArray> },
  options: {
    collection: CollectionName;
    key: Configuration['key'];
    scheme: Scheme;
    duplicates: Duplicates;
    seed?: number;
  },
): Promise<Collection<unknown>> {
  const { collection, duplicates, key, scheme, seed } = options;
  const { input, value } = workload;
  const common = { key, scheme, ...(seed !== undefined && { seed }) };
  const [kind, way] = collection.split('/');
  if (kind === 'map') return HashMap.from(gpu, input, { ...common, value, duplicates });
  if (kind === 'set') return HashSet.from(gpu, input, { ...common, duplicates });
  if (kind === 'keyIndex') return KeyIndex.from(gpu, input, { ...common, construction: way ? 'sort' : 'table' });
  if (kind === 'multiMap') {
    return MultiMap.from(gpu, input, { ...common, value, order: way ? 'any' : 'input' });
  }
  return way
    ? Aggregate.from(gpu, input, { ...common, value, combine: greatestInOrder(value) })
    : Aggregate.from(gpu, input, { ...common, value, combine: 'max' });
}

/** A greatest value, which the judge can check, but by the way of combiners that need an order. */
const greatestInOrder = ({ words }: ValueType): CustomCombiner<'u32' | 'vec2u'> =>
  words === 1
    ? {
        accumulator: 'u32',
        identity: 0,
        combine: wgsl`fn greatest(a: u32, b: u32) -> u32 { return max(a, b); }`,
      }
    : {
        accumulator: 'vec2u',
        identity: [0, 0],
        combine: wgsl`
fn greatest(a: vec2u, b: vec2u) -> vec2u { return select(a, b, a.y < b.y || (a.y == b.y && a.x < b.x)); }`,
      };

/** Those that are built from keys and values; the others take keys alone. */
const takesValues = (collection: Collection<unknown>) =>
  collection instanceof HashMap || collection instanceof MultiMap || collection instanceof Aggregate;

/** Records a rebuild from all items of the workload: what `build` measures. */
export function encodeRebuild(
  target: Target,
  collection: Collection<unknown>,
  { input }: Pick<Workload, 'input'>,
): void {
  if (takesValues(collection)) collection.encodeRebuild(target, input);
  else if (collection instanceof HashSet || collection instanceof KeyIndex) collection.encodeRebuild(target, input);
}

/** Builds anew by the host face: slower, but it may grow, and it is the only way for schemes that are built on the host. */
export async function rebuild(collection: Collection<unknown>, { input }: Workload): Promise<void> {
  if (takesValues(collection)) await collection.rebuild(input);
  else if (collection instanceof HashSet || collection instanceof KeyIndex) await collection.rebuild(input);
}

/** One operation, with the keys that are asked for unless it builds. */
interface Task {
  readonly op: BenchRecord['op'];
  readonly queries?: Queries;
}

/** What to measure of each table, every task once. */
function tasksOf({ operations, absent = [], queries: orders = ['shuffled'] }: BenchOptions): Task[] {
  const named = operations.map((op) => (op === 'build' ? { op } : { op, queries: op === 'miss' ? ABSENT : PRESENT }));
  const mixed = absent.map((share) => ({
    op: share === 0 ? ('hit' as const) : share === 1 ? ('miss' as const) : ('mixed' as const),
    queries: { absent: share, order: 'shuffled' as const },
  }));
  const tasks = [...named, ...mixed.filter(({ op }) => op === 'mixed' || !operations.includes(op))];
  return tasks.flatMap((task: Task) => {
    const { op, queries } = task;
    if (op === 'retrieve' || !queries) return task;
    return orders.map((order) => ({ op, queries: { ...queries, order } }));
  });
}

/** Measures the operations of one configuration, and judges the answers after each. */
export async function benchmark(
  gpu: Gpu,
  workload: Workload,
  configuration: Configuration,
  options: BenchOptions,
  report: (op: BenchRecord['op']) => void = () => {},
): Promise<BenchRecord[]> {
  const { scheme, key } = configuration;
  const { duplicates, seed, repeat, holdMs = HOLD_MS } = options;
  const { loadFactor: _, ...own } = configuration.options ?? {};
  const collection = await buildCollection(gpu, workload, { ...configuration, duplicates, seed });
  try {
    const records: BenchRecord[] = [];
    for (const { op, queries } of tasksOf(options)) {
      if (op === 'retrieve' && !(collection instanceof MultiMap)) continue;
      report(op);
      const { measurement, faults } = queries
        ? await measureSearch(gpu, workload, collection, { op, queries }, { repeat, holdMs })
        : await measureBuild(gpu, workload, collection, { repeat, holdMs });
      records.push({
        scheme: scheme.name,
        ...(Object.keys(own).length > 0 && { options: own }),
        collection: configuration.collection,
        key: key.name,
        value: workload.value.name,
        items: workload.items,
        loadFactor: Math.round(collection.loadFactor * 1000) / 1000,
        op,
        ...(op === 'mixed' && queries && { absent: queries.absent }),
        ...(queries && { queries: queries.order }),
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
        holdMs,
        duplicates,
        copies: Math.round(workload.items / workload.distinct),
        hash: collection.table.plan.family.name,
        seed,
      });
    }
    return records;
  } finally {
    collection.destroy();
  }
}

type Passes = Required<Pick<MeasureOptions, 'repeat' | 'holdMs'>>;

interface Judged {
  readonly measurement: Measurement;
  /** What was wrong after any of the measured passes; a fault that repeats itself is here once. */
  readonly faults: readonly string[];
}

async function measureBuild(
  gpu: Gpu,
  workload: Workload,
  collection: Collection<unknown>,
  how: Passes,
): Promise<Judged> {
  const faults = new Set<string>();
  const judge = async (): Promise<void> => {
    for (const fault of await faultsOf(collection, workload)) faults.add(fault);
  };
  const afterPass = async (): Promise<void> => {
    try {
      await collection.settle();
    } catch (error) {
      if (!(error instanceof BuildError)) throw error;
      // Bad luck of an encoded build, which cannot grow. What follows needs a table all the same.
      faults.add(error.message);
      await rebuild(collection, workload);
    }
    await judge();
  };
  const encode = (pass: Target): void => encodeRebuild(pass, collection, workload);
  const measurement =
    collection.table.plan.build.on === 'host'
      ? await measureOnHost(() => rebuild(collection, workload), { ...how, afterPass: judge })
      : await measure(gpu, encode, { ...how, afterPass });
  return { measurement, faults: [...faults] };
}

type Searching = Exclude<BenchRecord['op'], 'build'>;

const ENCODERS: Readonly<
  Record<Searching, (target: Target, collection: Collection<unknown>, workload: Workload) => void>
> = {
  hit: encodeSearch,
  miss: encodeSearch,
  mixed: encodeSearch,
  has: encodeMembership,
  retrieve: (target, collection, workload) => encodeRetrieval(target, collection as MultiMap<unknown>, workload),
};

/** What is wrong with the answers to such queries. */
function faultIn(op: BenchRecord['op'], collection: Collection<unknown>, workload: Workload, queries: Queries) {
  if (op === 'retrieve') return retrievalFault(workload);
  return op === 'has' ? membershipFault(workload, queries) : searchFault(collection, workload, queries);
}

async function measureSearch(
  gpu: Gpu,
  workload: Workload,
  collection: Collection<unknown>,
  { op, queries }: Required<Task>,
  how: Passes,
): Promise<Judged> {
  const encode = ENCODERS[op as Searching];
  const faults = new Set<string>();
  await workload.ask(queries);
  const measurement = await measure(gpu, (pass) => encode(pass, collection, workload), {
    ...how,
    beforePass: () => workload.ask(queries),
    afterPass: async () => {
      const fault = await faultIn(op, collection, workload, queries);
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
