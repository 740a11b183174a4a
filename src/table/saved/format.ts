/**
 * Tables as bytes: magic and version, a JSON description, the header and the buffers as they lie on the GPU, and a
 * checksum over all of it.
 */
import { FormatError } from '../../gpu/index.ts';
import type { BufferSpec, Duplicates } from '../../schemes/contract/index.ts';
import { crc32 } from './crc32.ts';

const MAGIC = 0x54534e48; // 'HNST', read as a little-endian word
const FORMAT_VERSION = 2;
/** Magic, version, and the length of the description. */
const PREAMBLE_BYTES = 12;
const CHECKSUM_BYTES = 4;

/** What was saved. */
export type SavedKind = 'map' | 'set' | 'keyIndex' | 'multiMap';

/** What the bytes say of the table in them. */
export interface Description {
  readonly kind: SavedKind;
  readonly scheme: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** The format of the table. */
  readonly format: string;
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
  readonly extras: readonly BufferSpec[];
  /** What else the collection has to know. */
  readonly details: Readonly<Record<string, string>>;
}

/** Joins a description and the contents of the header and all buffers. */
export function pack(description: Description, parts: readonly ArrayBuffer[]): Uint8Array<ArrayBuffer> {
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

/** The description, and the contents behind it. */
export function unpack(bytes: Uint8Array): { readonly description: Description; readonly body: Uint8Array } {
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

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isSpec = (spec: unknown): boolean =>
  isObject(spec) &&
  'name' in spec &&
  typeof spec.name === 'string' &&
  'bytes' in spec &&
  Number.isSafeInteger(spec.bytes) &&
  (spec.bytes as number) >= 0;

function isDescription(value: unknown): value is Description {
  if (!isObject(value)) return false;
  const { kind, scheme, options, format, key, value: valueName, duplicates } = value as Description;
  const { hashVersion, items, size, growth, seed, buffers, extras, details } = value as Description;
  return (
    [buffers, extras].every((specs) => Array.isArray(specs) && specs.every(isSpec)) &&
    [options, details].every(isObject) &&
    [kind, scheme, format, key, duplicates].every((field) => typeof field === 'string') &&
    (valueName === null || typeof valueName === 'string') &&
    [hashVersion, items, size, growth, seed].every((field) => Number.isSafeInteger(field) && field >= 0)
  );
}
