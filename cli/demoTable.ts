/** One collection of the demonstration: built, checked against plain JavaScript, measured, and checked again. */
import { adapterName, buildCollection, encodeRebuild } from '../bench/benchmark.ts';
import { measure } from '../bench/measure.ts';
import { encodeSearch } from '../bench/verify.ts';
import type { Collection, Gpu, Scheme } from '../src/index.ts';
import { answersOf, type DemoCollection, differenceOf } from './demoAnswers.ts';
import type { DemoSubject } from './demoSubjects.ts';

/** A line of one of the demonstration's tables. */
export interface DemoRecord {
  readonly scheme: string;
  readonly collection: DemoCollection;
  readonly key: string;
  /** The type of values, for collections that take them. */
  readonly value?: string;
  readonly items: number;
  /** Distinct ones. */
  readonly keys: number;
  readonly loadFactor: number;
  readonly tableBytes: number;
  readonly bytesPerKey: number;
  readonly averageProbes: { readonly present: number; readonly absent: number };
  /** Items a second; of a scheme that is built on the host, the build is timed by the clock of this process. */
  readonly rates: { readonly build: number; readonly hit: number; readonly miss: number };
  /** Answers that were compared. */
  readonly answers: number;
  readonly correct: boolean;
  readonly error?: string;
  readonly adapter: string;
  readonly timer: string;
}

const TIMES_CHECKED = 2;

export async function demoTable(gpu: Gpu, subject: DemoSubject, scheme: Scheme): Promise<DemoRecord> {
  const { data, value, values } = subject;
  const { items, present, absent } = data;
  const key = data.key.type;
  const collection = await buildCollection(
    gpu,
    { input: { keys: items.keys, values }, value },
    { collection: subject.collection, key, scheme, duplicates: 'last' },
  );
  try {
    const built = await faultOf(collection, subject);
    const { rates, timer } = await measureRates(gpu, collection, subject);
    await collection.settle();
    const fault = built ?? (await faultOf(collection, subject));
    const probes = await collection.stats({ absent: absent.keys });
    const takesValues = subject.collection !== 'set' && subject.collection !== 'keyIndex';
    return {
      scheme: scheme.name,
      collection: subject.collection,
      key: key.name,
      ...(takesValues && { value: value.name }),
      items: items.plain.length,
      keys: present.plain.length,
      loadFactor: collection.loadFactor,
      tableBytes: collection.tableBytes,
      bytesPerKey: collection.tableBytes / present.plain.length,
      averageProbes: { present: probes.present.average, absent: probes.absent.average },
      rates,
      answers: (present.plain.length + absent.plain.length) * TIMES_CHECKED,
      correct: fault === undefined,
      ...(fault !== undefined && { error: fault }),
      adapter: adapterName(gpu),
      timer,
    };
  } finally {
    collection.destroy();
  }
}

async function measureRates(
  gpu: Gpu,
  collection: Collection<unknown>,
  { value, buffers: { items, values, present, absent, answers } }: DemoSubject,
): Promise<{ rates: DemoRecord['rates']; timer: string }> {
  // Rates of a software GPU are of little interest, and it takes its time.
  const repeat = gpu.info.software ? 1 : 5;
  const input = { ...items, values };
  const buildMs =
    collection.table.plan.build.on === 'host'
      ? collection.report.milliseconds
      : (await measure(gpu, (pass) => encodeRebuild(pass, collection, { input }), { repeat })).medianMs;
  const search = ({ keys: queries, ...rest }: typeof items) => {
    const needles = { queries, ...rest };
    return measure(gpu, (pass) => encodeSearch(pass, collection, { needles, answers, value }), { repeat });
  };
  const hit = await search(present);
  const miss = await search(absent);
  const rate = ({ count }: typeof items, ms: number): number => count / (ms / 1000);
  return {
    timer: hit.timer,
    rates: { build: rate(items, buildMs), hit: rate(present, hit.medianMs), miss: rate(absent, miss.medianMs) },
  };
}

/** What the collection and plain JavaScript do not agree on. */
async function faultOf(collection: Collection<unknown>, { data, expected }: DemoSubject): Promise<string | undefined> {
  const keys = data.present.plain.length;
  if (collection.size !== keys) return `it holds ${collection.size} keys, the items have ${keys}`;
  for (const kind of ['present', 'absent'] as const) {
    const difference = differenceOf(await answersOf(collection, data[kind]), expected[kind]);
    if (difference !== undefined) return `searches for ${kind} keys: ${difference}`;
  }
  return undefined;
}
