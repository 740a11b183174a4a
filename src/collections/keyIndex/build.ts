/** The two ways of building a key index, on the host and on an encoder. */
import {
  type Gpu,
  InvalidInputError,
  mostBytes,
  record,
  type Target,
  TooLargeError,
  UnsupportedError,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { recordCounted } from '../../primitives/counted.ts';
import type { Duplicates, TablePlan } from '../../schemes/contract/index.ts';
import { type Source, sized } from '../../table/source.ts';
import { Table, type TableSettings } from '../../table/table.ts';
import { recordDistinctKeys, recordRecount, requireOrder } from './distinctKeys.wgsl.ts';
import type { KeysById } from './keysById.ts';
import { recordNumbering } from './numberSlots.wgsl.ts';

/** Inside the table build, or by a sort before it. */
export type Construction = 'table' | 'sort';

const CONSTRUCTIONS: readonly Construction[] = ['table', 'sort'];

/** The policy for copies of the table: which of them owns a slot does not matter, and after a sort there are none. */
export const policyOf = (construction: Construction): Duplicates => (construction === 'sort' ? 'unique' : 'any');

/** Throws unless an index of such keys can be built that way. */
export function requireConstruction(key: KeyType<never> | KeyType, construction: Construction): void {
  if (!CONSTRUCTIONS.includes(construction)) {
    throw new InvalidInputError(`construction must be one of ${CONSTRUCTIONS.join(', ')}, not ${construction}`);
  }
  if (construction === 'sort') requireOrder(key);
}

/** The plan of the table for so many items, in which slots can be numbered if that is how it is constructed. */
function planIndex(gpu: Gpu, settings: TableSettings, construction: Construction, items: number): TablePlan {
  const plan = Table.plan(gpu, settings, items);
  if (construction === 'table' && !plan.valueStore) {
    throw new UnsupportedError(
      `${settings.scheme.name} cannot replace values in a built table; use the construction 'sort'`,
    );
  }
  return plan;
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
  planIndex(gpu, settings, construction, construction === 'sort' ? 0 : source.maxCount);
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
  const plan = known instanceof Table ? known.plan : planIndex(gpu, known, construction, maxCount);
  const { items } = plan.request;
  if (known instanceof Table && maxCount > Math.max(items, byId.items)) {
    throw new InvalidInputError(
      `this collection was made for ${byId.items} items, not ${maxCount}; build a new one, or use rebuild()`,
    );
  }
  byId.scratch.keep();
  const input =
    construction === 'sort'
      ? encodeSortedFirst(gpu, target, source, byId, Math.min(items, maxCount))
      : numberedLater(source, byId);
  if (!(known instanceof Table)) return Table.encodeBuild(gpu, known, target, input);
  known.encodeRebuild(target, input);
  return known;
}

/** The keys are their own values until the slots are numbered: no buffer has to be made for what nobody reads. */
const numberedLater = (source: Source, byId: KeysById): Source => ({
  ...source,
  load: () => {
    const buffers = source.load();
    const { keys } = buffers;
    return { ...buffers, values: sized(byId.gpu, 'buffer' in keys ? keys.buffer : keys, source.maxCount * 4) };
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
        ids = recordDistinctKeys(recorder, byId, source.load(), recorder.extent(count));
      }),
    [{ buffer: byId.size, bytes: 4 }],
  );
  const [size = 0] = new Uint32Array(bytes as ArrayBuffer);
  return distinctSource(source, byId, ids as GPUBuffer, size, size);
}

/** A table that the host sized by its distinct keys takes at most `maxKeys` again, whatever the number of items. */
function encodeSortedFirst(gpu: Gpu, target: Target, source: Source, byId: KeysById, maxKeys: number): Source {
  let ids: GPUBuffer | undefined;
  recordCounted(gpu, target, 'keyIndex/distinct', source.count, source.maxCount, (recorder, items) => {
    ids = recordDistinctKeys(recorder, byId, source.load(), items);
  });
  return distinctSource(source, byId, ids as unknown as GPUBuffer, { buffer: byId.size }, maxKeys);
}

/** The distinct keys, with their ids as values. */
const distinctSource = (
  source: Source,
  byId: KeysById,
  ids: GPUBuffer,
  count: Source['count'],
  maxCount: number,
): Source => ({
  ...source,
  count,
  maxCount,
  load: () => ({
    keys: byId.view(maxCount),
    values: sized(byId.gpu, ids, maxCount * 4),
    context: source.load().context,
  }),
  finish: (recorder, table) => recordRecount(recorder, table, source.count, source.maxCount),
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
