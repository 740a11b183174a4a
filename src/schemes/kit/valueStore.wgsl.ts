/** Replacing values in tables whose slots are a key with its value right behind it. */
import { storage, wgsl } from '../../wgsl/index.ts';
import type { TablePlan, ValueStore } from '../contract/scheme.ts';
import { slotWords } from './slot.wgsl.ts';

/** A `valueStore` for such slots, which lie in the buffer of that name. */
export const slotValueStore =
  (name: string) =>
  (plan: TablePlan): ValueStore => {
    const words = storage(name, 'array<u32>', 'read_write');
    return {
      store: wgsl`
fn storeValue(slot: u32, value: u32) {
  ${words}[slot * ${slotWords(plan)}u + ${plan.key.words}u] = value;
}`,
      bindings: new Map([[name, words]]),
    };
  };
