/**
 * What is too large to be checked on the host: every key and every number of a saved table that a search goes by. One kernel
 * looks at all of them, before anybody searches.
 */
import { FormatError, record } from '../../gpu/index.ts';
import { type KeyType, wordAt, wordsOf } from '../../keys/index.ts';
import { hostCall } from '../../primitives/hostCall.ts';
import type { TablePlan } from '../../schemes/contract/index.ts';
import { type Binding, join, kept, kernel, storage, uniform, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { Reading } from '../reading.wgsl.ts';
import type { Table } from '../table.ts';
import { recordChecksum, type SummedPart } from './checksum.wgsl.ts';
import { requireReadableKeys } from './sharedBytes.ts';

const THREADS = 256;

/** Slots to visit, numbers to check, and keys that the table says it has. */
const extents = uniform('extents', wgsl`struct Extents { slots: u32, numbers: u32, size: u32 }`);
const Verdict = wgsl`
struct Verdict {
  present: atomic<u32>,
  faults: atomic<u32>,
  // Bytes of all keys.
  bytes: atomic<u32>,
  wraps: atomic<u32>,
}`;
const verdict = storage('verdict', Verdict, 'read_write');
const VERDICT_WORDS = 4;

const fault = wgsl`
fn fault() {
  atomicAdd(&${verdict}.faults, 1u);
}`;

/** Statements on `found`: its key is as a build would have written it, and lies within its context. */
function checkKey({ view: { key: access }, request: { key } }: Reading): Wgsl {
  const isOther = wordsOf(key.words, 'found.key').map((word, i) => wgsl`${wordAt(key.words, 'safe', i)} != ${word}`);
  const countBytes =
    access.bytesIn &&
    wgsl`
    let bytes = ${access.bytesIn('safe')};
    if (atomicAdd(&${verdict}.bytes, bytes) > 0xffffffffu - bytes) { atomicAdd(&${verdict}.wraps, 1u); }`;
  return wgsl`
    let safe = ${access.safe('found.key')};
    if (${join(isOther, ' || ')}) { ${fault}(); }
    ${countBytes ?? ''}`;
}

/** What a collection checks of every key that is there, beside what is checked of all. */
export interface EntryCheck {
  /**
   * WGSL that looks at a key and its value, and at arrays beside the table.
   * @param size how many keys the table says it has
   * @param fault WGSL: `()`, called for what is wrong
   */
  kernelPart(key: KeyType, size: Wgsl, fault: Wgsl): { readonly statements: Wgsl; readonly arrays: readonly Binding[] };
  /** What is in the arrays, by the names of their bindings: contents, or so many words of zeros. */
  contents(size: number, extras: ReadonlyMap<string, Uint8Array>): Readonly<Record<string, Uint8Array | number>>;
}

const checkKernel = kept((reading: Reading<TablePlan>, own: EntryCheck | undefined) => {
  const { plan, view, entry, request } = reading;
  const { statements = '', arrays = [] } = own?.kernelPart(request.key, wgsl`${extents}.size`, fault) ?? {};
  const groupPresent = wgsl`var<workgroup> groupPresent: atomic<u32>;`;
  const { numbers } = plan.soundness ?? {};
  const program = kernel({
    label: 'saved/check',
    threads: THREADS,
    body: wgsl`
  if (item < ${extents}.slots) {
    let found = ${entry}(item);
    if (found.present) {
      atomicAdd(&${groupPresent}, 1u);
      ${checkKey(reading)}
      ${statements}
    }
  }
  ${numbers ? wgsl`if (item < ${extents}.numbers) { if (!${numbers.isSound(view)}(item)) { ${fault}(); } }` : ''}
  workgroupBarrier();
  if (thread == 0u) { atomicAdd(&${verdict}.present, atomicLoad(&${groupPresent})); }`,
  });
  return { program, arrays };
});

/** Makes the WGSL that searches and checks tables of that plan, or throws because there is none. */
export function prepareCheck(reading: Reading<TablePlan>, own: EntryCheck | undefined): void {
  reading.find(reading.view.key);
  checkKernel(reading, own);
}

/** What a saved table is compared with. */
export interface Beside {
  /** Bytes of the file. */
  readonly bytes: number;
  /** What the collection has beside its table, and what it checks by that. */
  readonly extras: ReadonlyMap<string, Uint8Array>;
  readonly own: EntryCheck | undefined;
  /** Where the parts of the file are that are on the GPU. */
  readonly parts: readonly SummedPart[];
  /** Throws unless their checksum is right. */
  requireSum(sum: number): void;
}

/** Throws unless every key and every number of the table can be trusted. */
export async function checkOnGpu(table: Table, { bytes, extras, own, parts, requireSum }: Beside): Promise<void> {
  const { gpu, plan, size, reading } = table;
  const { program, arrays } = checkKernel(reading, own);
  const numbers = plan.soundness?.numbers?.count ?? 0;
  const found = await hostCall(gpu, {
    label: 'saved/check',
    buffers: { verdict: VERDICT_WORDS, sum: 1, ...own?.contents(size, extras) },
    record: (encoder, made) =>
      record(gpu, encoder, 'saved/check', (recorder) => {
        recordChecksum(recorder, parts, made.sum);
        recorder.run(
          program,
          [
            ...table.bound,
            [extents, gpu.constants(plan.slotCount, numbers, size)],
            [verdict, made.verdict],
            ...arrays.map(
              (array) => [array, (made as Readonly<Record<string, GPUBuffer>>)[array.name] as GPUBuffer] as const,
            ),
          ],
          Math.max(plan.slotCount, numbers),
        );
      }),
    read: ['verdict', 'sum'],
  });
  requireSum(found.sum[0] as number);
  const [present = 0, faults = 0, keyBytes = 0, wraps = 0] = found.verdict;
  if (faults > 0) throw new FormatError(`the saved table leads outside of itself in ${faults} places`);
  if (present !== size) throw new FormatError(`the saved table has ${present} keys, and says that it has ${size}`);
  requireReadableKeys(wraps * 2 ** 32 + keyBytes, bytes);
}
