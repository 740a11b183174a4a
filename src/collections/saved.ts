/**
 * Tables as bytes: magic and version, a JSON description, the header and the buffers as they lie on the GPU, and a
 * checksum over all of it. Everything is checked before a buffer is made.
 */
import { FormatError, type Gpu, HashnestError } from '../gpu/index.ts';
import { HASH_VERSION } from '../hashing/index.ts';
import { type KeyType, u32, u64 } from '../keys/index.ts';
import { HEADER_BYTES, readHeader } from '../schemes/header.ts';
import { reviveScheme } from '../schemes/registry.ts';
import { bufferOf, type Duplicates, type Scheme, type TablePlan, type ValueWords } from '../schemes/scheme.ts';
import { crc32 } from './crc32.ts';
import { planTable } from './plan.ts';
import { allocate, Table } from './table.ts';
import { type ValueType, valueTypes } from './values.ts';

const MAGIC = 0x54534e48; // 'HNST', read as a little-endian word
const FORMAT_VERSION = 1;
/** Magic, version, and the length of the description. */
const PREAMBLE_BYTES = 12;
const CHECKSUM_BYTES = 4;

interface Description {
  readonly kind: 'map' | 'set';
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
  readonly buffers: readonly { readonly name: string; readonly bytes: number }[];
}

/** Reads a table back and packs it. */
export async function saveTable(table: Table, kind: 'map' | 'set', value: ValueType | undefined): Promise<Uint8Array> {
  const { gpu, plan, settings, buffers, size, state } = table;
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
  };
  const parts = await gpu.run(() => {}, [
    { buffer: buffers.header, bytes: HEADER_BYTES },
    ...plan.table.map(({ name, bytes }) => ({ buffer: bufferOf(buffers, name), bytes })),
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
  kind: 'map' | 'set',
  options: { readonly key?: KeyType<never> | KeyType; readonly scheme?: Scheme },
): Promise<{ table: Table; value: ValueType | undefined }> {
  const { description, body } = unpack(bytes);
  if (description.kind !== kind) throw new FormatError(`these bytes hold a ${description.kind}, not a ${kind}`);
  if (description.hashVersion !== HASH_VERSION) {
    throw new FormatError(
      `the table was hashed by version ${description.hashVersion}, this library has ${HASH_VERSION}: build it again`,
    );
  }
  const key = named((options.key ? [options.key] : [u32, u64]) as KeyType[], description.key, 'key type');
  const value = kind === 'map' ? named(Object.values(valueTypes), description.value ?? '', 'value type') : undefined;
  const scheme = options.scheme ?? reviveScheme(description.scheme, description.options);
  if (scheme.name !== description.scheme) {
    throw new FormatError(`the table was built by '${description.scheme}', not by '${scheme.name}'`);
  }
  const madeWith = JSON.stringify(description.options);
  if (JSON.stringify(scheme.options) !== madeWith) throw new FormatError(`the table was built with ${madeWith}`);

  const { items, growth, duplicates, seed } = description;
  const valueWords = (value?.words ?? 0) as ValueWords;
  const plan = planned(() => planTable(scheme, { items, key, valueWords, duplicates, growth }, gpu.limits));
  if (JSON.stringify(description.buffers) !== JSON.stringify(specsOf(plan))) {
    throw new FormatError('the saved buffers are not those of a table of this scheme and size');
  }
  const total = plan.table.reduce((sum, { bytes }) => sum + bytes, HEADER_BYTES);
  if (total !== body.length) throw new FormatError(`the saved buffers have ${body.length} bytes instead of ${total}`);
  const header = body.slice(0, HEADER_BYTES).buffer;
  const { status, capacity, count, copies } = readHeader(header);
  if (status !== 0 || capacity !== plan.capacitySlots || count > items || count - copies !== description.size) {
    throw new FormatError('the header of the saved table contradicts its description');
  }

  const buffers = await allocate(gpu, scheme, plan);
  await gpu.checked(() => {
    let at = 0;
    for (const spec of [{ name: 'header', bytes: HEADER_BYTES }, ...plan.table]) {
      // A copy: a part of the caller's bytes need not begin at a whole word.
      const part = body.slice(at, at + spec.bytes);
      gpu.device.queue.writeBuffer(bufferOf(buffers, spec.name), 0, part);
      at += spec.bytes;
    }
  });
  return { table: Table.restore(gpu, { scheme, key, valueWords, duplicates, seed }, plan, buffers, header), value };
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
  return (
    [kind, scheme, key, duplicates].every((field) => typeof field === 'string') &&
    [hashVersion, items, size, growth, seed].every((field) => Number.isSafeInteger(field) && field >= 0) &&
    typeof options === 'object' &&
    options !== null
  );
}

const specsOf = (plan: TablePlan): Description['buffers'] => plan.table.map(({ name, bytes }) => ({ name, bytes }));

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
