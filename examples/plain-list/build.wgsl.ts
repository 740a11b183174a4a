import type { Recorder } from '../../src/gpu/index.ts';
import { wordsType } from '../../src/keys/index.ts';
import { buildHeader } from '../../src/schemes/contract/header.wgsl.ts';
import { type BuildInput, bufferOf, type TableBuffers, type TablePlan } from '../../src/schemes/contract/scheme.ts';
import { forbidsCopies, reportDuplicate } from '../../src/schemes/kit/copies.wgsl.ts';
import { slotOf, slotsType } from '../../src/schemes/kit/slot.wgsl.ts';
import { kernel, storage, wgsl } from '../../src/wgsl/index.ts';

/** Records one attempt. It allocates, submits and reads back nothing; how it went is left in the header. */
export function recordPlainList(
  recorder: Recorder,
  plan: TablePlan,
  buffers: TableBuffers,
  { keys, values, items }: BuildInput,
): void {
  const build = kernelsOf(plan);
  recorder.run(
    build.kernel,
    [
      [buildHeader, buffers.header],
      [build.slots, bufferOf(buffers, 'slots')],
      [build.keys, keys],
      ...(values ? ([[build.values, values]] as const) : []),
    ],
    items,
  );
}

const KERNELS = new WeakMap<TablePlan, ReturnType<typeof buildKernels>>();

/** The kernels of a plan, written once: a table that is rebuilt every frame asks for them every frame. */
function kernelsOf(plan: TablePlan): ReturnType<typeof buildKernels> {
  const known = KERNELS.get(plan) ?? buildKernels(plan);
  KERNELS.set(plan, known);
  return known;
}

function buildKernels(plan: TablePlan) {
  const { key, valueWords, duplicates } = plan;
  const input = key.access('input');
  const keys = storage('keys', wgsl`array<${wordsType(key.words)}>`);
  const values = storage('values', wgsl`array<${wordsType(valueWords || 1)}>`);
  const slots = storage('slots', slotsType(plan), 'read_write');
  const isSame = wgsl`${key.equals(input, input)}(${input.of(wgsl`${keys}[other]`)}, ${input.of(wgsl`${keys}[item]`)})`;
  // An item is a copy if its key also stands nearer to the end from which copies are kept.
  const [first, end] = duplicates === 'last' ? ['item + 1u', wgsl`${buildHeader}.count`] : ['0u', 'item'];
  const onCopy = forbidsCopies(duplicates)
    ? wgsl`${reportDuplicate}(item);`
    : wgsl`atomicAdd(&${buildHeader}.copies, 1u);`;
  const place = kernel({
    label: 'plainList/place',
    threads: 256,
    body: wgsl`
  if (item >= ${buildHeader}.count) { return; }
  let key = ${keys}[item];
  ${valueWords > 0 ? wgsl`let value = ${values}[item];` : ''}
  ${slots}[item] = ${slotOf(plan, 'key', 'value')};
  for (var other = ${first}; other < ${end}; other++) {
    if (${isSame}) { ${onCopy} break; }
  }`,
  });
  return { kernel: place, keys, values, slots };
}
