import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packStrings } from '../../src/keys/packStrings.ts';

const encoder = new TextEncoder();

/** What one string after the other gives. */
function expected(strings: readonly string[]) {
  const bytes = strings.map((string) => encoder.encode(string));
  let used = 0;
  const words = bytes.flatMap(({ length }) => {
    used += length;
    return [used - length, length];
  });
  return { count: strings.length, words, bytes: bytes.flatMap((one) => [...one]) };
}

function packed(strings: readonly string[]) {
  const { count, words, context } = packStrings(strings);
  return { count, words: [...words], bytes: (context ?? []).flatMap((piece) => [...piece]) };
}

describe('strings, packed', () => {
  it.each([
    ['none', []],
    ['empty ones', ['', '', '']],
    ['ASCII to its ends', ['\0', '\x7f', 'plain']],
    ['the first that is not ASCII', ['\x80', 'a\x80', '\x80a', 'ÿ']],
    ['two, three and four bytes', ['ä', '€', '𝄞', 'a€', 'aä€𝄞z']],
    // There is room for as many bytes as units at first.
    ['more bytes than units, then ASCII', ['€€€€€€€€', 'plain', '', 'again']],
    ['ASCII, then more bytes than units', ['x'.repeat(5000), '€'.repeat(3000), 'end']],
  ])('%s', (_, strings) => {
    expect(packed(strings)).toEqual(expected(strings));
  });

  it.each([127, 128, 129, 300])('of which one is not ASCII, wherever it is, of %i', (count) => {
    const plain = Array.from({ length: count }, (_, i) => `name ${i}`);
    expect(packed(plain)).toEqual(expected(plain));
    for (const at of [0, 1, 126, 127, 128, 255, 256, count - 1]) {
      const strings = plain.map((string, i) => (i === at ? `€${string}𝄞` : string));
      expect(packed(strings)).toEqual(expected(strings));
    }
  });

  it('are those of TextEncoder, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string())), (strings) => {
        expect(packed(strings)).toEqual(expected(strings));
      }),
    );
  });

  it.each(['\ud800', 'plain \udfff', '\udc00\ud800', 'a\ud834'])('refuses half a character (%j)', (string) => {
    expect(() => packStrings(['fine', string])).toThrow(/half a surrogate pair/);
  });

  it('refuses two halves of a character in two strings, though they would make one', () => {
    expect(() => packStrings(['a\ud834', '\udd1eb'])).toThrow(/half a surrogate pair/);
  });
});
