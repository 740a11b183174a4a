import { storage, wgsl } from '../../wgsl/index.ts';
import type { ValueStore } from '../contract/index.ts';
import { BUCKET_WORDS, hasInlineValues } from './layout.wgsl.ts';
import type { Shape } from './shape.ts';

/** Values are at the start of their bucket, or behind their key in the payload. */
export function regionCuckooValueStore({ request, layout, exact, payloadWords }: Shape): ValueStore {
  const buckets = storage('buckets', 'array<u32>', 'read_write');
  const side = storage('side', 'array<u32>', 'read_write');
  const inline = wgsl`${buckets}[(slot / ${layout.slots}u) * ${BUCKET_WORDS}u + slot % ${layout.slots}u] = value;`;
  const beside = wgsl`${side}[slot * ${payloadWords}u + ${exact ? 0 : request.key.words}u] = value;`;
  return {
    store: wgsl`
fn storeValue(slot: u32, value: u32) {
  ${hasInlineValues(layout) ? inline : beside}
}`,
    bind: (table) => [
      [buckets, table.get('buckets')],
      [side, table.get('side')],
    ],
  };
}
