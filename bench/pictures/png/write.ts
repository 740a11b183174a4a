import { crc32, deflateSync } from 'node:zlib';
import type { Picture } from '../canvas.ts';
import { FILTERS, type Filter, PREDICTIONS, SIGNATURE } from './format.ts';

const CHANNELS = 4;

/**
 * A picture as PNG, with eight bits for each of red, green, blue and alpha. Filters hardly make pictures like those of this folder
 * smaller, and take longer.
 */
export function writePng(picture: Picture, filter: Filter = 'none'): Buffer {
  const { width, height, pixels } = picture;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, red green blue alpha, deflate, the five filters, not interlaced.
  header.set([8, 6, 0, 0, 0], 8);
  const bytes = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  const rows = deflateSync(filtered(bytes, CHANNELS * width, height, filter));
  return Buffer.concat([
    Buffer.from(SIGNATURE),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function filtered(bytes: Uint8Array, rowBytes: number, height: number, filter: Filter): Uint8Array {
  const predict = PREDICTIONS[filter];
  const rows = new Uint8Array((rowBytes + 1) * height);
  let to = 0;
  for (let y = 0, from = 0; y < height; y++) {
    rows[to++] = FILTERS.indexOf(filter);
    if (filter === 'none') {
      rows.set(bytes.subarray(from, from + rowBytes), to);
      from += rowBytes;
      to += rowBytes;
      continue;
    }
    for (let x = 0; x < rowBytes; x++, from++) {
      const left = x < CHANNELS ? 0 : (bytes[from - CHANNELS] as number);
      const above = y === 0 ? 0 : (bytes[from - rowBytes] as number);
      const corner = x < CHANNELS || y === 0 ? 0 : (bytes[from - rowBytes - CHANNELS] as number);
      rows[to++] = (bytes[from] as number) - predict(left, above, corner);
    }
  }
  return rows;
}

/** Length, name, content, and a checksum of name and content. */
function chunk(name: string, content: Uint8Array): Buffer {
  const whole = Buffer.alloc(12 + content.length);
  whole.writeUInt32BE(content.length, 0);
  whole.write(name, 4, 'latin1');
  whole.set(content, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + content.length)), 8 + content.length);
  return whole;
}
