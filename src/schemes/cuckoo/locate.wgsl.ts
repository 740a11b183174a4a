import { type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { buildHeader } from '../contract/header.wgsl.ts';
import { NO_SLOT } from '../contract/hit.wgsl.ts';
import { searchFor } from './find.wgsl.ts';
import type { BuildParts } from './parts.wgsl.ts';

/** How a build looks into slots: they may hold tokens or keys, and others may be writing to them. */
export interface SlotView {
  load(index: WgslPart): WgslPart;
  isEmpty(slot: WgslPart): WgslPart;
  /** The key as the input's side knows it. */
  keyOf(slot: WgslPart): WgslPart;
}

/** WGSL: `(key) -> u32`, the slot at which a search would find the key now, or `NO_SLOT`. */
export function locate({ cuckoo, plan }: BuildParts, { load, isEmpty, keyOf }: SlotView): Wgsl {
  const { key } = plan;
  const input = key.access('input');
  const search = searchFor(
    cuckoo,
    key,
    'input',
    {
      constants: wgsl`${buildHeader}.hash`,
      capacity: wgsl`${buildHeader}.capacity`,
      stashed: wgsl`atomicLoad(&${buildHeader}.stashed)`,
      load,
      isEmpty,
      hasKey: (slot) => wgsl`${key.equals(input, input)}(${keyOf(slot)}, key)`,
    },
    { found: (index) => index, absent: () => `${NO_SLOT}u` },
  );
  return wgsl`
fn locate(key: ${input.type}) -> u32 {
  ${search}
}`;
}
