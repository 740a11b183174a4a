/** How many probes searches take, measured on the table itself: the statistics of Alcantara 2011, Table 3.2. */
import { type Bound, perform, record } from '../gpu/index.ts';
import { type EncodedKeys, keysView } from '../keys/index.ts';
import { kernel, storage, uniform, type Wgsl, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import { contextBytes, requireContextFits, uploadPieces } from './context.ts';
import type { Searchable } from './searchable.ts';

/** Probe lengths of a set of searches. */
export interface ProbeStats {
  /** Searches counted. */
  readonly searches: number;
  readonly average: number;
  /** The number of probes within which 50, 80, 90, 99 and 100% of the searches ended. */
  readonly within: { readonly [percent in 50 | 80 | 90 | 99 | 100]: number };
}

const THREADS = 256;
/** Longer searches are counted in the last bin; no scheme allows as many probes. */
const BINS = 65_536;
/** Counted inside the workgroup first: nearly all searches are this short. */
const PRIVATE_BINS = 256;

const items = uniform('items', 'u32');
const bins = storage('bins', 'array<atomic<u32>>', 'read_write');
const privateBins = wgsl`var<workgroup> privateBins: array<atomic<u32>, ${PRIVATE_BINS}>;`;

/** Searches for every key of the table. */
export function presentStats(table: Searchable): Promise<ProbeStats> {
  const { reading, plan } = table;
  const { key } = reading.view;
  const search = wgsl`
    let found = ${reading.entry}(item);
    counts = found.present;
    if (counts) { probes = ${reading.find(key)}(${key.of(key.safe('found.key'))}).probes; }`;
  return measure(table, search, plan.slotCount, []);
}

/** Searches for the given keys and counts those that are not there. */
export async function absentStats(table: Searchable, encoded: EncodedKeys): Promise<ProbeStats> {
  const { gpu, reading } = table;
  const needles = keysView(table.settings.key, 'needle', 'queries');
  const search = wgsl`
    let hit = ${reading.find(needles.access)}(${needles.at('item')});
    counts = !hit.found;
    probes = hit.probes;`;
  const { context: pieces } = encoded;
  if (pieces) requireContextFits(gpu, contextBytes(pieces));
  const [keys, context] = await gpu.made((keep) => [
    keep(gpu.upload('stats/queries', encoded.words)),
    pieces && uploadPieces(gpu, 'stats/context', pieces, keep),
  ]);
  try {
    return await measure(table, search, encoded.count, needles.bind({ keys, context }));
  } finally {
    keys.destroy();
    context?.destroy();
  }
}

async function measure(table: Searchable, search: Wgsl, count: number, extra: Bound): Promise<ProbeStats> {
  const { gpu } = table;
  const program = kernel({
    label: 'stats',
    threads: THREADS,
    body: wgsl`
  if (item < ${items}) {
    var probes = 0u;
    var counts = false;
    ${search}
    if (counts && probes < ${PRIVATE_BINS}u) { atomicAdd(&${privateBins}[probes], 1u); }
    else if (counts) { atomicAdd(&${bins}[min(probes, ${BINS - 1}u)], 1u); }
  }
  workgroupBarrier();
  let counted = atomicLoad(&${privateBins}[thread]);
  if (counted > 0u) { atomicAdd(&${bins}[thread], counted); }`,
  });
  const [binBuffer] = (await gpu.allocate([{ label: 'stats/bins', bytes: BINS * WORD_BYTES }])) as [GPUBuffer];
  try {
    // It may have been destroyed in the meantime.
    table.assertBuilt();
    const [bytes] = await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'stats', (recorder) =>
          recorder.run(program, [...table.bound, ...extra, [items, gpu.constants(count)], [bins, binBuffer]], count),
        ),
      [{ buffer: binBuffer, bytes: BINS * WORD_BYTES }],
    );
    return summarise(new Uint32Array(bytes as ArrayBuffer));
  } finally {
    binBuffer.destroy();
  }
}

/** Average and points of a histogram of probe lengths. */
export function summarise(histogram: Uint32Array): ProbeStats {
  const searches = histogram.reduce((sum, n) => sum + n, 0);
  const probes = histogram.reduce((sum, n, length) => sum + n * length, 0);
  const within = (percent: number): number => {
    let seen = 0;
    const wanted = Math.ceil((searches * percent) / 100);
    return Math.max(
      0,
      histogram.findIndex((n) => {
        seen += n;
        return seen >= wanted;
      }),
    );
  };
  return {
    searches,
    average: searches === 0 ? 0 : probes / searches,
    within: { 50: within(50), 80: within(80), 90: within(90), 99: within(99), 100: within(100) },
  };
}
