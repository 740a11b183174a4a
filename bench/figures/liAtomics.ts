/**
 * Figure 5 of Li et al. 2021: compare-exchange and exchange, so many of them at one address, against as many reads that lie side by side.
 * Operations at one address are those of neighbouring threads.
 */
import { type Bound, type Gpu, record } from '../../src/gpu/index.ts';
import { type Kernel, kernel, storage, uniform, type Wgsl, wgsl } from '../../src/wgsl/index.ts';
import { measure } from '../measure.ts';
import { tally, tallyKernel } from '../tally.ts';

type AtomicOperation = 'compare-exchange' | 'exchange' | 'read';

export interface AtomicsRecord {
  readonly op: AtomicOperation;
  /** Operations at one address. */
  readonly conflicts: number;
  readonly operations: number;
  readonly medianMs: number;
  readonly minMs: number;
  readonly perSecond: number;
  /** Addresses at which something else is than one of its operations wrote. */
  readonly wrong: number;
}

const sizes = uniform('sizes', 'vec2u');
const words = storage('words', 'array<atomic<u32>>', 'read_write');
const plain = storage('plain', 'array<u32>');
const result = storage('result', 'u32', 'read_write');

const perItem = (label: string, statement: Wgsl): Kernel =>
  kernel({ label: `atomics/${label}`, threads: 256, body: wgsl`if (item < ${sizes}.x) { ${statement} }` });

const exchange = perItem(
  'exchange',
  // The result is used, or it would be a plain store.
  wgsl`if (atomicExchange(&${words}[item / ${sizes}.y], item + 1u) == 0xffffffffu) { ${result} = item; }`,
);
const compareExchange = perItem(
  'compareExchange',
  wgsl`
  if (atomicCompareExchangeWeak(&${words}[item / ${sizes}.y], 0u, item + 1u).old_value == 0xffffffffu) { ${result} = item; }`,
);
const read = perItem('read', wgsl`if (${plain}[item] == 0xffffffffu) { ${result} = item; }`);
const judge = tallyKernel(
  'atomics',
  wgsl`(${sizes}.x + ${sizes}.y - 1u) / ${sizes}.y`,
  wgsl`
    let word = atomicLoad(&${words}[item]);
    isRight = word != 0u && (word - 1u) / ${sizes}.y == item;`,
);

/** Measures so many operations for each number of conflicts. */
export async function measureAtomics(
  gpu: Gpu,
  request: { readonly operations: number; readonly conflicts: readonly number[]; readonly repeat: number },
): Promise<AtomicsRecord[]> {
  const { operations, repeat } = request;
  const [buffer, unused] = (await gpu.allocate([
    { label: 'atomics/words', bytes: operations * 4 },
    { label: 'atomics/result', bytes: 4 },
  ])) as [GPUBuffer, GPUBuffer];
  const recordOf = async (op: AtomicOperation, program: Kernel, conflicts: number): Promise<AtomicsRecord> => {
    const constants: Bound = [[sizes, gpu.constants(operations, conflicts)]];
    const bound: Bound = [...constants, [op === 'read' ? plain : words, buffer], [result, unused]];
    let wrong = 0;
    if (op !== 'read') {
      await gpu.run((encoder) => {
        encoder.clearBuffer(buffer);
        record(gpu, encoder, 'atomics', (recorder) => recorder.run(program, bound, operations));
      });
      wrong = (await tally(gpu, judge, [...constants, [words, buffer]], Math.ceil(operations / conflicts))).wrong;
    }
    const { medianMs, minMs } = await measure(
      gpu,
      (pass) => record(gpu, pass, 'atomics', (recorder) => recorder.run(program, bound, operations)),
      { repeat },
    );
    return { op, conflicts, operations, medianMs, minMs, perSecond: operations / (medianMs / 1000), wrong };
  };
  try {
    const records: AtomicsRecord[] = [];
    for (const conflicts of request.conflicts) {
      records.push(await recordOf('compare-exchange', compareExchange, conflicts));
      records.push(await recordOf('exchange', exchange, conflicts));
      records.push(await recordOf('read', read, conflicts));
    }
    return records;
  } finally {
    buffer.destroy();
    unused.destroy();
  }
}
