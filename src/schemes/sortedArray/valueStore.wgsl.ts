import { storage, wgsl } from '../../wgsl/index.ts';
import type { ValueStore } from '../scheme.ts';

/** Values lie in an array of their own, in the order of the keys. */
export function sortedValueStore(): ValueStore {
  const values = storage('values', 'array<u32>', 'read_write');
  return {
    store: wgsl`fn storeValue(slot: u32, value: u32) { ${values}[slot] = value; }`,
    bindings: new Map([['values', values]]),
  };
}
