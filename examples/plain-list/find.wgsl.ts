import type { KeySide } from '../../src/keys/index.ts';
import { header } from '../../src/schemes/contract/header.wgsl.ts';
import { entryOf, entryType, hit, hitType, miss } from '../../src/schemes/contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../../src/schemes/contract/scheme.ts';
import { keyIn, slotsType, valueIn } from '../../src/schemes/kit/slot.wgsl.ts';
import { storage, type Wgsl, wgsl } from '../../src/wgsl/index.ts';

/** The reading side: `find` for every face, `entry` for `entries()` and `stats()`, and the buffers that they read. */
export function plainListShader(plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords, duplicates } = plan;
  const slots = storage('slots', slotsType(plan));
  const inTable = key.access('table');

  // From the end from which copies are kept, so that a search meets the right one first.
  const index = duplicates === 'last' ? wgsl`${header}.count - probes` : 'probes - 1u';
  const findFrom = (from: KeySide): Wgsl => {
    const needle = key.access(from);
    return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  for (var probes = 1u; probes <= ${header}.count; probes++) {
    let index = ${index};
    let slot = ${slots}[index];
    if (${key.equals(inTable, needle)}(${inTable.of(keyIn(plan, 'slot'))}, key)) {
      return ${hit(valueWords, 'index', 'probes', valueIn(plan, 'slot'))};
    }
  }
  return ${miss(valueWords, wgsl`${header}.count`)};
}`;
  };
  const find = findFrom(side);
  const findStored = side === 'table' ? find : findFrom('table');

  const entry = wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let slot = ${slots}[index];
  let stored = ${keyIn(plan, 'slot')};
  // Of several copies of a key, the one that searches find counts.
  let present = index < ${header}.count && ${findStored}(${inTable.of('stored')}).slot == index;
  return ${entryOf(key.words, valueWords, 'present', 'stored', valueIn(plan, 'slot'))};
}`;

  return {
    find,
    entry,
    bindings: new Map([
      ['header', header],
      ['slots', slots],
    ]),
  };
}
