import { describe, expect, it } from 'vitest';
import { record } from '../../src/gpu/index.ts';
import { allOnes, fromWords, wordAt, wordsOf, wordsType } from '../../src/keys/index.ts';
import { kernel, storage, wgsl } from '../../src/wgsl/index.ts';
import { evaluate } from '../evaluate.ts';
import { sharedGpu } from '../sharedGpu.ts';

const gpu = await sharedGpu();

describe.each([1, 2, 3, 4, 5, 8])('%i words in WGSL', (words) => {
  it('lie in an array without gaps', async () => {
    const items = storage('items', wgsl`array<${wordsType(words)}>`);
    const length = storage('length', 'u32', 'read_write');
    const measure = kernel({ label: 'test/length', threads: 1, body: wgsl`${length} = arrayLength(&${items});` });
    const buffers = [gpu.createBuffer('test', 7 * words * 4), gpu.createBuffer('test', 4)] as const;
    const bound = [[items, buffers[0]] as const, [length, buffers[1]] as const];
    const [bytes] = await gpu.run(
      (encoder) => record(gpu, encoder, 'test', (recorder) => recorder.run(measure, bound, 1)),
      [{ buffer: buffers[1], bytes: 4 }],
    );
    expect([...new Uint32Array(bytes as ArrayBuffer)]).toEqual([7]);
    for (const buffer of buffers) buffer.destroy();
  });

  it('are put together, taken apart, and told from the mark of an empty slot', async () => {
    const ones = Array.from({ length: words }, () => 0xffff_ffff);
    const rows = [
      ones,
      ones.map(() => 0),
      ...ones.map((_, i) => ones.map((word, j) => (i === j ? word - 1 : word))),
      ...ones.map((_, i) => ones.map((word, j) => (i === j ? word : j))),
    ];
    const got = await evaluate(gpu, rows, (row) => ({
      statements: wgsl`let whole = ${fromWords(row)};`,
      results: [...wordsOf(words, 'whole'), wordAt(words, 'whole', words - 1), wgsl`u32(${allOnes(words, 'whole')})`],
    }));
    const isOnes = (row: number[]) => Number(row.every((word) => word === 0xffff_ffff));
    expect(got).toEqual(rows.map((row) => [...row, row[words - 1], isOnes(row)]));
  });
});
