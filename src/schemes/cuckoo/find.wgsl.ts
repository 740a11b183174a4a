import { allOnes, type KeySide, type KeyType } from '../../keys/index.ts';
import { type Binding, storage, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { header } from '../contract/header.wgsl.ts';
import { entryOf, entryType, hit, hitType, miss } from '../contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../contract/scheme.ts';
import { extraEntry, searchExtraSlot } from '../kit/extraSlot.wgsl.ts';
import { keyIn, slotsType, valueIn } from '../kit/slot.wgsl.ts';
import { type Cuckoo, placesOf } from './places.wgsl.ts';

/** How a search sees the table: builds and finished tables differ in their bindings, not in the way. */
export interface TableView {
  readonly constants: WgslPart;
  readonly capacity: WgslPart;
  /** How many items are in the stash. */
  readonly stashed: WgslPart;
  /** What stands in the slot of that index. */
  load(index: WgslPart): WgslPart;
  /** Whether what was loaded is an empty slot. */
  isEmpty(slot: WgslPart): WgslPart;
  /** Whether it has the key `key`; only asked of slots that are not empty. */
  hasKey(slot: WgslPart): WgslPart;
}

/**
 * Listing 6.2: statements that look for `key`, which is not the key of all ones, and return what `found` and `absent` say.
 *
 * An empty slot ends the search. A key is put into a slot only after it was put into those of all earlier functions, and
 * slots never become empty again: an exchange leaves a token behind, and copies that turn out to be one too many are left
 * where they are. This holds whoever makes the exchanges. It does not hold for the stash, so that is looked at in any case.
 */
export function searchFor(
  cuckoo: Cuckoo,
  key: KeyType,
  side: KeySide,
  view: TableView,
  outcome: { found(index: WgslPart, slot: WgslPart, probes: WgslPart): WgslPart; absent(probes: WgslPart): WgslPart },
): Wgsl {
  const { family, functions, stashSlots } = cuckoo;
  const { constants, capacity, stashed, load, isEmpty, hasKey } = view;
  const places = placesOf(cuckoo, key, key.access(side));
  const stash = wgsl`
  if (${stashed} > 0u) {
    let word = ${places.functionOf}(key, first, ${functions}u, ${constants});
    let index = ${capacity} + 1u + ${family.reduce}(word, ${stashSlots}u);
    let slot = ${load('index')};
    probes++;
    if (!${isEmpty('slot')}) {
      if (${hasKey('slot')}) { return ${outcome.found('index', 'slot', 'probes')}; }
    }
  }`;
  return wgsl`
  let first = ${places.first}(key, ${constants});
  var probes = 0u;
  for (var i = 0u; i < ${functions}u; i++) {
    let index = ${family.reduce}(${places.functionOf}(key, first, i, ${constants}), ${capacity});
    let slot = ${load('index')};
    probes++;
    if (${isEmpty('slot')}) { break; }
    if (${hasKey('slot')}) { return ${outcome.found('index', 'slot', 'probes')}; }
  }
  ${stashSlots > 0 ? stash : ''}
  return ${outcome.absent('probes')};`;
}

/** Retrieval, section 6.2.2: the slots of a key's functions in order, then the stash if anything is there. */
export function cuckooShader(cuckoo: Cuckoo, plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const slots = storage('slots', slotsType(plan));
  const find = findSlot(cuckoo, plan, slots, side);
  const findStored = side === 'table' ? find : findSlot(cuckoo, plan, slots, 'table');

  const entry = wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let slot = ${slots}[index];
  let stored = ${keyIn(plan, 'slot')};
  ${extraEntry(plan)}
  var present = !${allOnes(key.words, 'stored')};
  // Of several copies of a key, the one that searches find counts. Without copies in the input there are none here.
  if (present && ${header}.copies > 0u) { present = ${findStored}(${key.access('table').of('stored')}).slot == index; }
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

function findSlot(cuckoo: Cuckoo, plan: TablePlan, slots: Binding, side: KeySide): Wgsl {
  const { key, valueWords } = plan;
  const needle = key.access(side);
  const inTable = key.access('table');
  const search = searchFor(
    cuckoo,
    key,
    side,
    {
      constants: wgsl`${header}.hash`,
      capacity: 'capacity',
      stashed: wgsl`${header}.stashed`,
      load: (index) => wgsl`${slots}[${index}]`,
      isEmpty: (slot) => allOnes(key.words, keyIn(plan, slot)),
      hasKey: (slot) => wgsl`${key.equals(inTable, needle)}(${inTable.of(keyIn(plan, slot))}, key)`,
    },
    {
      found: (index, slot, probes) => hit(valueWords, index, probes, valueIn(plan, slot)),
      absent: (probes) => miss(valueWords, probes),
    },
  );
  return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let capacity = ${header}.capacity;
  ${searchExtraSlot(plan, slots)}
  ${search}
}`;
}
