import type { ProbeSequence } from '../../hashing/index.ts';
import { allOnes } from '../../keys/index.ts';
import { kept, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { hit, hitType, miss, type PlanRequest, type TableReader, type TableView } from '../contract/index.ts';
import { entryWithExtraSlot, searchExtraSlot } from '../kit/extraSlot.wgsl.ts';
import { keyIn, valueIn } from '../kit/slot.wgsl.ts';
import type { Probing } from './plan.ts';

/** WGSL: the next slot of a probe sequence, by the sequence's own steps up to the probe limit, then slot by slot. */
export const nextSlot = kept(
  (probes: ProbeSequence): Wgsl => wgsl`
fn nextSlot(slot: u32, attempt: u32, secondHash: u32, capacity: u32, probeLimit: u32) -> u32 {
  let step = select(1u, ${probes.step}(attempt, secondHash), attempt < probeLimit);
  let next = slot + step;
  // A branch spares the remainder, which pays where hardly anybody needs one (linear probing, by a seventh to a fifth).
  ${probes.wrapsOften ? '' : 'if (next < capacity) { return next; }'}
  return ${probes.wrapsOften ? 'select(next, next % capacity, next >= capacity)' : 'next % capacity'};
}`,
);

/** Parallel retrieval, section 3.2: the probes of the insertion again, until the key or an empty slot turns up. */
export function openAddressingReader({ probes, family }: Probing, request: PlanRequest, view: TableView): TableReader {
  const { key, valueWords } = request;
  const { header } = view;
  const slots = view.buffer('slots');
  return {
    find: (needle) => wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  let capacity = ${header}.capacity;
  ${searchExtraSlot(request, view, slots)}
  let hash = ${key.hash(needle, family)}(key, ${header}.hash);
  var index = ${family.reduce}(hash.x, capacity);
  // No insertion takes more, so neither does a search, whatever a saved header says.
  let limit = min(${header}.longest, ${header}.insertLimit);
  for (var attempt = 1u; attempt <= limit; attempt++) {
    let slot = ${slots}[index];
    let stored = ${keyIn(request, 'slot')};
    if (${allOnes(key.words, 'stored')}) { return ${miss(valueWords, 'attempt')}; }
    if (${key.equals(view.key, needle)}(${view.key.of('stored')}, key)) {
      return ${hit(valueWords, 'index', 'attempt', valueIn(request, 'slot'))};
    }
    index = ${nextSlot(probes)}(index, attempt, hash.y, capacity, ${header}.probeLimit);
  }
  return ${miss(valueWords, 'limit')};
}`,
    entry: entryWithExtraSlot(request, view, slots),
  };
}
