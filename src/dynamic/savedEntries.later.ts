/** Tables that live, as bytes: a list of entries. They are opened by inserting these, so that no file makes a bad table. */
import { FormatError, type Gpu, HashnestError, perform, type Signal } from '../gpu/index.ts';
import type { KeyType } from '../keys/index.ts';
import type { DynamicScheme, ValueWords } from '../schemes/contract/index.ts';
import { requireContextFits } from '../table/context.ts';
import { field, isKindIn, isText, isWord, pack, unpack } from '../table/saved/format.ts';
import { keyTypeNamed, valueTypeNamed } from '../table/saved/planned.ts';
import { requireReadableKeys } from '../table/saved/sharedBytes.ts';
import { type ValueType, valueTypes } from '../table/values.ts';
import { WORD_BYTES } from '../wgsl/index.ts';
import { batchOf } from './fits.ts';
import { runHostBatch } from './hostBatch.ts';
import { type Bounds, requireBounds, targetOf } from './settings.ts';
import { DynamicTable } from './table.ts';

/** What was saved. */
const KINDS = ['dynamicMap', 'dynamicSet', 'dynamicIndex'] as const;
export type EntriesKind = (typeof KINDS)[number];

/** What the bytes say of the entries in them. */
interface Description {
  readonly kind: EntriesKind;
  readonly key: string;
  readonly value: string | null;
  readonly size: number;
  readonly contextBytes: number;
  readonly lowest: number;
  readonly highest: number;
  /** Of an index: ids that no key has. */
  readonly freeIds: number;
}

/** What is saved beside the table. */
interface Saved {
  readonly kind: EntriesKind;
  readonly value: ValueType | undefined;
  /** Of an index: ids that no key has. */
  readonly freeIds?: Uint32Array<ArrayBuffer>;
}

/** How entries are opened. */
export interface OpenEntries {
  readonly kind: EntriesKind;
  /** Required for key types that are not built in; a table of other keys is refused. */
  readonly key: KeyType | undefined;
  readonly value?: ValueType | undefined;
  readonly scheme: DynamicScheme;
  readonly bounds: Partial<Bounds>;
  readonly reserve: number;
  readonly seed: number | undefined;
  readonly signal: Signal | undefined;
}

/** A table of the entries that were saved. */
export interface OpenedEntries {
  readonly table: DynamicTable;
  readonly value: ValueType | undefined;
  /** Of an index: ids that no key has. With those of the keys they are every number once. */
  readonly freeIds: Uint32Array;
}

/** Entries that are inserted at once. */
const AT_ONCE = 1 << 22;

/** Whoever wants more of them names the bounds. */
const MOST_SLOTS_A_KEY = 16;

/** All keys and values, with the bytes of these keys and of no others. */
export async function saveEntries(
  table: DynamicTable,
  { kind, value, freeIds = new Uint32Array() }: Saved,
): Promise<Uint8Array<ArrayBuffer>> {
  const { gpu, settings, size } = table;
  const { key, valueWords, bounds } = settings;
  return table.packed(async ({ keys, values, context }, contextBytes) => {
    const parts = await perform(gpu, () => {}, [
      { buffer: keys, bytes: size * key.words * WORD_BYTES },
      { buffer: values, bytes: size * valueWords * WORD_BYTES },
      ...(context ? [{ buffer: context, bytes: contextBytes }] : []),
    ]);
    const description: Description = {
      kind,
      key: key.name,
      value: value?.name ?? null,
      size,
      contextBytes,
      ...bounds,
      freeIds: freeIds.length,
    };
    return pack(description, [...parts, freeIds.slice().buffer]);
  });
}

/** Checks saved bytes, which nobody changes any more, and makes a table of the entries in them. */
export async function openEntries(
  gpu: Gpu,
  bytes: Uint8Array<ArrayBuffer>,
  request: OpenEntries,
): Promise<OpenedEntries> {
  const { description, body } = unpack(bytes, descriptionOf);
  const { kind, size, contextBytes } = description;
  if (kind !== request.kind) throw new FormatError(`these bytes hold a ${kind}, not a ${request.kind}`);
  const key = keyTypeNamed(description.key, request.key);
  const value = valueTypeOf(request, description.value);
  const valueWords: ValueWords = value?.words ?? 0;
  const keysEnd = size * key.words * WORD_BYTES;
  const valuesEnd = keysEnd + size * valueWords * WORD_BYTES;
  const contextEnd = valuesEnd + contextBytes;
  const wanted = contextEnd + description.freeIds * WORD_BYTES;
  if (wanted !== body.length || contextBytes % 4 !== 0 || (contextBytes > 0 && !key.hasContext)) {
    throw new FormatError(`the saved entries have ${body.length} bytes instead of ${wanted}`);
  }
  const keys = body.subarray(0, keysEnd);
  const values = body.subarray(keysEnd, valuesEnd);
  if (key.hasContext) requireSlices(keys, contextBytes, bytes.length);
  requireContextFits(gpu, contextBytes);
  const { lowest = description.lowest, highest = description.highest } = request.bounds;
  const bounds = { lowest, highest };
  requireSavedBounds(request, bounds);
  const settings = { scheme: request.scheme, key, valueWords, bounds, seed: request.seed };
  const table = await DynamicTable.create(gpu, settings, Math.max(size, request.reserve));
  try {
    table.reservedSlots = Math.ceil(request.reserve / highest);
    if (contextBytes > 0) {
      const context = await gpu.made((keep) => keep(gpu.upload('context', body.subarray(valuesEnd, contextEnd))));
      table.context.replace(context, contextBytes);
    }
    await insertAll(table, keys, values, size);
    if (table.size !== size) throw new FormatError('keys occur more than once among the saved entries');
    const words = (part: Uint8Array) => new Uint32Array(part.slice().buffer);
    const freeIds = words(body.subarray(contextEnd));
    if (kind === 'dynamicIndex' && !areAllIds(words(values), freeIds)) {
      throw new FormatError('the saved ids are not every number once, of keys and free ones together');
    }
    return { table, value, freeIds };
  } catch (error) {
    table.destroy();
    throw error;
  }
}

async function insertAll(table: DynamicTable, keys: Uint8Array, values: Uint8Array, size: number): Promise<void> {
  const { gpu, settings, context } = table;
  const { key, valueWords } = settings;
  table.requireBatchFits(Math.min(1, size));
  const atOnce = batchOf(gpu, table.plan, Math.min(AT_ONCE, size));
  for (let first = 0; first < size; first += atOnce) {
    const count = Math.min(atOnce, size - first);
    const part = (bytes: Uint8Array, words: number) =>
      bytes.subarray(first * words * WORD_BYTES, (first + count) * words * WORD_BYTES);
    const [keyBuffer, valueBuffer] = await gpu.made((keep) => [
      keep(gpu.upload('opened/keys', part(keys, key.words))),
      keep(gpu.upload('opened/values', part(values, valueWords))),
    ]);
    try {
      const items = {
        keys: keyBuffer as GPUBuffer,
        values: valueWords > 0 ? valueBuffer : undefined,
        // They are in the table already.
        context: context.buffer,
        contextStart: 0,
      };
      await runHostBatch(table, items, count, { onExisting: 'replace', unique: true });
    } finally {
      for (const buffer of [keyBuffer, valueBuffer]) buffer?.destroy();
    }
  }
}

/** Throws unless every key lies within the bytes, and all of them together are not far longer than the file. */
function requireSlices(keys: Uint8Array, contextBytes: number, fileBytes: number): void {
  const slices = new DataView(keys.buffer, keys.byteOffset, keys.byteLength);
  let sum = 0;
  for (let at = 0; at < keys.byteLength; at += 8) {
    const [offset, length] = [slices.getUint32(at, true), slices.getUint32(at + 4, true)];
    if (offset + length > contextBytes) throw new FormatError('a saved key reaches past the bytes of all keys');
    sum += length;
  }
  requireReadableKeys(sum, fileBytes);
}

/** Bounds that the caller named are the caller's own; others are the file's, which may not ask for far more memory than it has entries. */
function requireSavedBounds({ scheme, bounds: named }: OpenEntries, bounds: Bounds): void {
  const areNamed = named.lowest !== undefined || named.highest !== undefined;
  try {
    requireBounds(scheme, bounds);
  } catch (cause) {
    if (areNamed || !(cause instanceof HashnestError)) throw cause;
    throw new FormatError('the saved table has bounds that cannot be kept', { cause });
  }
  if (!areNamed && targetOf(bounds) * MOST_SLOTS_A_KEY < 1) {
    const { lowest, highest } = bounds;
    throw new FormatError(
      `the saved table has bounds by which a key may have more than ${MOST_SLOTS_A_KEY} slots, ${lowest} and ${highest}: name \`lowest\` or \`highest\` to open it`,
    );
  }
}

/** Maps have values; the ids of an index are words. */
function valueTypeOf({ kind, value }: OpenEntries, name: string | null): ValueType | undefined {
  if ((kind === 'dynamicMap') !== (name !== null)) throw new FormatError(`a ${kind} with values of type ${name}`);
  if (name !== null) return valueTypeNamed(name, value);
  return kind === 'dynamicIndex' ? valueTypes.u32 : undefined;
}

function descriptionOf(json: object): Description {
  const isNumber = (value: unknown): value is number => Number.isFinite(value);
  return {
    kind: field(json, 'kind', isKindIn(KINDS)),
    key: field(json, 'key', isText),
    value: field(json, 'value', (value): value is string | null => value === null || isText(value)),
    size: field(json, 'size', isWord),
    contextBytes: field(json, 'contextBytes', isWord),
    lowest: field(json, 'lowest', isNumber),
    highest: field(json, 'highest', isNumber),
    freeIds: field(json, 'freeIds', isWord),
  };
}

/** Whether every number below their count is among the ids once. */
function areAllIds(...lists: readonly Uint32Array[]): boolean {
  const seen = new Uint8Array(lists.reduce((sum, { length }) => sum + length, 0));
  for (const list of lists) {
    for (const id of list) {
      if (id >= seen.length || seen[id] === 1) return false;
      seen[id] = 1;
    }
  }
  return true;
}
