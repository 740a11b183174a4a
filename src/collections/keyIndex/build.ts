/** The two ways of building a key index, on the host and on an encoder. */
import {
  type Gpu,
  InvalidInputError,
  knownExtent,
  mostBytes,
  record,
  type Target,
  TooLargeError,
  UnsupportedError,
} from '../../gpu/index.ts';
import { recordCounted } from '../../primitives/counted.ts';
import { bindContext } from '../../table/context.ts';
import { type Source, sized } from '../../table/source.ts';
import { Table, type TableSettings } from '../../table/table.ts';
import { recordDistinctKeys, recordRecount, requireOrder } from './distinctKeys.wgsl.ts';
import type { KeysById } from './keysById.ts';
import { recordNumbering } from './numberSlots.wgsl.ts';

/** Inside the table build, or by a sort before it. */
export type Construction = 'table' | 'sort';

const CONSTRUCTIONS: readonly Construction[] = ['table', 'sort'];

/** Throws unless such a table can be built that way. */
export function requireConstruction({ key, scheme }: TableSettings, construction: Construction): void {
  if (!CONSTRUCTIONS.includes(construction)) {
    throw new InvalidInputError(`construction must be one of ${CONSTRUCTIONS.join(', ')}, not ${construction}`);
  }
  if (construction === 'sort') requireOrder(key);
  else if (!scheme.valueStore) {
    throw new UnsupportedError(`${scheme.name} cannot replace values in a built table; use the construction 'sort'`);
  }
}

/** Builds the table of an index, or builds it anew. */
export async function buildIndex(
  gpu: Gpu,
  known: Table | TableSettings,
  construction: Construction,
  source: Source,
  byId: KeysById,
): Promise<Table> {
  const settings = known instanceof Table ? known.settings : known;
  // What is wrong with the options shows without any items; how many there are to plan for is known only after a sort.
  Table.plan(gpu, settings, construction === 'sort' ? 0 : source.maxCount, 0);
  const input = construction === 'sort' ? await sortedFirst(gpu, source, byId) : numberedLater(source, byId);
  const table = known instanceof Table ? known : await Table.build(gpu, settings, input);
  if (known instanceof Table) {
    await known.rebuild(input).catch((error: unknown) => {
      // The keys by id are new already, and the table is not.
      known.invalidate(error);
      throw error;
    });
  }
  byId.scratch.release();
  return table;
}

/** Records the build of an index's table, or of the same table anew. */
export function encodeIndex(
  gpu: Gpu,
  known: Table | TableSettings,
  construction: Construction,
  target: Target,
  source: Source,
  byId: KeysById,
): Table {
  const { maxCount } = source;
  if (known instanceof Table) known.assertEncodable(source);
  const planned = known instanceof Table ? known.plan.items : Table.plan(gpu, known, maxCount, 0).items;
  if (known instanceof Table && maxCount > Math.max(planned, byId.items)) {
    throw new InvalidInputError(
      `this collection was made for ${byId.items} items, not ${maxCount}; build a new one, or use rebuild()`,
    );
  }
  byId.scratch.keep();
  let input: Source;
  if (construction === 'sort') {
    const keys = source.keys;
    let ids: GPUBuffer | undefined;
    recordCounted(gpu, target, 'keyIndex/distinct', source.count, maxCount, (recorder, items) => {
      const bound = recorder.binding(bindContext(byId.key, 'input', source.context?.buffer));
      ids = recordDistinctKeys(bound, byId, { keys, items });
    });
    // A table that the host sized by its distinct keys takes as many again, whatever the number of items.
    input = distinctSource(
      gpu,
      source,
      byId,
      ids as unknown as GPUBuffer,
      { buffer: byId.size },
      Math.min(planned, maxCount),
    );
  } else {
    input = numberedLater(source, byId);
  }
  if (!(known instanceof Table)) return Table.encodeBuild(gpu, known, target, input);
  known.encodeRebuild(target, input);
  return known;
}

/** The keys are their own values until the slots are numbered: no buffer has to be made for what nobody reads. */
const numberedLater = (source: Source, byId: KeysById): Source => ({
  ...rest(source),
  get keys() {
    return source.keys;
  },
  get values() {
    const { keys } = source;
    return sized(byId.gpu, 'buffer' in keys ? keys.buffer : keys, source.maxCount * 4);
  },
  finish: (recorder, table) => recordNumbering(recorder, table, byId),
});

async function sortedFirst(gpu: Gpu, source: Source, byId: KeysById): Promise<Source> {
  const { count, maxCount } = source;
  requireSortable(gpu, maxCount, byId.key.words);
  if (typeof count !== 'number') throw new InvalidInputError('on the host face the count must be a number');
  let ids: GPUBuffer | undefined;
  const [bytes] = await gpu.run(
    (encoder) =>
      record(gpu, encoder, 'keyIndex/distinct', (recorder) => {
        const bound = recorder.binding(bindContext(byId.key, 'input', source.context?.buffer));
        ids = recordDistinctKeys(bound, byId, { keys: source.keys, items: knownExtent(gpu, count) });
      }),
    [{ buffer: byId.size, bytes: 4 }],
  );
  const [size = 0] = new Uint32Array(bytes as ArrayBuffer);
  return distinctSource(gpu, source, byId, ids as GPUBuffer, size, size);
}

const distinctSource = (
  gpu: Gpu,
  source: Source,
  byId: KeysById,
  ids: GPUBuffer,
  count: Source['count'],
  maxCount: number,
): Source => ({
  keys: byId.view(maxCount),
  values: sized(gpu, ids, maxCount * 4),
  count,
  maxCount,
  context: source.context,
  release: source.release,
  finish: (recorder, table) => recordRecount(recorder, table, source.count, source.maxCount),
});

const rest = ({ count, maxCount, context, release }: Source): Omit<Source, 'keys' | 'values' | 'finish'> => ({
  count,
  maxCount,
  context,
  release,
});

function requireSortable({ limits }: Gpu, items: number, keyWords: number): void {
  const most = mostBytes(limits);
  const largest = Math.floor(most / (keyWords * 4));
  if (items > largest) {
    throw new TooLargeError(
      `a key index: the keys of ${items} items do not fit; this device holds ${largest}`,
      largest,
    );
  }
}
