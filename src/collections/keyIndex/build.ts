/** The two ways of building a key index, on the host and on an encoder. */
import {
  type Extent,
  type Gpu,
  InvalidInputError,
  mostBytes,
  perform,
  type Readback,
  type Recorder,
  record,
  requireOneOf,
  type Target,
  TooLargeError,
  UnsupportedError,
} from '../../gpu/index.ts';
import type { KeyType } from '../../keys/index.ts';
import { recordCounted } from '../../primitives/counted.ts';
import type { Duplicates, TablePlan } from '../../schemes/contract/index.ts';
import { planItems, type TableSettings } from '../../table/settings.ts';
import { type Source, sized } from '../../table/source.ts';
import { Table } from '../../table/table.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import type { SortedAlong } from '../groups/sortedGroups.wgsl.ts';
import { recordDistinctKeys, recordRecount, requireOrder } from './distinctKeys.wgsl.ts';
import { recordFirstItems, recordRoomForIds } from './items.wgsl.ts';
import type { KeysById } from './keysById.ts';
import { recordNumbering } from './numberSlots.wgsl.ts';

/** Inside the table build, or by a sort before it. */
export type Construction = 'table' | 'sort';

/** What a sort takes along, made when it is recorded. */
export type Along = () => SortedAlong;

const CONSTRUCTIONS: readonly Construction[] = ['table', 'sort'];

/** The policy for copies of the table: which of them owns a slot does not matter, and after a sort there are none. */
export const policyOf = (construction: Construction): Duplicates => (construction === 'sort' ? 'unique' : 'any');

/** Throws unless an index of such keys can be built that way. */
export function requireConstruction(key: KeyType<never> | KeyType, construction: Construction): void {
  requireOneOf(construction, 'construction', CONSTRUCTIONS);
  if (construction === 'sort') requireOrder(key);
}

/** The plan of the table for so many items, in which slots can be numbered if that is how it is constructed. */
function planIndex(gpu: Gpu, settings: TableSettings, construction: Construction, items: number): TablePlan {
  const plan = planItems(gpu, settings, items);
  if (construction === 'table' && !plan.valueStore) {
    throw new UnsupportedError(
      `${settings.scheme.name} cannot replace values in a built table; use the construction 'sort'`,
    );
  }
  return plan;
}

/** Throws if it shows beforehand that no index of so many items can be built. */
export function requireIndexable(
  gpu: Gpu,
  settings: TableSettings,
  construction: Construction,
  { maxCount }: Source,
): void {
  // What is wrong with the options shows without any items; how many there are to plan for is known only after a sort.
  planIndex(gpu, settings, construction, construction === 'sort' ? 0 : maxCount);
  if (construction === 'sort') requireSortable(gpu, maxCount, settings.key.words);
}

/** One build of an index. */
export interface IndexBuild {
  /** The table that is built anew, or what the first one is to be. */
  readonly known: Table | TableSettings;
  readonly construction: Construction;
  readonly source: Source;
  readonly byId: KeysById;
  readonly along?: Along | undefined;
}

/** Builds the table of an index, or builds it anew. */
export async function buildIndex(gpu: Gpu, build: IndexBuild): Promise<Table> {
  const { known, construction, source, byId } = build;
  const settings = known instanceof Table ? known.settings : known;
  requireIndexable(gpu, settings, construction, source);
  try {
    const input = construction === 'sort' ? await sortedFirst(gpu, build) : numberedLater(build);
    const table = known instanceof Table ? known : await Table.build(gpu, settings, input);
    if (table === known) await table.rebuild(input);
    byId.releaseScratch();
    return table;
  } catch (error) {
    // The keys by id may be new already, and the table is not.
    if (known instanceof Table) known.invalidate(error);
    byId.forget(error);
    throw error;
  }
}

/** Records the build of an index's table, or of the same table anew. */
export function encodeIndex(gpu: Gpu, target: Target, build: IndexBuild): Table {
  const { known, construction, source, byId } = build;
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
    construction === 'sort' ? encodeSortedFirst(gpu, target, build, Math.min(items, maxCount)) : numberedLater(build);
  if (!(known instanceof Table)) return Table.encodeBuild(gpu, known, target, input);
  known.encodeRebuild(target, input);
  return known;
}

/** The keys are their own values until the slots are numbered: no buffer has to be made for what nobody reads. */
const numberedLater = ({ source, byId }: IndexBuild): Source => ({
  ...source,
  load: () => {
    const buffers = source.load();
    const { keys } = buffers;
    return { ...buffers, values: sized(byId.gpu, 'buffer' in keys ? keys.buffer : keys, source.maxCount * WORD_BYTES) };
  },
  finish: (recorder, table) => recordNumbering(recorder, table, source, byId),
});

async function sortedFirst(gpu: Gpu, { source, byId, along }: IndexBuild): Promise<Source> {
  const { count } = source;
  if (typeof count !== 'number') throw new InvalidInputError('on the host face the count must be a number');
  let ids: GPUBuffer | undefined;
  // Filled while recording: buffers are made there, under its error scopes.
  const reads: Readback[] = [];
  const [bytes] = await perform(
    gpu,
    (encoder) =>
      record(gpu, encoder, 'keyIndex/distinct', (recorder) => {
        ids = recordDistinctKeys(recorder, byId, source.load(), recorder.extent(count), along?.());
        reads.push({ buffer: byId.size, bytes: 4 });
      }),
    reads,
  );
  const [size = 0] = new Uint32Array(bytes as ArrayBuffer);
  return distinctSource(source, byId, ids as GPUBuffer, size, size);
}

/** A table that the host sized by its distinct keys takes at most `maxKeys` again, whatever the number of items. */
function encodeSortedFirst(gpu: Gpu, target: Target, { source, byId, along }: IndexBuild, maxKeys: number): Source {
  let ids: GPUBuffer | undefined;
  const { count, maxCount } = source;
  const recordKeys = (recorder: Recorder, items: Extent) => {
    ids = recordDistinctKeys(recorder, byId, source.load(), items, along?.());
  };
  const { workspace } = byId.scratch;
  recordCounted(gpu, target, { label: 'keyIndex/distinct', count, max: maxCount, workspace }, recordKeys);
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
    values: sized(byId.gpu, ids, maxCount * WORD_BYTES),
    context: source.load().context,
  }),
  finish: (recorder, table) => {
    recordRecount(recorder, table, source.count, source.maxCount);
    if (!byId.keepsItems) return;
    const { maxCount: maxItems } = source;
    recordFirstItems(recorder, table, 'value', {
      ...source.load(),
      maxCount: maxItems,
      numbers: recordRoomForIds(recorder, byId, maxItems),
      firsts: byId.firstItems(maxCount),
      maxNumbers: maxCount,
    });
  },
});

function requireSortable({ limits }: Gpu, items: number, keyWords: number): void {
  const most = mostBytes(limits);
  const largest = Math.floor(most / (keyWords * WORD_BYTES));
  if (items > largest) {
    throw new TooLargeError(
      `a key index: the keys of ${items} items do not fit; this device holds ${largest}`,
      largest,
    );
  }
}
