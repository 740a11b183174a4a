import { type Binding, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import type { TablePlan, ValueStore } from '../scheme.ts';
import { BUCKET_BYTES } from './layout.ts';
import { overflowStart } from './overflow.wgsl.ts';
import { shapeOf } from './plan.ts';

/** Values are at the start of their bucket, or behind their key in the payload; those of the overflow behind their key. */
export function bucketValueStore(plan: TablePlan): ValueStore {
  const { key } = plan;
  const { layout, exact, buckets: bucketCount, payloadWords, overflowWords } = shapeOf(plan);
  const buckets = storage('buckets', 'array<u32>', 'read_write');
  const side = storage('side', 'array<u32>', 'read_write');
  const firstOverflow = bucketCount * layout.slots;
  const inline = wgsl`${buckets}[(slot / ${layout.slots}u) * ${BUCKET_BYTES / 4}u + slot % ${layout.slots}u] = value;`;
  const beside = wgsl`${side}[slot * ${payloadWords}u + ${exact ? 0 : key.words}u] = value;`;
  const store: Wgsl = wgsl`
fn storeValue(slot: u32, value: u32) {
  if (slot < ${firstOverflow}u) {
    ${layout.inlineValues ? inline : beside}
  } else {
    // A mark and the key stand before it.
    ${side}[${overflowStart(plan)}u + (slot - ${firstOverflow}u) * ${overflowWords}u + ${1 + key.words}u] = value;
  }
}`;
  return {
    store,
    bindings: new Map<string, Binding>([
      ['buckets', buckets],
      ['side', side],
    ]),
  };
}
