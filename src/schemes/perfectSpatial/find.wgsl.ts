import type { KeyAccess, KeySide } from '../../keys/index.ts';
import { type Binding, storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { header } from '../contract/header.wgsl.ts';
import { entryOf, entryType, hit, hitType, miss } from '../contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../contract/scheme.ts';
import { keyIn, slotsType, valueIn } from '../kit/slot.wgsl.ts';
import { type Dimensions, packing } from './geometry.ts';
import { geometryOf } from './plan.ts';
import { pointOf } from './points.wgsl.ts';

/** The cell with these coordinates, in a grid of that side. */
const cellAt = (dimensions: Dimensions): Wgsl => wgsl`
fn cellAt(at: vec${dimensions}u, side: u32) -> u32 {
  return at.x + side * ${dimensions === 2 ? 'at.y' : '(at.y + side * at.z)'};
}`;

/** Lefebvre and Hoppe 2006: the one slot in which a key can be. */
function slotOf({ key }: TablePlan, dimensions: Dimensions, access: KeyAccess, offsets: Binding): Wgsl {
  const { bits, mask } = packing(dimensions);
  const vector = `vec${dimensions}u`;
  const shifts = `${vector}(${[0, bits, 2 * bits].slice(0, dimensions).join(', ')})`;
  const cell = cellAt(dimensions);
  return wgsl`
fn slotOf(key: ${access.type}) -> u32 {
  let point = ${pointOf(key, access)}(key, ${header}.hash);
  let slotSide = ${header}.own.x;
  let offsetSide = ${header}.own.y;
  let offset = (${vector}(${offsets}[${cell}(point % offsetSide, offsetSide)]) >> ${shifts}) & ${vector}(${mask});
  let sum = point % slotSide + offset;
  return ${cell}(select(sum, sum - slotSide, sum >= ${vector}(slotSide)), slotSide);
}`;
}

/** Two reads, an offset and a slot, whether the key is there or not. */
export function perfectSpatialShader(plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const { dimensions } = geometryOf(plan);
  const needle = key.access(side);
  const inTable = key.access('table');
  const slots = storage('slots', slotsType(plan));
  const offsets = storage('offsets', 'array<u32>');
  const isEmpty = wgsl`${header}.count == ${header}.copies`;

  const find = wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  if (${isEmpty}) { return ${miss(valueWords, '0u')}; }
  let index = ${slotOf(plan, dimensions, needle, offsets)}(key);
  let slot = ${slots}[index];
  let stored = ${keyIn(plan, 'slot')};
  if (${key.equals(inTable, needle)}(${inTable.of('stored')}, key)) {
    return ${hit(valueWords, 'index', '1u', valueIn(plan, 'slot'))};
  }
  return ${miss(valueWords, '1u')};
}`;

  // Slots that were not needed hold a key that lives elsewhere.
  const entry = wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let slot = ${slots}[index];
  let stored = ${keyIn(plan, 'slot')};
  let present = !(${isEmpty}) && ${slotOf(plan, dimensions, inTable, offsets)}(${inTable.of('stored')}) == index;
  return ${entryOf(key.words, valueWords, 'present', 'stored', valueIn(plan, 'slot'))};
}`;

  return {
    find,
    entry,
    bindings: new Map([
      ['header', header],
      ['slots', slots],
      ['offsets', offsets],
    ]),
  };
}
