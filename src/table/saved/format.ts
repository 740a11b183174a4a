/**
 * Tables as bytes: magic and version, a JSON description that is filled up to whole words, the header and the buffers as they
 * lie on the GPU, and a checksum over all of it.
 */
import { FormatError, InvalidInputError } from '../../gpu/index.ts';
import type { BufferSpec, Duplicates, Scheme } from '../../schemes/contract/index.ts';
import { WORD_BYTES } from '../../wgsl/index.ts';
import { checksum, sumOf } from './checksum.wgsl.ts';

const MAGIC = 0x54534e48; // 'HNST', read as a little-endian word
const FORMAT_VERSION = 3;
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

/** A file whose description is written, and whose parts are not. */
export interface Frame {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each part begins. */
  readonly starts: readonly number[];
  /** Writes the checksum, given that of all parts together. */
  seal(parts: number): Uint8Array<ArrayBuffer>;
}

/** A file for a description, as JSON, and parts of so many bytes, all of them whole words. */
export function frameOf(description: object, partBytes: readonly number[]): Frame {
  const text = JSON.stringify(description);
  const unpadded = new TextEncoder().encode(text).length;
  const json = new TextEncoder().encode(text + ' '.repeat(3 - ((unpadded + 3) % 4)));
  if (json.length > MOST_DESCRIPTION_BYTES) {
    throw new InvalidInputError(
      `what describes the table takes ${json.length} bytes of the ${MOST_DESCRIPTION_BYTES} that a file may have for it: shorten options or names`,
    );
  }
  let end = PREAMBLE_BYTES + json.length;
  const starts = partBytes.map((length) => {
    const start = end;
    end += length;
    return start;
  });
  const bytes = new Uint8Array(end + CHECKSUM_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, FORMAT_VERSION, true);
  view.setUint32(8, json.length, true);
  bytes.set(json, PREAMBLE_BYTES);
  const seal = (parts: number) => {
    const head = checksum(bytes.subarray(0, PREAMBLE_BYTES + json.length), 0);
    view.setUint32(end, sumOf(head, parts), true);
    return bytes;
  };
  return { bytes, starts, seal };
}

/** Joins a description and the contents of all parts. */
export function pack(description: object, parts: readonly ArrayBuffer[]): Uint8Array<ArrayBuffer> {
  const { bytes, starts, seal } = frameOf(
    description,
    parts.map(({ byteLength }) => byteLength),
  );
  for (const [i, part] of parts.entries()) bytes.set(new Uint8Array(part), starts[i]);
  const [first = 0] = starts;
  return seal(checksum(bytes.subarray(first, -CHECKSUM_BYTES), first / WORD_BYTES));
}

/** A file that was opened. */
export interface Unpacked<T> {
  /** As it was made from JSON that anybody may have written. */
  readonly description: T;
  /** The contents behind it, and where they begin. */
  readonly body: Uint8Array;
  readonly bodyStart: number;
  /** What the checksum of the contents has to be. */
  readonly checksum: number;
}

/** Opens a file whose contents are not looked at: whoever does has to compare their checksum. */
export function unpackUnsummed<T = Description>(
  bytes: Uint8Array,
  read: (json: object) => T = descriptionOf as (json: object) => T,
): Unpacked<T> {
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
  if (jsonEnd > end || jsonEnd % 4 !== 0 || end % 4 !== 0) throw damaged();
  if (jsonEnd - PREAMBLE_BYTES > MOST_DESCRIPTION_BYTES) {
    throw new FormatError(`the description of the saved table has more than ${MOST_DESCRIPTION_BYTES} bytes`);
  }
  const head = checksum(bytes.subarray(0, jsonEnd), 0);
  const rest = { body: bytes.subarray(jsonEnd, end), bodyStart: jsonEnd };
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(PREAMBLE_BYTES, jsonEnd)));
    if (!isObject(json)) throw new TypeError('it is no object');
    return { ...rest, description: read(json), checksum: (view.getUint32(end, true) - head) >>> 0 };
  } catch (cause) {
    throw new FormatError(`the description of the saved table is not readable: ${(cause as Error).message}`, { cause });
  }
}

/** Opens a file whose checksum is right. */
export function unpack<T>(bytes: Uint8Array, read: (json: object) => T): Unpacked<T> {
  const unpacked = unpackUnsummed(bytes, read);
  requireSum(unpacked, checksum(unpacked.body, unpacked.bodyStart / WORD_BYTES));
  return unpacked;
}

/** Throws unless the contents have the checksum that they had when they were saved. */
export function requireSum(expected: Pick<Unpacked<unknown>, 'checksum'>, found: number): void {
  if (found !== expected.checksum) throw damaged();
}

const damaged = (): FormatError =>
  new FormatError('the saved table is damaged or cut off: its checksum does not match');

/** A field, if it is what it should be. */
export function field<T>(json: object, name: string, is: (value: unknown) => value is T): T {
  const value = (json as Readonly<Record<string, unknown>>)[name];
  if (is(value)) return value;
  throw new TypeError(`the field '${name}' is missing, or not what it should be`);
}

export const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether it is one of those kinds; others are opened by other calls. */
export const isKindIn =
  <Kind extends string>(kinds: readonly Kind[]) =>
  (value: unknown): value is Kind => {
    if (kinds.includes(value as Kind)) return true;
    throw new TypeError(`it is that of a ${String(value).slice(0, 40)}`);
  };

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
    return isText(name) && Number.isSafeInteger(bytes) && bytes >= 0 && bytes % 4 === 0;
  });

/** What the JSON says, and nothing else that it may have: from here on it is what its type says. */
function descriptionOf(json: object): Description {
  const specs = (name: 'buffers' | 'extras') =>
    field(json, name, areSpecs).map(({ name, bytes }): BufferSpec => ({ name, bytes }));
  return {
    kind: field(json, 'kind', isKindIn(KINDS)),
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

/** Throws for a description that nobody could open again: its scheme and its key type may be somebody's own. */
export function requireReadable(description: Description): void {
  try {
    descriptionOf(JSON.parse(JSON.stringify(description)));
  } catch (cause) {
    throw new InvalidInputError(
      `a table of this scheme and key type could not be opened again: ${(cause as Error).message}. Both need a name, and options of schemes are strings, finite numbers and booleans`,
      { cause },
    );
  }
}
