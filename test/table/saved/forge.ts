/** Saved tables taken apart, and put together again with a checksum that is right, whatever they say. */
import { crc32 } from '../../../src/table/saved/crc32.ts';

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
  const text = new TextEncoder().encode(json);
  const bytes = new Uint8Array(PREAMBLE_BYTES + text.length + body.length + 4);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('HNST'));
  view.setUint32(4, version, true);
  view.setUint32(8, text.length, true);
  bytes.set(text, PREAMBLE_BYTES);
  bytes.set(body, PREAMBLE_BYTES + text.length);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)), true);
  return bytes;
}
