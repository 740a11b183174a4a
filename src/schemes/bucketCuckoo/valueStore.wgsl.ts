import { storage, wgsl } from '../../wgsl/index.ts';
import type { ValueStore } from '../contract/index.ts';
import { BUCKET_WORDS } from '../kit/bucket.wgsl.ts';
import type { Shape } from './shape.ts';

/** Values are behind what is kept of their key, inside the bucket or in the payload; those of the overflow behind the key. */
export function bucketCuckooValueStore(shape: Shape): ValueStore {
  const { request, layout, keptKeyWords, payloadWords, overflowWords } = shape;
  const { key } = request;
  const buckets = storage('buckets', 'array<u32>', 'read_write');
  const side = storage('side', 'array<u32>', 'read_write');
  const wordInside = wgsl`(slot / ${layout.slots}u) * ${BUCKET_WORDS}u + (slot % ${layout.slots}u) * ${layout.inside}u`;
  const isInside = layout.inside > 0;
  return {
    store: wgsl`
fn storeValue(slot: u32, value: u32) {
  // Taken from the buffer rather than the plan, so that tables of all sizes share their pipelines.
  let firstOverflow = arrayLength(&${buckets}) / ${BUCKET_WORDS}u * ${layout.slots}u;
  if (slot < firstOverflow) {
    ${isInside ? buckets : side}[${isInside ? wordInside : `slot * ${payloadWords}u`} + ${keptKeyWords}u] = value;
  } else {
    // The payload stands before the overflow, a mark and the key before the value.
    let at = firstOverflow * ${payloadWords}u + (slot - firstOverflow) * ${overflowWords}u;
    ${side}[at + ${1 + key.words}u] = value;
  }
}`,
    bind: (table) => [
      [buckets, table.get('buckets')],
      [side, table.get('side')],
    ],
  };
}
