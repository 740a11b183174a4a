/** Saved tables taken apart, and put together again with a checksum that is right, whatever they say. */
import { checksum } from '../../src/table/saved/checksum.wgsl.ts';

/** Magic, version and length of the description come first. */
const PREAMBLE_BYTES = 12;

/** A saved table in its parts. */
export interface Saved<Description = Record<string, unknown>> {
  readonly version: number;
  readonly description: Description;
  /** The header and all buffers. */
  readonly body: Uint8Array<ArrayBuffer>;
}

export function unpack<Description = Record<string, unknown>>(bytes: Uint8Array): Saved<Description> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const jsonEnd = PREAMBLE_BYTES + view.getUint32(8, true);
  const description = JSON.parse(new TextDecoder().decode(bytes.subarray(PREAMBLE_BYTES, jsonEnd)));
  return { version: view.getUint32(4, true), description, body: new Uint8Array(bytes.subarray(jsonEnd, -4)) };
}

/** A description that is a string is taken for JSON as it is. */
export function pack({ version, description, body }: Saved<unknown>): Uint8Array<ArrayBuffer> {
  const json = typeof description === 'string' ? description : JSON.stringify(description);
  const unpadded = new TextEncoder().encode(json);
  const text = new Uint8Array(Math.ceil(unpadded.length / 4) * 4).fill(' '.charCodeAt(0));
  text.set(unpadded);
  const bytes = new Uint8Array(PREAMBLE_BYTES + text.length + body.length + 4);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('HNST'));
  view.setUint32(4, version, true);
  view.setUint32(8, text.length, true);
  bytes.set(text, PREAMBLE_BYTES);
  bytes.set(body, PREAMBLE_BYTES + text.length);
  if (bytes.length % 4 === 0) view.setUint32(bytes.length - 4, checksum(bytes.subarray(0, -4), 0), true);
  return bytes;
}

/** A saved table as its description and the words of every part, the header first, all of which may be changed. */
export interface SavedParts {
  readonly version: number;
  readonly description: Record<string, unknown>;
  /** By name; a part that has another length than before is described by it. */
  readonly words: Map<string, Uint32Array>;
  /** Stands in place of the description, if it is there. */
  json?: string;
}

interface Spec {
  readonly name: string;
  readonly bytes: number;
}

const specsIn = (description: Record<string, unknown>): Spec[] => [
  ...(description.buffers as Spec[]),
  ...(description.extras as Spec[]),
];

/** Takes a table apart. What is left for the header is what no buffer takes. */
export function partsOf(bytes: Uint8Array): SavedParts {
  const { version, description, body } = unpack(bytes);
  const specs = specsIn(description);
  const headerBytes = body.length - specs.reduce((sum, spec) => sum + spec.bytes, 0);
  let at = 0;
  const words = new Map<string, Uint32Array>();
  for (const { name, bytes: length } of [{ name: 'header', bytes: headerBytes }, ...specs]) {
    words.set(name, new Uint32Array(body.slice(at, at + length).buffer));
    at += length;
  }
  return { version, description, words };
}

/** Puts it together again. Extras are described by the lengths that they have, unless somebody has described them otherwise. */
export function joined({ version, description, words, json }: SavedParts): Uint8Array<ArrayBuffer> {
  const extras = (description.extras as Spec[]).map((spec) => {
    const bytes = words.get(spec.name)?.byteLength ?? 0;
    return Math.abs(bytes - spec.bytes) < 4 ? spec : { ...spec, bytes };
  });
  const parts = [...words.values()].map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  const body = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return pack({ version, description: json ?? { ...description, extras }, body });
}
