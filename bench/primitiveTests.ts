/** The primitives at any size, over the keys of the workload and judged on the GPU. */
import { type Bound, record } from '../src/gpu/index.ts';
import {
  encodeCompact,
  encodeExclusiveScan,
  encodeFill,
  encodeHistogram,
  encodeSort,
  type Gpu,
  Workspace,
} from '../src/index.ts';
import { type Kernel, kernel, storage, uniform, wgsl } from '../src/wgsl/index.ts';
import { PRESENT, parameters } from './generators.ts';
import { scramble } from './scramble.ts';
import type { SizeTest } from './sizeTests.ts';
import { tally, tallyKernel } from './tally.ts';
import type { Workload } from './workload.ts';

type Test = (gpu: Gpu, workload: Workload, workspace: Workspace) => Promise<void>;

const THREADS = 256;
const items = wgsl`${parameters}.items`;
const input = storage('input', 'array<u32>');
const output = storage('output', 'array<u32>');

const FILLED = 0x600dda7a;
const checkFill = tallyKernel('fill', items, wgsl`isRight = ${output}[item] == ${FILLED}u;`);

const testFill: Test = async (gpu, workload) => {
  const filled = workload.answers.found;
  await gpu.run((encoder) => encodeFill(gpu, encoder, { output: filled, value: FILLED, count: workload.items }));
  await expectNoneWrong(gpu, workload, checkFill, [[output, filled]]);
};

// Every sum follows from the one before it, so if each step is right, all are.
const checkScan = tallyKernel(
  'exclusiveScan',
  items,
  wgsl`
    let before = max(item, 1u) - 1u;
    let step = select(${input}[before], 0u, item == 0u);
    isRight = ${output}[item] - select(${output}[before], 0u, item == 0u) == step;`,
);

const testScan: Test = async (gpu, workload, workspace) => {
  const { keys, answers, items: count } = workload;
  const { values: sums } = answers;
  await gpu.run((encoder) => encodeExclusiveScan(gpu, encoder, { input: keys, output: sums, count, workspace }));
  await expectNoneWrong(gpu, workload, checkScan, [
    [input, keys],
    [output, sums],
  ]);
};

const positions = storage('positions', 'array<u32>');
const checkCompact = tallyKernel(
  'compact',
  items,
  wgsl`
    let isKept = (${input}[item] & 1u) == 1u;
    isRight = !isKept || ${output}[${positions}[item]] == ${input}[item];`,
);

/** Keeps the odd keys; a scan of the same flags tells where each has to go. */
const testCompact: Test = async (gpu, workload, workspace) => {
  const { keys, queries: positionOf, answers, items: count } = workload;
  const { values: kept, found: flags } = answers;
  const [totals] = (await gpu.allocate([{ label: 'compact/totals', bytes: 8 }])) as [GPUBuffer];
  try {
    const keptTotal = { buffer: totals };
    const [bytes] = await gpu.run(
      (encoder) => {
        recordBits(gpu, encoder, workload, { firstBit: 0, bits: 1, to: flags });
        encodeCompact(gpu, encoder, { values: keys, flags, output: kept, total: keptTotal, count, workspace });
        const total = { buffer: totals, offset: 4 };
        encodeExclusiveScan(gpu, encoder, { input: flags, output: positionOf, count, total, workspace });
      },
      [{ buffer: totals, bytes: 8 }],
    );
    const [keptCount, flagCount] = new Uint32Array(bytes as ArrayBuffer);
    if (keptCount !== flagCount) throw new Error(`${keptCount} words were kept for ${flagCount} flags`);
    await expectNoneWrong(gpu, workload, checkCompact, [
      [input, keys],
      [output, kept],
      [positions, positionOf],
    ]);
  } finally {
    totals.destroy();
  }
};

const bins = storage('bins', 'array<atomic<u32>>', 'read_write');
const countPlainly = kernel({
  label: 'tally/histogram',
  threads: THREADS,
  body: wgsl`
  if (item < ${items}) { atomicAdd(&${bins}[${input}[item]], 1u); }`,
});

/** Counts the highest bits of the keys: few bins and many, which take different kernels. */
const testHistogram: Test = async (gpu, workload) => {
  const { answers, items: count } = workload;
  const { found: values } = answers;
  for (const bits of [8, 16]) {
    const bytes = 2 ** bits * 4;
    const [counted, plain] = (await gpu.allocate([
      { label: 'histogram/counted', bytes },
      { label: 'histogram/plain', bytes },
    ])) as [GPUBuffer, GPUBuffer];
    try {
      const [found, expected] = await gpu.run(
        (encoder) => {
          recordBits(gpu, encoder, workload, { firstBit: 32 - bits, bits, to: values });
          encodeHistogram(gpu, encoder, { values, output: counted, bins: 2 ** bits, count });
          recordOver(gpu, encoder, workload, countPlainly, [
            [input, values],
            [bins, plain],
          ]);
        },
        [
          { buffer: counted, bytes },
          { buffer: plain, bytes },
        ],
      );
      const expectedCounts = new Uint32Array(expected as ArrayBuffer);
      const wrong = new Uint32Array(found as ArrayBuffer).filter((n, bin) => n !== expectedCounts[bin]).length;
      if (wrong > 0) throw new Error(`${wrong} of ${2 ** bits} bins have a wrong count`);
    } finally {
      counted.destroy();
      plain.destroy();
    }
  }
};

const written = storage('written', 'array<u32>', 'read_write');
const partnerOf = wgsl`fn partnerOf(key: u32) -> u32 { return ${scramble}(key, ${parameters}.valueSeed); }`;
const writePartners = kernel({
  label: 'tally/partners',
  threads: THREADS,
  body: wgsl`
  if (item < ${items}) { ${written}[item] = ${partnerOf}(${input}[item]); }`,
});

// Keys are distinct and each value belongs to one key alone: pairs in strictly rising order are all of them.
const checkSort = tallyKernel(
  'sort',
  items,
  wgsl`
    let key = ${input}[item];
    isRight = (item == 0u || ${input}[max(item, 1u) - 1u] < key) && ${output}[item] == ${partnerOf}(key);`,
);

const testSort: Test = async (gpu, workload, workspace) => {
  const { queries: keys, answers, items: count } = workload;
  const { values } = answers;
  await gpu.run((encoder) => {
    encoder.copyBufferToBuffer(workload.keys, 0, keys, 0, count * 4);
    recordOver(gpu, encoder, workload, writePartners, [
      [input, workload.keys],
      [written, values],
    ]);
    encodeSort(gpu, encoder, { keys, values, count, workspace });
  });
  await expectNoneWrong(gpu, workload, checkSort, [
    [input, keys],
    [output, values],
  ]);
};

const TESTS = {
  fill: testFill,
  exclusiveScan: testScan,
  compact: testCompact,
  histogram: testHistogram,
  sort: testSort,
};

/** Every primitive; the workload has to have u32 keys. */
export const primitiveTests = (itemCount: number): SizeTest[] =>
  Object.entries(TESTS).map(([name, test]) => ({
    name: `${name} u32 ${itemCount}`,
    run: async (gpu, workload) => {
      const workspace = new Workspace(gpu);
      try {
        await test(gpu, workload, workspace);
      } finally {
        workspace.destroy();
      }
    },
  }));

const bitRange = uniform('bitRange', 'vec2u');
const takeBits = kernel({
  label: 'tally/bits',
  threads: THREADS,
  body: wgsl`
  if (item < ${items}) { ${written}[item] = extractBits(${input}[item], ${bitRange}.x, ${bitRange}.y); }`,
});

/** Records the extraction of some bits of every key. */
function recordBits(
  gpu: Gpu,
  encoder: GPUCommandEncoder,
  workload: Workload,
  { firstBit, bits, to }: { firstBit: number; bits: number; to: GPUBuffer },
): void {
  recordOver(gpu, encoder, workload, takeBits, [
    [input, workload.keys],
    [bitRange, gpu.constants(firstBit, bits)],
    [written, to],
  ]);
}

function recordOver(gpu: Gpu, encoder: GPUCommandEncoder, workload: Workload, program: Kernel, bound: Bound): void {
  const all: Bound = [[parameters, workload.parameters(PRESENT)], ...bound];
  record(gpu, encoder, 'tally', (recorder) => recorder.run(program, all, workload.items));
}

async function expectNoneWrong(gpu: Gpu, workload: Workload, program: Kernel, bound: Bound): Promise<void> {
  const all: Bound = [[parameters, workload.parameters(PRESENT)], ...bound];
  const { wrong, first } = await tally(gpu, program, all, workload.items);
  if (wrong > 0) throw new Error(`${wrong} of ${workload.items} words are wrong, first at ${first}`);
}
