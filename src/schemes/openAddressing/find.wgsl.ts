import type { HashFamily, ProbeSequence } from '../../hashing/index.ts';
import { allOnes, type KeySide } from '../../keys/index.ts';
import { storage, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { header } from '../contract/header.wgsl.ts';
import { entryOf, entryType, hit, hitType, miss } from '../contract/hit.wgsl.ts';
import type { TablePlan, TableShader } from '../contract/scheme.ts';
import { extraEntry, searchExtraSlot } from '../kit/extraSlot.wgsl.ts';
import { keyIn, slotsType, valueIn } from '../kit/slot.wgsl.ts';

/** What distinguishes the three schemes. */
export interface Probing {
  readonly probes: ProbeSequence;
  readonly family: HashFamily;
}

/** The next slot of a probe sequence: by the sequence's own steps up to the probe limit, then slot by slot. */
export const nextSlot = (probes: ProbeSequence): Wgsl => wgsl`
fn nextSlot(slot: u32, attempt: u32, secondHash: u32, capacity: u32, probeLimit: u32) -> u32 {
  let step = select(1u, ${probes.step}(attempt, secondHash), attempt < probeLimit);
  let next = slot + step;
  // A branch spares the remainder, which pays where hardly anybody needs one (linear probing, by a seventh to a fifth).
  ${probes.wrapsOften ? '' : 'if (next < capacity) { return next; }'}
  return ${probes.wrapsOften ? 'select(next, next % capacity, next >= capacity)' : 'next % capacity'};
}`;

/** Parallel retrieval, section 3.2: the probes of the insertion again, until the key or an empty slot turns up. */
export function openAddressingShader({ probes, family }: Probing, plan: TablePlan, side: KeySide): TableShader {
  const { key, valueWords } = plan;
  const slots = storage('slots', slotsType(plan));
  const needle = key.access(side);
  const inTable = key.access('table');

  const find = wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let capacity = ${header}.capacity;
  ${searchExtraSlot(plan, slots)}
  let hash = ${key.hash(needle, family)}(key, ${header}.hash);
  var index = ${family.reduce}(hash.x, capacity);
  for (var attempt = 1u; attempt <= ${header}.longest; attempt++) {
    let slot = ${slots}[index];
    let stored = ${keyIn(plan, 'slot')};
    if (${allOnes(key.words, 'stored')}) { return ${miss(valueWords, 'attempt')}; }
    if (${key.equals(inTable, needle)}(${inTable.of('stored')}, key)) {
      return ${hit(valueWords, 'index', 'attempt', valueIn(plan, 'slot'))};
    }
    index = ${nextSlot(probes)}(index, attempt, hash.y, capacity, ${header}.own.x);
  }
  return ${miss(valueWords, wgsl`${header}.longest`)};
}`;

  const entry = wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let slot = ${slots}[index];
  let stored = ${keyIn(plan, 'slot')};
  ${extraEntry(plan)}
  return ${entryOf(key.words, valueWords, wgsl`!${allOnes(key.words, 'stored')}`, 'stored', valueIn(plan, 'slot'))};
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
