/** One table of the demonstration: built, checked against the `Map`, measured, and checked again. */
import { adapterName } from '../bench/benchmark.ts';
import type { CollectionName } from '../bench/configurations.ts';
import { measure } from '../bench/measure.ts';
import { type Collection, type Gpu, HashMap, HashSet, type SchemeName, schemes } from '../src/index.ts';
import type { DemoData, Questions } from './demoData.ts';

/** A line of the demonstration's table. */
export interface DemoRecord {
  readonly scheme: string;
  readonly collection: CollectionName;
  readonly key: string;
  readonly items: number;
  readonly loadFactor: number;
  readonly tableBytes: number;
  readonly bytesPerKey: number;
  readonly averageProbes: { readonly present: number; readonly absent: number };
  /** Items a second. */
  readonly rates: { readonly build: number; readonly hit: number; readonly miss: number };
  readonly correct: boolean;
  readonly error?: string;
  readonly adapter: string;
  readonly timer: string;
}

/** The same items in GPU buffers, for measuring. */
export interface DemoBuffers {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer;
  readonly queries: { readonly hit: GPUBuffer; readonly miss: GPUBuffer };
  readonly answers: GPUBuffer;
}

export async function demoTable(
  gpu: Gpu,
  data: DemoData,
  buffers: DemoBuffers,
  what: { readonly scheme: SchemeName; readonly collection: CollectionName },
): Promise<DemoRecord> {
  const scheme = schemes[what.scheme]();
  const { keys, values, key, size } = data;
  const collection: HashMap<unknown> | HashSet<unknown> =
    what.collection === 'map'
      ? await HashMap.from<unknown, Uint32Array>(gpu, { keys, values }, { key, scheme })
      : await HashSet.from<unknown>(gpu, { keys }, { key, scheme });
  try {
    const built = await faultOf(collection, data);
    const { rates, timer } = await measureRates(gpu, collection, data, buffers);
    await collection.settle();
    const fault = built ?? (await faultOf(collection, data));
    const { present, absent } = await collection.stats({ absent: data.absent.keys });
    return {
      scheme: scheme.name,
      collection: what.collection,
      key: key.name,
      items: data.count,
      loadFactor: collection.loadFactor,
      tableBytes: collection.tableBytes,
      bytesPerKey: collection.tableBytes / size,
      averageProbes: { present: present.average, absent: absent.average },
      rates,
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
  collection: HashMap<unknown> | HashSet<unknown>,
  { count, present, absent }: DemoData,
  { keys, values, queries, answers }: DemoBuffers,
): Promise<{ rates: DemoRecord['rates']; timer: string }> {
  // Rates of a software GPU are of little interest, and it takes its time.
  const repeat = gpu.info.software ? 1 : 5;
  const build = await measure(
    gpu,
    (pass) =>
      collection instanceof HashMap
        ? collection.encodeRebuild(pass, { keys, values, count })
        : collection.encodeRebuild(pass, { keys, count }),
    { repeat },
  );
  const search = (asked: GPUBuffer, { found }: Questions) =>
    measure(
      gpu,
      (pass) =>
        collection instanceof HashMap
          ? collection.encodeGet(pass, { queries: asked, values: answers, count: found.length })
          : collection.encodeHas(pass, { queries: asked, found: answers, count: found.length }),
      { repeat },
    );
  const hit = await search(queries.hit, present);
  const miss = await search(queries.miss, absent);
  const rate = (items: number, ms: number): number => items / (ms / 1000);
  return {
    timer: build.timer,
    rates: {
      build: rate(count, build.medianMs),
      hit: rate(present.found.length, hit.medianMs),
      miss: rate(absent.found.length, miss.medianMs),
    },
  };
}

/** What the table and the `Map` do not agree on. */
async function faultOf(collection: Collection<unknown>, data: DemoData): Promise<string | undefined> {
  if (collection.size !== data.size) return `it holds ${collection.size} keys, the Map ${data.size}`;
  for (const [kind, { keys, values, found }] of [
    ['present', data.present],
    ['absent', data.absent],
  ] as const) {
    const answers =
      collection instanceof HashMap
        ? await collection.get(keys)
        : { values: undefined, found: await collection.has(keys) };
    const wrong = found.reduce((sum, expected, i) => {
      const isRight =
        answers.found[i] === expected && (answers.values === undefined || answers.values[i] === values[i]);
      return isRight ? sum : sum + 1;
    }, 0);
    if (wrong > 0) return `${wrong} of ${found.length} searches for ${kind} keys disagree with the Map`;
  }
  return undefined;
}
