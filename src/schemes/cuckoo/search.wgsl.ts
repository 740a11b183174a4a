/** The search for a key: builds and finished tables differ in what they see of the slots, not in the way. */
import { type Binding, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { Choices, Cuckoo } from './choices.wgsl.ts';

/** How a search sees slots. */
export interface SeenSlots {
  /** What stands in the slot of that index. */
  load(index: WgslPart): WgslPart;
  /** Whether what was loaded is an empty slot. */
  isEmpty(slot: WgslPart): WgslPart;
  /** Whether it has the key `key`; only asked of slots that are not empty. */
  hasKey(slot: WgslPart): WgslPart;
}

/** What a search goes by, and what it returns. */
export interface Search {
  readonly cuckoo: Cuckoo;
  readonly choices: Choices;
  readonly header: Binding;
  /** How many items are in the stash. */
  readonly stashed: WgslPart;
  readonly slots: SeenSlots;
  found(index: WgslPart, slot: WgslPart, probes: WgslPart): WgslPart;
  absent(probes: WgslPart): WgslPart;
}

/**
 * Listing 6.2: statements that look for `key`, which is not the key of all ones, and return what `found` and `absent` say.
 *
 * An empty slot ends the search. A key is put into a slot only after it was put into those of all earlier functions, and
 * slots never become empty again: an exchange leaves a token behind, and copies that turn out to be one too many are left
 * where they are. This holds whoever makes the exchanges. It does not hold for the stash, so that is looked at in any case.
 */
export function searchFor(search: Search): Wgsl {
  const { cuckoo, choices, header, stashed, slots, found, absent } = search;
  const { functions, stashSlots } = cuckoo;
  const searchStash = wgsl`
  if (${stashed} > 0u) {
    let index = ${choices.stashSlotOf}(key, first, ${header}.hash, capacity);
    let slot = ${slots.load('index')};
    probes++;
    if (!${slots.isEmpty('slot')}) {
      if (${slots.hasKey('slot')}) { return ${found('index', 'slot', 'probes')}; }
    }
  }`;
  return wgsl`
  let capacity = ${header}.capacity;
  let first = ${choices.first}(key, ${header}.hash);
  var probes = 0u;
  for (var i = 0u; i < ${functions}u; i++) {
    let index = ${choices.slotOf}(key, first, i, ${header}.hash, capacity);
    let slot = ${slots.load('index')};
    probes++;
    if (${slots.isEmpty('slot')}) { break; }
    if (${slots.hasKey('slot')}) { return ${found('index', 'slot', 'probes')}; }
  }
  ${stashSlots > 0 ? searchStash : ''}
  return ${absent('probes')};`;
}
