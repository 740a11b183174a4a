/** Opening saved tables. Everything is checked before a buffer is made. */
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
import {
  HeaderLayout,
  type HeaderValues,
  type Scheme,
  type TablePlan,
  type ValueWords,
} from '../../schemes/contract/index.ts';
import { keptUnless, PlannedBuffers } from '../buffers.ts';
import { requireContextFits } from '../context.ts';
import { planTable } from '../plan.ts';
import { Table } from '../table.ts';
import { type ValueType, valueTypes } from '../values.ts';
import { type Description, type SavedKind, unpack } from './format.ts';
import { plainBytes } from './plainBytes.ts';
import { CONTEXT } from './save.ts';

/** Key types that saved tables may name; others are given by the caller. */
const KEYS = [u32, i32, f32, u64, i64, vec2i, vec3i, vec4i, byteStrings, utf8];

/** What is known of a saved collection before its table is made. */
export interface Opened {
  readonly key: KeyType;
  readonly value: ValueType | undefined;
  /** Distinct keys. */
  readonly size: number;
  /** Items that it was built from. */
  readonly count: number;
  /** What the collection has beside its table, by name. */
  readonly extras: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly details: Readonly<Record<string, string>>;
}

/** A saved collection whose table is open. */
export interface OpenedTable extends Opened {
  readonly table: Table;
  /** Destroys the table if the rest of the collection cannot be restored. */
  keptIf<T>(restored: Promise<T>): Promise<T>;
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
  /** Throws if what the collection has beside its table does not go with it. */
  readonly check?: (opened: Opened) => void;
}

/** Checks saved bytes and opens the table in them. */
export async function openSaved(gpu: Gpu, bytes: Uint8Array, request: OpenRequest): Promise<OpenedTable> {
  const { description, body } = unpack(plainBytes(bytes));
  requireReadable(description, request.kind);
  const { key, value, scheme, plan } = planOf(gpu, description, request);
  const { header, parts, extras } = contentsOf(description, plan, body);
  const opened: Opened = {
    key,
    value,
    size: description.size,
    count: header.count,
    extras,
    details: description.details,
  };
  request.check?.(opened);
  const savedContext = extras.get(CONTEXT);
  if (key.hasContext !== (savedContext !== undefined)) {
    throw new FormatError('the saved table lacks the bytes of its keys');
  }
  if (savedContext) requireContextFits(gpu, savedContext.length);

  const { valueWords, duplicates } = plan.request;
  const settings = { scheme, key, valueWords, duplicates, seed: description.seed };
  const { result: table, failure } = gpu.watched(() => {
    const buffers = new PlannedBuffers(gpu, scheme, plan);
    const context = savedContext && gpu.upload('context', savedContext);
    for (const [name, content] of parts) gpu.write(name === HEADER ? buffers.header : buffers.get(name), content);
    return Table.restore(gpu, settings, plan, { buffers, context, header });
  });
  const keptIf = <T>(restored: Promise<T>): Promise<T> =>
    restored.catch((error: unknown) => {
      table.destroy();
      throw error;
    });
  await keptUnless(gpu.guard(failure), table);
  return { ...opened, table, keptIf };
}

function requireReadable({ kind, hashVersion }: Description, wanted: SavedKind): void {
  if (kind !== wanted) throw new FormatError(`these bytes hold a ${kind}, not a ${wanted}`);
  if (hashVersion !== HASH_VERSION) {
    throw new FormatError(
      `the table was hashed by version ${hashVersion}, this library has ${HASH_VERSION}: build it again`,
    );
  }
}

/** The plan that the table was built by, made again from the description. */
function planOf(gpu: Gpu, description: Description, request: OpenRequest) {
  const { kind, items, growth, duplicates } = description;
  const key = named(request.key ? [request.key] : (KEYS as KeyType[]), description.key, 'key type');
  const withValues = description.value !== null || kind === 'map';
  const values: readonly ValueType[] = request.value ? [request.value] : Object.values(valueTypes);
  const value = withValues ? named(values, description.value ?? '', 'value type') : undefined;
  const scheme = schemeOf(description, request.scheme);
  // All but maps and sets keep ids in their table.
  const valueWords: ValueWords = kind === 'map' ? (value?.words ?? 1) : kind === 'set' ? 0 : 1;
  const plan = possible(() => planTable(scheme, { items, key, valueWords, duplicates, growth }, gpu.limits));
  const planned = { format: plan.format, buffers: plan.buffers.map(({ name, bytes }) => ({ name, bytes })) };
  const saved = { format: description.format, buffers: description.buffers };
  if (JSON.stringify(saved) !== JSON.stringify(planned)) {
    throw new FormatError('the saved buffers are not those of a table of this scheme and size');
  }
  return { key, value, scheme, plan };
}

/** The given scheme with the saved options. */
function schemeOf({ scheme: name, options }: Description, given: Scheme): Scheme {
  if (given.name !== name) {
    throw new FormatError(
      `the table was built by '${name}', not by '${given.name}': name it by the option { scheme: ${name}() }`,
    );
  }
  const madeWith = JSON.stringify(options);
  if (JSON.stringify(given.options) === madeWith) return given;
  const scheme = possible(() => given.withOptions(options));
  if (JSON.stringify(scheme.options) !== madeWith) {
    throw new FormatError(`the table was built by ${name} with ${madeWith}, which the given scheme cannot be`);
  }
  return scheme;
}

/** How the header is called among the parts. */
const HEADER = 'header';

/** The contents by buffer: what the bytes hold behind their description, cut where the plan says. */
function contentsOf({ extras, size, items }: Description, plan: TablePlan, body: Uint8Array) {
  const layout = HeaderLayout.of(plan.fields);
  const inTable = [{ name: HEADER, bytes: layout.bytes }, ...plan.buffers];
  const total = [...inTable, ...extras].reduce((sum, { bytes }) => sum + bytes, 0);
  if (total !== body.length) throw new FormatError(`the saved buffers have ${body.length} bytes instead of ${total}`);
  let at = 0;
  const next = (bytes: number): Uint8Array => {
    at += bytes;
    return body.subarray(at - bytes, at);
  };
  const parts = new Map(inTable.map(({ name, bytes }) => [name, next(bytes)]));
  // Copies, because whoever reads them may want whole words.
  const beside = new Map(extras.map(({ name, bytes }) => [name, next(bytes).slice()]));
  const header = layout.read((parts.get(HEADER) as Uint8Array).slice().buffer);
  requireHeader(header, plan, size);
  if (size > items) throw new FormatError('the saved table has more keys than it was planned for');
  return { parts, header, extras: beside as ReadonlyMap<string, Uint8Array<ArrayBuffer>> };
}

function requireHeader(header: HeaderValues, { capacitySlots, fields }: TablePlan, size: number): void {
  const { status, capacity, count, copies, own } = header;
  const isPlanned = capacity === capacitySlots && JSON.stringify(own) === JSON.stringify(fields);
  if (status !== 0 || !isPlanned || copies > count || header.size !== size) {
    throw new FormatError('the header of the saved table contradicts its description');
  }
}

function named<T extends { readonly name: string }>(known: readonly T[], name: string, what: string): T {
  const found = known.find((type) => type.name === name);
  if (!found) throw new FormatError(`the saved table has the ${what} '${name}', which this call does not know`);
  return found;
}

/** A plan or a scheme as the bytes describe it. If there is none, the bytes are wrong, unless the device is too small. */
function possible<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof HashnestError && cause.code === 'too-large') throw cause;
    throw new FormatError('the saved table describes a plan that cannot be', { cause });
  }
}
