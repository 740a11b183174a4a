/** Some rows of a column, brought to the host. */
import { extentCount, type Gpu, perform, record } from '../gpu/index.ts';
import { recordGatherRows } from '../primitives/index.ts';
import { sized } from '../table/source.ts';
import { kernel, storage, WORD_BYTES, wgsl } from '../wgsl/index.ts';
import type { Column, GpuColumn } from './columns.ts';
import { boundValid, isNull } from './rows.wgsl.ts';

const numbers = storage('numbers', 'array<u32>');
const present = storage('present', 'array<u32>', 'read_write');

const gatherValid = kernel({
  label: 'relational/valid',
  threads: 256,
  body: wgsl`
  if (item >= ${extentCount}) { return; }
  ${present}[item] = u32(!${isNull}(${numbers}[item]));`,
});

/**
 * The values of rows, by their numbers in a buffer: as an array, or with `valid` where the column has that.
 * @param rows how many rows the column has
 * @param count how many of them are wanted
 */
export async function readRows(
  gpu: Gpu,
  { key, words, context, valid }: GpuColumn,
  rows: number,
  wanted: GPUBuffer,
  count: number,
): Promise<Column> {
  const bytes = count * key.words * WORD_BYTES;
  const [output, flags] = (await gpu.allocate([
    { label: 'relational/read', bytes },
    { label: 'relational/readValid', bytes: valid ? count * WORD_BYTES : 0 },
  ])) as [GPUBuffer, GPUBuffer];
  try {
    const [read, readFlags, readContext] = await perform(
      gpu,
      (encoder) =>
        record(gpu, encoder, 'relational/read', (recorder) => {
          const all = sized(gpu, words, rows * key.words * WORD_BYTES);
          recordGatherRows(recorder, {
            rows: all,
            rowWords: key.words,
            rowCount: rows,
            indices: wanted,
            output,
            items: count,
          });
          if (!valid) return;
          const items = recorder.extent(count);
          recorder.run(
            gatherValid,
            [...boundValid(valid), [numbers, wanted], [present, flags], [extentCount, items.count]],
            items,
          );
        }),
      [
        { buffer: output, bytes },
        { buffer: flags, bytes: valid ? count * WORD_BYTES : 0 },
        ...(context ? [{ buffer: context, bytes: context.size }] : []),
      ],
    );
    const values = key.decode(new Uint32Array(read as ArrayBuffer), readContext && new Uint8Array(readContext));
    return (valid ? { values, valid: bitsOf(new Uint32Array(readFlags as ArrayBuffer)) } : values) as Column;
  } finally {
    for (const buffer of [output, flags]) buffer.destroy();
  }
}

/** A bit for each word that is not 0. */
function bitsOf(words: Uint32Array): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array(Math.ceil(words.length / 8));
  words.forEach((word, i) => {
    bits[i >> 3] = (bits[i >> 3] as number) | (word << (i & 7));
  });
  return bits;
}
