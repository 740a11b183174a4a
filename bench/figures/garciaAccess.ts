/**
 * In place of figures 8 and 9 of García et al. 2011, which are read from counters of the hardware: how much memory a group of 32
 * neighbouring queries touches, and how much longer its longest search is than the others. Both follow exactly from the slots that the
 * searches look at, and do not depend on the GPU.
 */
import { type Gpu, record } from '../../src/gpu/index.ts';
import { robinHood, type SequenceName, u32 } from '../../src/index.ts';
import { sequenceOf } from '../../src/schemes/robinHood/shape.ts';
import type { Reading } from '../../src/table/reading.wgsl.ts';
import type { Table } from '../../src/table/table.ts';
import { kept, kernel, storage, uniform, wgsl } from '../../src/wgsl/index.ts';
import { type PictureItems, tableOfPicture } from './garciaPictures.ts';

/** Queries that run together. */
const LANES = 32;
const SECTOR_BYTES = 32;
const LINE_BYTES = 128;
/** What stands behind the last slot of a search. */
const NO_SLOT = 0xffffffff;

/** The slots that searches look at, one behind the other: each search has the same number of words. */
export interface Trace {
  readonly slots: Uint32Array;
  /** Words of a search. */
  readonly most: number;
  readonly bytesPerSlot: number;
}

/** Averages over groups of queries. */
export interface GroupAccess {
  readonly groups: number;
  /** Slots that are looked at, by all queries of a group together. */
  readonly probes: number;
  /** Different stretches of 32 and of 128 bytes that these are in. */
  readonly sectors: number;
  readonly lines: number;
  /** How many more probes the longest search of a group has than its average one. */
  readonly divergence: number;
}

/** What each group of 32 searches that are next to each other touches. The last group may be smaller. */
export function groupAccess({ slots, most, bytesPerSlot }: Trace): GroupAccess {
  const searches = slots.length / most;
  const groups = Math.ceil(searches / LANES);
  let [probes, sectors, lines, divergence] = [0, 0, 0, 0];
  for (let group = 0; group < groups; group++) {
    const [first, last] = [group * LANES, Math.min((group + 1) * LANES, searches)];
    const [touchedSectors, touchedLines] = [new Set<number>(), new Set<number>()];
    let [sum, longest] = [0, 0];
    for (let search = first; search < last; search++) {
      let length = 0;
      for (; length < most; length++) {
        const slot = slots[search * most + length] as number;
        if (slot === NO_SLOT) break;
        touchedSectors.add(Math.floor((slot * bytesPerSlot) / SECTOR_BYTES));
        touchedLines.add(Math.floor((slot * bytesPerSlot) / LINE_BYTES));
      }
      sum += length;
      longest = Math.max(longest, length);
    }
    probes += sum;
    sectors += touchedSectors.size;
    lines += touchedLines.size;
    divergence += longest - sum / (last - first);
  }
  const average = (total: number): number => total / Math.max(1, groups);
  return {
    groups,
    probes: average(probes),
    sectors: average(sectors),
    lines: average(lines),
    divergence: average(divergence),
  };
}

const Queries = wgsl`
struct Queries {
  count: u32,
  step: u32, // queries from the first one of a group to that of the next
  most: u32, // words of a search
}`;
const queries = uniform('queries', Queries);
const slots = storage('slots', 'array<u32>', 'read_write');

const traceKernel = kept((reading: Reading, sequence: SequenceName) => {
  const needle = u32.access('needle');
  const made = { sequence, evict: true, reject: true, order: undefined };
  const { probes } = sequenceOf(made, { key: u32 }, reading.view.header);
  return kernel({
    label: 'figures/trace',
    threads: 256,
    body: wgsl`
  if (item >= ${queries}.count) { return; }
  let place = (item / ${LANES}u) * ${queries}.step + item % ${LANES}u;
  let key = ${needle.of('place')};
  let length = ${reading.find(needle)}(key).probes;
  let state = ${probes.begin(needle)}(key);
  for (var i = 0u; i < ${queries}.most; i++) {
    var slot = ${NO_SLOT}u;
    if (i < length) { slot = ${probes.probe}(state, i + 1u).x; }
    ${slots}[item * ${queries}.most + i] = slot;
  }`,
  });
});

/** The slots that a table looks at for groups of neighbouring keys, which lie evenly among so many keys from 0 on. */
export async function traceGroups(
  table: Table,
  sequence: SequenceName,
  { keys, groups }: { readonly keys: number; readonly groups: number },
): Promise<Trace> {
  const { gpu, plan } = table;
  const all = Math.floor(keys / LANES);
  const traced = Math.max(1, Math.min(groups, all));
  const step = LANES * Math.max(1, Math.floor(all / traced));
  const most = Math.max(1, table.state.header.longest);
  const count = traced * LANES;
  const bytes = 4 * count * most;
  const [buffer] = (await gpu.allocate([{ label: 'figures/trace', bytes }])) as [GPUBuffer];
  try {
    const [read] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'trace', (recorder) =>
          recorder.run(
            traceKernel(table.reading, sequence),
            [...table.bound, [queries, gpu.constants(count, step, most)], [slots, buffer]],
            count,
          ),
        ),
      [{ buffer, bytes }],
    );
    return {
      slots: new Uint32Array(read as ArrayBuffer),
      most,
      bytesPerSlot: (plan.buffers[0]?.bytes ?? 0) / plan.slotCount,
    };
  } finally {
    buffer.destroy();
  }
}

export interface AccessRecord extends GroupAccess {
  readonly sequence: SequenceName;
  readonly load: number;
  readonly items: number;
  readonly pixels: number;
  readonly wrong: number;
}

/** What reading all pixels of a picture touches, row by row. */
export async function measureAccess(
  gpu: Gpu,
  items: PictureItems,
  request: { readonly sequence: SequenceName; readonly load: number; readonly groups: number; readonly seed: number },
): Promise<AccessRecord> {
  const { sequence, load, groups, seed } = request;
  const table = await tableOfPicture(gpu, items, { scheme: robinHood({ sequence, loadFactor: load }), seed });
  try {
    const { image, output } = table;
    await gpu.run((encoder) => image.encodeUnpack(encoder, { output }));
    const pixels = image.width * image.height;
    return {
      sequence,
      load,
      items: items.input.count,
      pixels,
      ...groupAccess(await traceGroups(image.map.table, sequence, { keys: pixels, groups })),
      wrong: await table.wrongPixels(),
    };
  } finally {
    table.destroy();
  }
}
