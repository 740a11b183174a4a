/**
 * Tables as bytes: magic and version, a JSON description, the header and the buffers as they lie on the GPU, and a
 * checksum over all of it.
 */
import { FormatError } from '../../gpu/index.ts';
import type { BufferSpec, Duplicates, Scheme } from '../../schemes/contract/index.ts';
import { crc32 } from './crc32.ts';

const MAGIC = 0x54534e48; // 'HNST', read as a little-endian word
const FORMAT_VERSION = 2;
/** Magic, version, and the length of the description. */
const PREAMBLE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** No table of the library has a tenth of it; a reader of JSON takes many times what it reads. */
const MOST_DESCRIPTION_BYTES = 2 ** 16;

const KINDS = ['map', 'set', 'keyIndex', 'multiMap'] as const;

/** What was saved. */
export type SavedKind = (typeof KINDS)[number];

/** What the bytes say of the table in them. */
export interface Description {
  readonly kind: SavedKind;
  readonly scheme: string;
  readonly options: Scheme['options'];
  /** The format of the table. */
  readonly format: string;
  readonly key: string;
  readonly value: string | null;
  readonly duplicates: Duplicates;
  readonly hashVersion: number;
  readonly items: number;
  readonly size: number;
  readonly growth: number;
  /** The seed that was given when it was built. */
  readonly seed: number | null;
  readonly buffers: readonly BufferSpec[];
  /** Buffers of the collection, behind those of the table. */
  readonly extras: readonly BufferSpec[];
  /** What else the collection has to know. */
  readonly details: Readonly<Record<string, string>>;
}

/** Joins a description, as JSON, and the contents of all buffers. */
export function pack(description: object, parts: readonly ArrayBuffer[]): Uint8Array<ArrayBuffer> {
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

/** The description, as `read` makes it from JSON that anybody may have written, and the contents behind it. */
export function unpack<T = Description>(
  bytes: Uint8Array,
  read: (json: object) => T = descriptionOf as (json: object) => T,
): { readonly description: T; readonly body: Uint8Array } {
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
  if (jsonEnd - PREAMBLE_BYTES > MOST_DESCRIPTION_BYTES) {
    throw new FormatError(`the description of the saved table has more than ${MOST_DESCRIPTION_BYTES} bytes`);
  }
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(PREAMBLE_BYTES, jsonEnd)));
    if (!isObject(json)) throw new TypeError('it is no object');
    return { description: read(json), body: bytes.subarray(jsonEnd, end) };
  } catch (cause) {
    throw new FormatError(`the description of the saved table is not readable: ${(cause as Error).message}`, { cause });
  }
}

/** A field, if it is what it should be. */
export function field<T>(json: object, name: string, is: (value: unknown) => value is T): T {
  const value = (json as Readonly<Record<string, unknown>>)[name];
  if (is(value)) return value;
  throw new TypeError(`the field '${name}' is missing, or not what it should be`);
}

export const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether it is a table that was saved; those that live are saved as entries, and are opened by another call. */
function isKind(value: unknown): value is SavedKind {
  if (KINDS.includes(value as SavedKind)) return true;
  throw new TypeError(`it is that of a ${String(value).slice(0, 40)}`);
}

/** Numbers of items and keys are words on the GPU. */
export const isWord = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;

/** Whether it is an object whose members are all of one kind: nothing in it is deeper than that. */
const isRecordOf =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is Readonly<Record<string, T>> =>
    isObject(value) && !Array.isArray(value) && Object.values(value).every(is);

const isOption = (value: unknown): value is Scheme['options'][string] =>
  isText(value) || Number.isFinite(value) || typeof value === 'boolean';

const areSpecs = (value: unknown): value is BufferSpec[] =>
  Array.isArray(value) &&
  value.every((spec: unknown) => {
    const { name, bytes } = { ...(spec as BufferSpec) };
    return isText(name) && Number.isSafeInteger(bytes) && bytes >= 0;
  });

/** What the JSON says, and nothing else that it may have: from here on it is what its type says. */
function descriptionOf(json: object): Description {
  const specs = (name: 'buffers' | 'extras') =>
    field(json, name, areSpecs).map(({ name, bytes }): BufferSpec => ({ name, bytes }));
  return {
    kind: field(json, 'kind', isKind),
    scheme: field(json, 'scheme', isText),
    options: field(json, 'options', isRecordOf(isOption)),
    format: field(json, 'format', isText),
    key: field(json, 'key', isText),
    value: field(json, 'value', (value) => value === null || isText(value)),
    duplicates: field(json, 'duplicates', isText) as Duplicates,
    hashVersion: field(json, 'hashVersion', isWord),
    items: field(json, 'items', isWord),
    size: field(json, 'size', isWord),
    growth: field(json, 'growth', isWord),
    seed: field(json, 'seed', (seed) => seed === null || isWord(seed)),
    buffers: specs('buffers'),
    extras: specs('extras'),
    details: field(json, 'details', isRecordOf(isText)),
  };
}
