import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { record } from '../../../src/gpu/index.ts';
import { checksum, recordChecksum, sumOf } from '../../../src/table/saved/checksum.wgsl.ts';
import { sharedGpu } from '../../sharedGpu.ts';

const gpu = await sharedGpu();

const bytesOf = (words: Uint32Array): Uint8Array<ArrayBuffer> => new Uint8Array(words.slice().buffer);

/** The sum as kernels find it. */
async function onGpu(words: Uint32Array, firstWord: number): Promise<number> {
  const buffer = gpu.upload('test', words);
  const sum = gpu.createBuffer('test', 4);
  const part = { buffer, bytes: words.byteLength, firstWord };
  const [found] = await gpu.run(
    (encoder) => record(gpu, encoder, 'test', (recorder) => recordChecksum(recorder, [part], sum)),
    [{ buffer: sum, bytes: 4 }],
  );
  for (const made of [buffer, sum]) made.destroy();
  return new Uint32Array(found as ArrayBuffer)[0] as number;
}

describe('the checksum of saved tables', () => {
  it.each([0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 65_537])(
    'is the same on the GPU, for %i words',
    async (length) => {
      const words = Uint32Array.from({ length }, (_, i) => Math.imul(i + 1, 0x9e37_79b9) ^ (i << 7));
      for (const firstWord of [0, 5, 0xffff_fff0]) {
        expect(await onGpu(words, firstWord), `from ${firstWord} on`).toBe(checksum(bytesOf(words), firstWord));
      }
    },
  );

  it('does not change from one version to the next', () => {
    const words = Uint32Array.from({ length: 100 }, (_, i) => i * i);
    expect(checksum(bytesOf(words), 3).toString(16)).toMatchInlineSnapshot(`"14cc22ab"`);
  });

  it('is that of the parts together, and reads from anywhere in memory', () => {
    fc.assert(
      fc.property(fc.uint32Array({ maxLength: 50 }), fc.nat(50), fc.nat(3), (words, cut, shift) => {
        const bytes = bytesOf(words);
        const at = Math.min(cut, words.length) * 4;
        const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
        const shifted = new Uint8Array(bytes.length + shift);
        shifted.set(bytes, shift);
        const whole = checksum(bytes, 7);
        expect(sumOf(checksum(head, 7), checksum(tail, 7 + at / 4))).toBe(whole);
        expect(checksum(shifted.subarray(shift), 7)).toBe(whole);
        expect(checksum(Buffer.from(shifted.buffer, shift), 7)).toBe(whole);
      }),
    );
  });

  it('finds every word that was altered, and words that have changed places', () => {
    fc.assert(
      fc.property(
        fc.uint32Array({ minLength: 2, maxLength: 40 }),
        fc.nat(1000),
        fc.integer({ min: 1, max: 0xffff_ffff }),
        (words, place, change) => {
          const before = checksum(bytesOf(words), 0);
          const at = place % words.length;
          const altered = words.slice();
          altered[at] = (altered[at] as number) ^ change;
          expect(checksum(bytesOf(altered), 0)).not.toBe(before);
          const swapped = words.slice();
          const next = (at + 1) % words.length;
          [swapped[at], swapped[next]] = [words[next] as number, words[at] as number];
          if (words[at] !== words[next]) expect(checksum(bytesOf(swapped), 0)).not.toBe(before);
        },
      ),
    );
  });
});
