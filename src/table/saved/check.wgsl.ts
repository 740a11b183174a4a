/**
 * What is too large to be checked on the host: every key and every number of a saved table that a search goes by. One kernel
 * looks at all of them, before anybody searches.
 */
import { ELEMENT_BYTES, FormatError, record } from '../../gpu/index.ts';
import { type KeyType, wordAt, wordsArray, wordsOf } from '../../keys/index.ts';
import { hostCall } from '../../primitives/hostCall.ts';
import type { TablePlan } from '../../schemes/contract/index.ts';
import { type Binding, join, kept, kernel, storage, uniform, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { Reading } from '../reading.wgsl.ts';
import type { Table } from '../table.ts';
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
/** A bit for every id. */
const seen = storage('seen', 'array<atomic<u32>>', 'read_write');

const fault = wgsl`
fn fault() {
  atomicAdd(&${verdict}.faults, 1u);
}`;

/** Statements on `found`: its key lies within its context. */
function checkContext({ view: { key: access }, request: { key } }: Reading): Wgsl {
  if (!access.context) return wgsl``;
  const isCut = wordsOf(key.words, 'found.key').map((word, i) => wgsl`${wordAt(key.words, 'safe', i)} != ${word}`);
  const countBytes = wgsl`
    let bytes = ${access.bytesIn?.('safe') ?? '0u'};
    if (atomicAdd(&${verdict}.bytes, bytes) > 0xffffffffu - bytes) { atomicAdd(&${verdict}.wraps, 1u); }`;
  return wgsl`
    let safe = ${access.safe('found.key')};
    if (${join(isCut, ' || ')}) { ${fault}(); }
    ${countBytes}`;
}

/** Statements on `found`: its value is an id that no other key has, and the key is listed by it. */
function checkId({ words }: KeyType, keysById: Binding): Wgsl {
  const isOther = wordsOf(words, 'found.key').map((word, i) => wgsl`${wordAt(words, 'listed', i)} != ${word}`);
  return wgsl`
    let id = found.value;
    if (id >= ${extents}.size) {
      ${fault}();
    } else {
      let bit = 1u << (id % 32u);
      let listed = ${keysById}[id];
      if ((atomicOr(&${seen}[id / 32u], bit) & bit) != 0u || ${join(isOther, ' || ')}) { ${fault}(); }
    }`;
}

const checkKernel = kept((reading: Reading<TablePlan>, hasIds: boolean) => {
  const { plan, view, entry, request } = reading;
  const keysById = wordsArray('keysById', request.key.words);
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
      ${checkContext(reading)}
      ${hasIds ? checkId(request.key, keysById) : ''}
    }
  }
  ${numbers ? wgsl`if (item < ${extents}.numbers) { if (!${numbers.isSound(view)}(item)) { ${fault}(); } }` : ''}
  workgroupBarrier();
  if (thread == 0u) { atomicAdd(&${verdict}.present, atomicLoad(&${groupPresent})); }`,
  });
  return { program, keysById };
});

/** Makes the WGSL that searches and checks tables of that plan, or throws because there is none. */
export function prepareCheck(reading: Reading<TablePlan>, hasIds: boolean): void {
  reading.find(reading.view.key);
  checkKernel(reading, hasIds);
}

/** What a saved table is compared with. */
export interface Beside {
  /** Bytes of the file. */
  readonly bytes: number;
  /** The key of every id, where the values of the table are ids. */
  readonly keysById: Uint8Array | undefined;
}

/** Throws unless every key and every number of the table can be trusted. */
export async function checkOnGpu(table: Table, { bytes, keysById }: Beside): Promise<void> {
  const { gpu, plan, size, reading } = table;
  const hasIds = keysById !== undefined;
  const check = checkKernel(reading, hasIds);
  // A list of nothing must still hold a key to be bound.
  const listed = keysById?.length ? keysById : ELEMENT_BYTES / 4;
  const numbers = plan.soundness?.numbers?.count ?? 0;
  const found = await hostCall(gpu, {
    label: 'saved/check',
    buffers: { verdict: VERDICT_WORDS, seen: hasIds ? Math.ceil(size / 32) : 0, keysById: listed },
    record: (encoder, made) =>
      record(gpu, encoder, 'saved/check', (recorder) =>
        recorder.run(
          check.program,
          [
            ...table.bound,
            [extents, gpu.constants(plan.slotCount, numbers, size)],
            [verdict, made.verdict],
            [seen, made.seen],
            [check.keysById, made.keysById],
          ],
          Math.max(plan.slotCount, numbers),
        ),
      ),
    read: ['verdict'],
  });
  const [present = 0, faults = 0, keyBytes = 0, wraps = 0] = found.verdict;
  if (faults > 0) throw new FormatError(`the saved table leads outside of itself in ${faults} places`);
  if (present !== size) throw new FormatError(`the saved table has ${present} keys, and says that it has ${size}`);
  requireReadableKeys(wraps * 2 ** 32 + keyBytes, bytes);
}
