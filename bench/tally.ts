/** Counting on the GPU what is wrong: one word comes back, however many items there are. */
import { type Bound, type Gpu, record } from '../src/gpu/index.ts';
import { type Kernel, kernel, storage, type Wgsl, wgsl } from '../src/wgsl/index.ts';

/** How many items are wrong. */
export interface Verdict {
  readonly wrong: number;
  /** The first wrong item, if there is one. */
  readonly first: number | undefined;
}

const THREADS = 256;

/** The position is kept as what is left to 2³² − 1, so that zero, what the buffer holds at first, means none. */
const Tally = wgsl`
struct Tally {
  wrong: atomic<u32>,
  first: atomic<u32>,
}`;
const tallyBinding = storage('tally', Tally, 'read_write');
const groupWrong = wgsl`var<workgroup> groupWrong: atomic<u32>;`;
const groupFirst = wgsl`var<workgroup> groupFirst: atomic<u32>;`;

/** A kernel that counts the items for which the statements set `isRight` to false; `items` is how many there are. */
export const tallyKernel = (label: string, items: Wgsl, statements: Wgsl): Kernel =>
  kernel({
    label: `tally/${label}`,
    threads: THREADS,
    body: wgsl`
  if (item < ${items}) {
    var isRight = false;
    ${statements}
    if (!isRight) {
      atomicAdd(&${groupWrong}, 1u);
      atomicMax(&${groupFirst}, 0xffffffffu - item);
    }
  }
  workgroupBarrier();
  if (thread == 0u && atomicLoad(&${groupWrong}) > 0u) {
    atomicAdd(&${tallyBinding}.wrong, atomicLoad(&${groupWrong}));
    atomicMax(&${tallyBinding}.first, atomicLoad(&${groupFirst}));
  }`,
  });

/** Runs such a kernel. */
export async function tally(gpu: Gpu, program: Kernel, bound: Bound, items: number): Promise<Verdict> {
  const [buffer] = (await gpu.allocate([{ label: 'tally', bytes: 8 }])) as [GPUBuffer];
  try {
    const [bytes] = await gpu.run(
      (encoder) =>
        record(gpu, encoder, 'tally', (recorder) => recorder.run(program, [...bound, [tallyBinding, buffer]], items)),
      [{ buffer, bytes: 8 }],
    );
    const [wrong = 0, first = 0] = new Uint32Array(bytes as ArrayBuffer);
    return { wrong, first: wrong === 0 ? undefined : 0xffffffff - first };
  } finally {
    buffer.destroy();
  }
}
