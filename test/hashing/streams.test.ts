import { describe, expect, it } from 'vitest';
import { type HashConstants, type HashStream, mix, randomWords, universal } from '../../src/hashing/index.ts';
import { join, wgsl } from '../../src/wgsl/index.ts';
import { awkwardWords, evaluate } from '../evaluate.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

const random = randomWords(23);
const encoder = new TextEncoder();
const STREAMS = [mix, universal].map((family) => ({ name: family.name, family, stream: family.stream as HashStream }));

/** The hash of some bytes, taken in as words of four; the last one is filled up with zeros. */
function hashBytes(stream: HashStream, bytes: Uint8Array, constants: HashConstants): [number, number] {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  return stream.twin(bytes.length, new Uint32Array(padded.buffer), constants);
}

describe.each(STREAMS)('the stream of $name', ({ family, stream }) => {
  const members: readonly HashConstants[] = [
    [0, 0, 0, 0],
    [0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff],
    ...Array.from({ length: 4 }, () => family.draw(random)),
  ];

  it.each([0, 1, 2, 5])('hashes %i words like its twin, bit by bit', async (count) => {
    const words = [...awkwardWords, ...Array.from({ length: 60 }, random)];
    const inputs = words.map((word, i) => [
      // Any length: that it fits the number of words is the caller's business.
      word,
      ...Array.from({ length: count }, (_, k) => words[(i * (k + 3) + k) % words.length] as number),
    ]);
    const rows = members.flatMap((member) => inputs.map((input) => [...member, ...input]));
    const got = await evaluate(gpu, rows, (row) => {
      const constants = wgsl`vec4u(${join(row.slice(0, 4), ', ')})`;
      const absorbed = row.slice(5).map((word) => wgsl`state = ${stream.absorb}(state, ${word}, constants);`);
      return {
        statements: wgsl`let constants = ${constants};
  var state = ${stream.begin}(${row[4] as string}, constants);
  ${join(absorbed, '\n  ')}
  let hash = ${stream.end}(state, constants);`,
        results: ['hash.x', 'hash.y'],
      };
    });
    const expected = rows.map((row) =>
      stream.twin(row[4] as number, row.slice(5), row.slice(0, 4) as unknown as HashConstants),
    );
    expect(got).toEqual(expected);
  });

  it('gives 100,000 similar strings hashes that differ, and each lane as few equal words as chance does', () => {
    const constants = members[2] as HashConstants;
    const hashes = Array.from({ length: 100_000 }, (_, i) =>
      hashBytes(stream, encoder.encode(`https://example.org/item?id=${i}`), constants),
    );
    expect(new Set(hashes.map(([a, b]) => a * 2 ** 32 + b)).size).toBe(100_000);
    // 10¹⁰ / 2 pairs of 2³² words: 1.2 equal pairs expected.
    for (const lane of [0, 1] as const) {
      expect(new Set(hashes.map((hash) => hash[lane])).size).toBeGreaterThan(99_980);
    }
  });

  it('tells prefixes and zero-padded strings apart by their length', () => {
    for (const constants of members.slice(2)) {
      const zeros = Array.from({ length: 64 }, (_, length) => hashBytes(stream, new Uint8Array(length), constants));
      const text = encoder.encode('the same letters all the way to the end, and then some zeros');
      const prefixes = Array.from({ length: text.length }, (_, length) =>
        hashBytes(stream, text.subarray(0, length), constants),
      );
      for (const lane of [0, 1] as const) {
        expect(new Set(zeros.map((hash) => hash[lane])).size).toBe(64);
        expect(new Set(prefixes.map((hash) => hash[lane])).size).toBe(text.length);
      }
    }
  });

  it.each([1, 4, 13])('carries every bit of a string of %i bytes to every bit of both lanes', (length) => {
    const TRIALS = 400;
    for (let bit = 0; bit < 8 * length; bit++) {
      const flips = [new Uint32Array(32), new Uint32Array(32)];
      for (let trial = 0; trial < TRIALS; trial++) {
        const constants = family.draw(random);
        const bytes = Uint8Array.from({ length }, random);
        const before = hashBytes(stream, bytes, constants);
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
        const after = hashBytes(stream, bytes, constants);
        for (const [lane, counts] of flips.entries()) {
          const changed = (before[lane] as number) ^ (after[lane] as number);
          for (let out = 0; out < 32; out++) if ((changed >>> out) & 1) counts[out] = (counts[out] as number) + 1;
        }
      }
      // Six standard deviations of 400 tosses are 0.15; a bit that is carried badly is far off.
      for (const counts of flips) {
        for (const count of counts) expect(Math.abs(count / TRIALS - 0.5)).toBeLessThan(0.2);
      }
    }
  });

  it('gives other results for other constants', () => {
    const bytes = encoder.encode('one string');
    const results = members.map((constants) => hashBytes(stream, bytes, constants).join());
    expect(new Set(results).size).toBe(members.length);
  });
});
