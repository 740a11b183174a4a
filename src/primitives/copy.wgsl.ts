import { type BufferView, type Extent, extentCount, type Recorder } from '../gpu/index.ts';
import { kernel, storage, wgsl } from '../wgsl/index.ts';

const THREADS = 256;
const WORDS_PER_THREAD = 16;
const WORDS_PER_GROUP = THREADS * WORDS_PER_THREAD;

const input = storage('input', 'array<u32>');
const output = storage('output', 'array<u32>', 'read_write');

const copyWords = kernel({
  label: 'copy',
  threads: THREADS,
  itemsPerGroup: WORDS_PER_GROUP,
  body: wgsl`
  for (var k = 0u; k < ${WORDS_PER_THREAD}u; k++) {
    let i = group * ${WORDS_PER_GROUP}u + k * ${THREADS}u + thread;
    if (i < ${extentCount}) { ${output}[i] = ${input}[i]; }
  }`,
});

/** Records a copy of words that also works inside a pass and for a count that only the GPU knows. */
export function recordCopy(
  recorder: Recorder,
  call: { readonly from: BufferView; readonly to: BufferView; readonly items: number | Extent },
): void {
  const extent = recorder.extent(call.items);
  recorder.run(
    copyWords,
    [
      [input, call.from],
      [output, call.to],
      [extentCount, extent.count],
    ],
    extent,
  );
}
