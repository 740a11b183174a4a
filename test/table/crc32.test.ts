import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/table/saved/crc32.ts';

const ascii = (text: string) => new TextEncoder().encode(text);

describe('crc32', () => {
  it.each([
    ['', 0x0000_0000],
    ['a', 0xe8b7_be43],
    ['abc', 0x3524_41c2],
    ['123456789', 0xcbf4_3926],
    ['The quick brown fox jumps over the lazy dog', 0x414f_a339],
  ])("of '%s' is the published value", (text, expected) => {
    expect(crc32(ascii(text))).toBe(expected);
  });

  it('of bytes of every length and start is that of the plain algorithm', () => {
    const bytes = Uint8Array.from({ length: 64 }, (_, i) => (i * 151 + 7) & 0xff);
    for (let start = 0; start < 5; start++) {
      for (let end = start; end < bytes.length; end++) {
        const part = bytes.subarray(start, end);
        expect(crc32(part)).toBe(slowCrc32(part));
      }
    }
    expect(crc32(new Uint8Array(1000).fill(0xff))).toBe(slowCrc32(new Uint8Array(1000).fill(0xff)));
  });

  it('changes with every altered bit', () => {
    const bytes = ascii('some bytes of a table');
    const before = crc32(bytes);
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const altered = bytes.slice();
      altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(crc32(altered)).not.toBe(before);
    }
  });
});

/** Bit by bit, as the standard defines it. */
function slowCrc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
