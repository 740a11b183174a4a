import { extentCount, type Gpu, knownExtent, record } from '../src/gpu/index.ts';
import { kernel, storage, type Wgsl, type WgslPart, wgsl } from '../src/wgsl/index.ts';

/** WGSL that turns one row of words into results: statements first, then one u32 expression for each result. */
export interface RowCode {
  readonly statements?: Wgsl;
  readonly results: readonly WgslPart[];
}

/**
 * Runs WGSL over rows of words on the GPU.
 * @param code gets an expression for each word of a row
 */
export async function evaluate(
  gpu: Gpu,
  rows: readonly (readonly number[])[],
  code: (row: readonly WgslPart[]) => RowCode,
): Promise<number[][]> {
  const width = rows[0]?.length ?? 0;
  const inputs = storage('inputs', 'array<u32>');
  const outputs = storage('outputs', 'array<u32>', 'read_write');
  const { statements = wgsl``, results } = code(
    Array.from({ length: width }, (_, i) => wgsl`${inputs}[item * ${width}u + ${i}u]`),
  );
  const body = results.reduce(
    (before: Wgsl, result, i) => wgsl`${before}
  ${outputs}[item * ${results.length}u + ${i}u] = ${result};`,
    wgsl`
  if (item >= ${extentCount}) { return; }
  ${statements}`,
  );
  const inputBuffer = gpu.upload('test/rows', Uint32Array.from(rows.flat()));
  const bytes = rows.length * results.length * 4;
  const outputBuffer = gpu.createBuffer('test/results', bytes);
  try {
    const [words] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'test', (recorder) =>
          recorder.run(
            kernel({ label: 'test/evaluate', threads: 64, body }),
            [
              [inputs, inputBuffer],
              [outputs, outputBuffer],
              [extentCount, knownExtent(gpu, rows.length).count],
            ],
            rows.length,
          ),
        ),
      [{ buffer: outputBuffer, bytes }],
    );
    const flat = new Uint32Array(words as ArrayBuffer);
    return rows.map((_, i) => [...flat.subarray(i * results.length, (i + 1) * results.length)]);
  } finally {
    inputBuffer.destroy();
    outputBuffer.destroy();
  }
}

/** Words that arithmetic gets wrong first: ends, powers of two and their neighbours, primes of the hash families. */
export const awkwardWords: readonly number[] = [
  ...new Set([
    ...Array.from({ length: 32 }, (_, bit) => [2 ** bit - 1, 2 ** bit, 2 ** bit + 1]).flat(),
    0xffff_ffff,
    0xffff_fffe,
    0x5555_5555,
    0xaaaa_aaaa,
    ...[334_214_459, 4_294_967_291].flatMap((prime) => [prime - 1, prime, prime + 1]),
  ]),
];
