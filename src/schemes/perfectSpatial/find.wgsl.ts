import type { KeyAccess } from '../../keys/index.ts';
import { type Wgsl, wgsl } from '../../wgsl/index.ts';
import { hit, hitType, miss, type PlanRequest, sizeIn, type TableReader, type TableView } from '../contract/index.ts';
import { keyIn, slotEntry, valueIn } from '../kit/slot.wgsl.ts';
import { type Dimensions, packing } from './geometry.ts';
import { pointOf } from './points.wgsl.ts';

/** The cell with these coordinates, in a grid of that side. */
const cellAt = (dimensions: Dimensions): Wgsl => wgsl`
fn cellAt(at: vec${dimensions}u, side: u32) -> u32 {
  return at.x + side * ${dimensions === 2 ? 'at.y' : '(at.y + side * at.z)'};
}`;

/** The components of an offset, from the word that they are packed into. */
function unpacked(dimensions: Dimensions): Wgsl {
  const { bits, mask } = packing(dimensions);
  const vector = `vec${dimensions}u`;
  const shifts = `${vector}(${[0, bits, 2 * bits].slice(0, dimensions).join(', ')})`;
  return wgsl`
fn unpacked(packed: u32) -> ${vector} {
  return (${vector}(packed) >> ${shifts}) & ${vector}(${mask});
}`;
}

/** An offset is less than a side of the table, so that one subtraction brings every sum back into it. */
export const areSoundOffsets = (dimensions: Dimensions, view: TableView): Wgsl => wgsl`
fn isSoundOffset(i: u32) -> bool {
  return all(${unpacked(dimensions)}(${view.buffer('offsets')}[i]) < vec${dimensions}u(${view.header}.slotSide));
}`;

/** Lefebvre and Hoppe 2006: the one slot in which a key can be. */
function slotOf({ key }: PlanRequest, dimensions: Dimensions, view: TableView, access: KeyAccess): Wgsl {
  const { header } = view;
  const vector = `vec${dimensions}u`;
  const cell = cellAt(dimensions);
  return wgsl`
fn slotOf(key: ${access.type}) -> u32 {
  let point = ${pointOf(key, access)}(key, ${header}.hash);
  let slotSide = ${header}.slotSide;
  let offsetSide = ${header}.offsetSide;
  let offset = ${unpacked(dimensions)}(${view.buffer('offsets')}[${cell}(point % offsetSide, offsetSide)]);
  let sum = point % slotSide + offset;
  return ${cell}(select(sum, sum - slotSide, sum >= ${vector}(slotSide)), slotSide);
}`;
}

/** Two reads, an offset and a slot, whether the key is there or not. */
export function perfectSpatialReader(request: PlanRequest, dimensions: Dimensions, view: TableView): TableReader {
  const { key, valueWords } = request;
  const slots = view.buffer('slots');
  const isEmpty = wgsl`${sizeIn(view.header)} == 0u`;
  return {
    find: (needle) => wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  if (${isEmpty}) { return ${miss(valueWords, '0u')}; }
  let index = ${slotOf(request, dimensions, view, needle)}(key);
  let slot = ${slots}[index];
  let stored = ${keyIn(request, 'slot')};
  if (${key.equals(view.key, needle)}(${view.key.of('stored')}, key)) {
    return ${hit(valueWords, 'index', '1u', valueIn(request, 'slot'))};
  }
  return ${miss(valueWords, '1u')};
}`,
    // Slots that were not needed hold a key that lives elsewhere.
    entry: slotEntry(
      request,
      slots,
      wgsl`!(${isEmpty}) && ${slotOf(request, dimensions, view, view.key)}(${view.key.of('stored')}) == index`,
    ),
  };
}
