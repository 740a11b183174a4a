/**
 * Tables as bytes: magic and version, a JSON description, the header and the buffers as they lie on the GPU, and a
 * checksum over all of it. Everything is checked before a buffer is made.
 */
import { FormatError, type Gpu, HashnestError } from '../../gpu/index.ts';
import { HASH_VERSION } from '../../hashing/index.ts';
import {
  bytes as byteStrings,
  f32,
  i32,
  i64,
  type KeyType,
  u32,
  u64,
  utf8,
  vec2i,
  vec3i,
  vec4i,
} from '../../keys/index.ts';
import { HEADER_BYTES, readHeader } from '../../schemes/contract/header.wgsl.ts';
import {
  type BufferSpec,
  bufferOf,
  type Duplicates,
  type Scheme,
  type TablePlan,
  type ValueWords,
} from '../../schemes/contract/scheme.ts';
import { reviveScheme } from '../../schemes/registry.ts';
import { allocate, destroyBuffers } from '../buffers.ts';
import { hasContext, requireContextFits } from '../context.ts';
import { planTable } from '../plan.ts';
import { Table } from '../table.ts';
import { type ValueType, valueTypes } from '../values.ts';
import { crc32 } from './crc32.ts';

const MAGIC = 0x54534e48; // 'HNST', read as a little-endian word
const FORMAT_VERSION = 1;
/** Magic, version, and the length of the description. */
const PREAMBLE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** Key types that saved tables may name; others are given by the caller. */
const KEYS = [u32, i32, f32, u64, i64, vec2i, vec3i, vec4i, byteStrings, utf8];

/** The name of the bytes that keys point into. */
const CONTEXT = 'context';

/** What was saved. */
export type SavedKind = 'map' | 'set' | 'keyIndex' | 'multiMap';

/** What a collection has beside its table, by name. */
export type Extras<Content> = ReadonlyMap<string, Content>;

interface Description {
  readonly kind: SavedKind;
  readonly scheme: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly value: string | null;
  readonly duplicates: Duplicates;
  readonly hashVersion: number;
  readonly items: number;
  readonly size: number;
  readonly growth: number;
  readonly seed: number;
  readonly buffers: readonly BufferSpec[];
  /** Buffers of the collection, behind those of the table. */
  readonly extras?: readonly BufferSpec[];
  /** What else the collection has to know. */
  readonly details?: Readonly<Record<string, string>>;
}

/** What a collection adds to its table when it is saved. */
export interface SavedExtras {
  readonly buffers: Extras<{ readonly buffer: GPUBuffer; readonly bytes: number }>;
  readonly details: Readonly<Record<string, string>>;
}

/** Reads a table back and packs it. */
export async function saveTable(
  table: Table,
  kind: SavedKind,
  value: ValueType | undefined,
  extras?: SavedExtras,
): Promise<Uint8Array> {
  const { gpu, plan, settings, buffers, size, state } = table;
  const [, context] = buffers.context ?? [];
  const beside = [
    ...(extras?.buffers ?? []),
    ...(context ? ([[CONTEXT, { buffer: context, bytes: context.size }]] as const) : []),
  ];
  const description: Description = {
    kind,
    scheme: settings.scheme.name,
    options: settings.scheme.options,
    key: settings.key.name,
    value: value?.name ?? null,
    duplicates: settings.duplicates,
    hashVersion: HASH_VERSION,
    items: plan.items,
    size,
    growth: plan.growth,
    seed: state.report.seed,
    buffers: specsOf(plan),
    extras: beside.map(([name, { bytes }]) => ({ name, bytes })),
    ...(extras && { details: extras.details }),
  };
  const parts = await gpu.run(() => {}, [
    { buffer: buffers.header, bytes: HEADER_BYTES },
    ...plan.table.map(({ name, bytes }) => ({ buffer: bufferOf(buffers, name), bytes })),
    ...beside.map(([, part]) => part),
  ]);
  const json = new TextEncoder().encode(JSON.stringify(description));
  const length = PREAMBLE_BYTES + json.length + parts.reduce((sum, part) => sum + part.byteLength, 0) + CHECKSUM_BYTES;
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, FORMAT_VERSION, true);
  view.setUint32(8, json.length, true);
  bytes.set(json, PREAMBLE_BYTES);
  let at = PREAMBLE_BYTES + json.length;
  for (const part of parts) {
    bytes.set(new Uint8Array(part), at);
    at += part.byteLength;
  }
  view.setUint32(at, crc32(bytes.subarray(0, at)), true);
  return bytes;
}

/** Checks saved bytes and opens the table in them. */
export async function openSaved(
  gpu: Gpu,
  bytes: Uint8Array,
  kind: SavedKind,
  options: { readonly key?: KeyType<never> | KeyType; readonly scheme?: Scheme<never> },
  /** Throws if what the collection has beside its table does not go with it. */
  check: (opened: Opened) => void = () => {},
): Promise<OpenedTable> {
  const { description, body } = unpack(bytes);
  if (description.kind !== kind) throw new FormatError(`these bytes hold a ${description.kind}, not a ${kind}`);
  if (description.hashVersion !== HASH_VERSION) {
    throw new FormatError(
      `the table was hashed by version ${description.hashVersion}, this library has ${HASH_VERSION}: build it again`,
    );
  }
  const key = named((options.key ? [options.key] : KEYS) as KeyType[], description.key, 'key type');
  const withValues = description.value !== null || kind === 'map';
  const value = withValues ? named(Object.values(valueTypes), description.value ?? '', 'value type') : undefined;
  const scheme = (options.scheme as Scheme | undefined) ?? reviveScheme(description.scheme, description.options);
  if (scheme.name !== description.scheme) {
    throw new FormatError(`the table was built by '${description.scheme}', not by '${scheme.name}'`);
  }
  const madeWith = JSON.stringify(description.options);
  if (JSON.stringify(scheme.options) !== madeWith) throw new FormatError(`the table was built with ${madeWith}`);

  const { items, growth, duplicates, seed } = description;
  // All but maps and sets keep ids in their table.
  const valueWords: ValueWords = kind === 'map' ? (value?.words ?? 1) : kind === 'set' ? 0 : 1;
  const plan = planned(() => planTable(scheme, { items, key, valueWords, duplicates, growth }, gpu.limits));
  if (JSON.stringify(description.buffers) !== JSON.stringify(specsOf(plan))) {
    throw new FormatError('the saved buffers are not those of a table of this scheme and size');
  }
  const beside = description.extras ?? [];
  const tableEnd = plan.table.reduce((sum, { bytes }) => sum + bytes, HEADER_BYTES);
  const total = beside.reduce((sum, { bytes }) => sum + bytes, tableEnd);
  if (total !== body.length) throw new FormatError(`the saved buffers have ${body.length} bytes instead of ${total}`);
  const header = body.slice(0, HEADER_BYTES).buffer;
  const { status, capacity, count, copies } = readHeader(header);
  if (status !== 0 || capacity !== plan.capacitySlots || copies > count || count - copies !== description.size) {
    throw new FormatError('the header of the saved table contradicts its description');
  }
  if (description.size > items) throw new FormatError('the saved table has more keys than it was planned for');
  let extraAt = tableEnd;
  const extras = new Map(
    beside.map(({ name, bytes }) => {
      extraAt += bytes;
      return [name, body.slice(extraAt - bytes, extraAt)] as const;
    }),
  );
  const opened: Opened = { key, value, size: description.size, count, extras, details: description.details ?? {} };
  check(opened);
  const savedContext = extras.get(CONTEXT);
  if (hasContext(key) !== (savedContext !== undefined))
    throw new FormatError('the saved table lacks the bytes of its keys');

  if (savedContext) requireContextFits(gpu, savedContext.length);
  const buffers = await allocate(gpu, scheme, plan);
  let context: GPUBuffer | undefined;
  const filled = gpu.checked(() => {
    let at = 0;
    context = savedContext && gpu.upload('context', savedContext);
    for (const spec of [{ name: 'header', bytes: HEADER_BYTES }, ...plan.table]) {
      gpu.write(bufferOf(buffers, spec.name), body.subarray(at, at + spec.bytes));
      at += spec.bytes;
    }
  });
  await filled.catch((error: unknown) => {
    destroyBuffers(buffers);
    context?.destroy();
    throw error;
  });
  const settings = { scheme, key, valueWords, duplicates, seed };
  const table = Table.restore(gpu, settings, plan, buffers, header, context);
  const keptIf = <T>(restored: Promise<T>): Promise<T> =>
    restored.catch((error: unknown) => {
      table.destroy();
      throw error;
    });
  return { ...opened, table, keptIf };
}

/** A saved collection whose table is open. */
export interface OpenedTable extends Opened {
  readonly table: Table;
  /** Destroys the table if the rest of the collection cannot be restored. */
  keptIf<T>(restored: Promise<T>): Promise<T>;
}

/** What is known of a saved collection before its table is made. */
export interface Opened {
  readonly key: KeyType;
  readonly value: ValueType | undefined;
  /** Distinct keys. */
  readonly size: number;
  /** Items that it was built from. */
  readonly count: number;
  readonly extras: Extras<Uint8Array<ArrayBuffer>>;
  readonly details: Readonly<Record<string, string>>;
}

function unpack(bytes: Uint8Array): { description: Description; body: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < PREAMBLE_BYTES + CHECKSUM_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new FormatError('these bytes are not a saved Hashnest table');
  }
  const version = view.getUint32(4, true);
  if (version !== FORMAT_VERSION) {
    throw new FormatError(`the table was saved in format ${version}; this library reads ${FORMAT_VERSION}`);
  }
  const end = bytes.length - CHECKSUM_BYTES;
  const jsonEnd = PREAMBLE_BYTES + view.getUint32(8, true);
  if (jsonEnd > end || crc32(bytes.subarray(0, end)) !== view.getUint32(end, true)) {
    throw new FormatError('the saved table is damaged or cut off: its checksum does not match');
  }
  try {
    const description: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(PREAMBLE_BYTES, jsonEnd)));
    if (!isDescription(description)) throw new TypeError('a field is missing or of another type');
    return { description, body: bytes.subarray(jsonEnd, end) };
  } catch (cause) {
    throw new FormatError('the description of the saved table is not readable', { cause });
  }
}

function isDescription(value: unknown): value is Description {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, scheme, options, key, duplicates, hashVersion, items, size, growth, seed } = value as Description;
  const { extras = [], details = {} } = value as Description;
  return (
    Array.isArray(extras) &&
    extras.every(({ name, bytes }) => typeof name === 'string' && Number.isSafeInteger(bytes) && bytes >= 0) &&
    typeof details === 'object' &&
    [kind, scheme, key, duplicates].every((field) => typeof field === 'string') &&
    [hashVersion, items, size, growth, seed].every((field) => Number.isSafeInteger(field) && field >= 0) &&
    typeof options === 'object' &&
    options !== null
  );
}

const specsOf = (plan: TablePlan): readonly BufferSpec[] => plan.table.map(({ name, bytes }) => ({ name, bytes }));

function named<T extends { readonly name: string }>(known: readonly T[], name: string, what: string): T {
  const found = known.find((type) => type.name === name);
  if (!found) throw new FormatError(`the saved table has the ${what} '${name}', which this call does not know`);
  return found;
}

/** A plan that cannot be made from what the bytes say is the bytes' fault, unless it is the device's. */
function planned<T>(plan: () => T): T {
  try {
    return plan();
  } catch (cause) {
    if (cause instanceof HashnestError && cause.code === 'too-large') throw cause;
    throw new FormatError('the saved table describes a plan that cannot be', { cause });
  }
}
