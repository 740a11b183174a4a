/**
 * Opening saved tables. The bytes may come from anybody: everything that a search or the host goes by is checked before the
 * table is handed out, on the host before a buffer is made, and on the GPU where it is large.
 */
import { FormatError, type Gpu, mostBytes, type Signal, TooLargeError } from '../../gpu/index.ts';
import { HASH_VERSION } from '../../hashing/index.ts';
import type { KeyType } from '../../keys/index.ts';
import {
  type Duplicates,
  HeaderLayout,
  type HeaderValues,
  type Scheme,
  type TablePlan,
} from '../../schemes/contract/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { keptUnless, PlannedBuffers } from '../buffers.ts';
import { Reading } from '../reading.wgsl.ts';
import { Table } from '../table.ts';
import type { ValueType } from '../values.ts';
import { checkOnGpu, type EntryCheck, prepareCheck } from './check.wgsl.ts';
import { checksum, type SummedPart, sumOf } from './checksum.wgsl.ts';
import { type Description, requireSum, type SavedKind, type Unpacked, unpackUnsummed } from './format.ts';
import { givenBytes } from './givenBytes.ts';
import { plannedAs, possible } from './planned.ts';
import { CONTEXT } from './save.ts';
import { requireHashable } from './sharedBytes.ts';

/** What is known of a saved collection before its table is made. */
export interface Opened {
  readonly key: KeyType;
  readonly value: ValueType | undefined;
  readonly duplicates: Duplicates;
  /** Items that its table was planned for. */
  readonly items: number;
  /** Distinct keys. */
  readonly size: number;
  /** Items that it was built from. */
  readonly count: number;
  /** What the collection has beside its table, by name. */
  readonly extras: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly details: Readonly<Record<string, string>>;
  /** Bytes of all that was saved. */
  readonly bytes: number;
}

/** A saved collection whose table is open. */
export interface OpenedTable extends Opened {
  readonly table: Table;
  /** Makes the rest of the collection; what was made is destroyed, and the table too, if it cannot be restored. */
  restored<T extends { destroy(): void }>(make: () => T): Promise<T>;
}

/** How a saved collection is opened. */
export interface OpenRequest {
  readonly kind: SavedKind;
  /** The scheme that the table was built by; its options are those of the saved table. */
  readonly scheme: Scheme;
  /** Required for key types that are not built in; a table of other keys is refused. */
  readonly key: KeyType | undefined;
  /** A table of other values is refused. */
  readonly value?: ValueType | undefined;
  readonly signal?: Signal | undefined;
  /** What the collection has beside its table. */
  readonly beside?: {
    /** The names of its buffers, in the order in which they are saved. */
    readonly buffers: readonly string[];
    /** Throws if they do not go with the table. */
    check(opened: Opened): void;
    /** What is checked on the GPU of every key that is there. */
    readonly entries: EntryCheck;
  };
}

/** Checks saved bytes and opens the table in them. */
export async function openSaved(gpu: Gpu, given: Uint8Array, request: OpenRequest): Promise<OpenedTable> {
  const bytes = givenBytes(given);
  const unpacked = unpackUnsummed(bytes);
  const { description, body } = unpacked;
  requireReadable(description, request.kind);
  const { key, value, scheme, plan } = plannedAs(gpu, description, body.length, request);
  requireExtras(description, key, request);
  const { header, parts, extras, starts } = contentsOf(description, plan, unpacked);
  const { duplicates, items, size, details } = description;
  const opened: Opened = {
    key,
    value,
    duplicates,
    items,
    size,
    count: header.count,
    extras,
    details,
    bytes: bytes.length,
  };
  // An index counts the items that its keys were found among; all other tables were built from no more than was planned.
  if (!request.beside && header.count > items)
    throw new FormatError('the saved table has more items than were planned');
  request.beside?.check(opened);
  const savedContext = extras.get(CONTEXT);
  requireExtrasFit(gpu, extras);
  if (savedContext) requireHashable(plan, parts, { context: savedContext.length, file: bytes.length });
  const own = request.beside?.entries;
  const sumOnHost = sumOf(
    ...[...extras]
      .filter(([name]) => name !== CONTEXT)
      .map(([name, part]) => checksum(part, (starts.get(name) as number) / WORD_BYTES)),
  );
  possible(() => prepareCheck(Reading.of(plan), own));

  const { valueWords } = plan.request;
  const settings = { scheme, key, valueWords, duplicates };
  const seed = description.seed ?? undefined;
  const { result: table, failure } = gpu.watched(() => {
    const buffers = new PlannedBuffers(gpu, scheme, plan);
    try {
      for (const [name, content] of parts) gpu.write(name === HEADER ? buffers.header : buffers.get(name), content);
      const context = savedContext && gpu.upload('context', savedContext);
      return Table.restore(gpu, settings, plan, { buffers, context, header, seed });
    } catch (error) {
      buffers.destroy();
      throw error;
    }
  });
  const orDestroyed = <T>(result: Promise<T>): Promise<T> =>
    result.catch((error: unknown) => {
      table.destroy();
      throw error;
    });
  const isOnGpu = (name: string): boolean => parts.has(name) || name === CONTEXT;
  const onGpu = [...starts].flatMap(([name, start]): SummedPart[] => {
    const { length: partBytes } = parts.get(name) ?? (extras.get(name) as Uint8Array);
    return isOnGpu(name) ? [{ buffer: bufferOf(table, name), bytes: partBytes, firstWord: start / WORD_BYTES }] : [];
  });
  // From here on the caller's array may be without memory.
  await keptUnless(gpu.guard(failure), table);
  const check = {
    bytes: opened.bytes,
    extras,
    own,
    parts: onGpu,
    requireSum: (found: number) => requireSum(unpacked, sumOf(found, sumOnHost)),
  };
  await orDestroyed(checkOnGpu(table, check));
  const restored = async <T extends { destroy(): void }>(make: () => T): Promise<T> => {
    const { result, failure } = gpu.watched(make);
    return keptUnless(gpu.guard(failure), result);
  };
  return { ...opened, table, restored: (make) => orDestroyed(restored(make)) };
}

function requireReadable({ kind, hashVersion }: Description, wanted: SavedKind): void {
  if (kind !== wanted) throw new FormatError(`these bytes hold a ${kind}, not a ${wanted}`);
  if (hashVersion !== HASH_VERSION) {
    throw new FormatError(
      `the table was hashed by version ${hashVersion}, this library has ${HASH_VERSION}: build it again`,
    );
  }
}

/** Throws unless the buffers beside the table's own are those of such a collection of such keys, and no others. */
function requireExtras({ kind, extras }: Description, key: KeyType, { beside }: OpenRequest): void {
  const wanted = [...(beside?.buffers ?? []), ...(key.hasContext ? [CONTEXT] : [])].join(', ');
  const saved = extras.map(({ name }) => name).join(', ');
  if (saved !== wanted) {
    throw new FormatError(
      `a ${kind} of ${key.name} keys has beside its table: ${wanted || 'nothing'}; not ${saved || 'nothing'}`,
    );
  }
}

/** Throws if one of the buffers beside the table cannot be bound on this device. */
function requireExtrasFit({ limits }: Gpu, extras: Opened['extras']): void {
  const most = mostBytes(limits);
  for (const [name, { length }] of extras) {
    if (length > most) {
      throw new TooLargeError(
        `the saved buffer '${name}' has ${length} bytes of the ${most} that a binding may have`,
        0,
      );
    }
  }
}

/** How the header is called among the parts. */
const HEADER = 'header';

/** Where a part of the file is on the GPU. */
function bufferOf({ buffers }: Table, name: string): GPUBuffer {
  if (name === CONTEXT) return buffers.context as GPUBuffer;
  return name === HEADER ? buffers.header : buffers.get(name);
}

/** The contents by buffer: what the bytes hold behind their description, cut where the plan says. */
function contentsOf({ extras, size, items }: Description, plan: TablePlan, { body, bodyStart }: Unpacked<Description>) {
  const layout = HeaderLayout.of(plan.fields);
  const inTable = [{ name: HEADER, bytes: layout.bytes }, ...plan.buffers];
  let at = 0;
  const starts = new Map<string, number>();
  const next = (name: string, bytes: number): Uint8Array => {
    starts.set(name, bodyStart + at);
    at += bytes;
    return body.subarray(at - bytes, at);
  };
  const parts = new Map(inTable.map(({ name, bytes }) => [name, next(name, bytes)]));
  // Copies, because whoever reads them may want whole words.
  const beside = new Map(extras.map(({ name, bytes }) => [name, next(name, bytes).slice()]));
  const header = layout.read((parts.get(HEADER) as Uint8Array).slice().buffer);
  requireHeader(header, plan, size);
  if (size > items) throw new FormatError('the saved table has more keys than it was planned for');
  return { parts, header, starts, extras: beside as ReadonlyMap<string, Uint8Array<ArrayBuffer>> };
}

/** No build takes more attempts: a few at every size that a table may grow to. */
const MOST_ATTEMPTS = 255;

function requireHeader(header: HeaderValues, { capacitySlots, fields, soundness }: TablePlan, size: number): void {
  const { status, capacity, count, copies, attempts, longest, own, hash } = header;
  const isPlanned = capacity === capacitySlots && JSON.stringify(own) === JSON.stringify(fields);
  const isBuilt = status === 0 && attempts >= 1 && attempts <= MOST_ATTEMPTS && copies <= count && header.size === size;
  const isSound = longest <= (soundness?.longest ?? 0xffff_ffff) && (soundness?.hash?.(hash) ?? true);
  if (!isPlanned || !isBuilt || !isSound) {
    throw new FormatError('the header of the saved table contradicts its description');
  }
}
