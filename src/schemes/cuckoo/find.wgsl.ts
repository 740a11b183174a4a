import { allOnes, type KeyAccess } from '../../keys/index.ts';
import { kept, type Wgsl, wgsl } from '../../wgsl/index.ts';
import { hit, hitType, miss, type PlanRequest, type TableReader, type TableView } from '../contract/index.ts';
import { entryWithExtraSlot, searchExtraSlot } from '../kit/extraSlot.wgsl.ts';
import { keyIn, valueIn } from '../kit/slot.wgsl.ts';
import { type Cuckoo, choicesOf } from './choices.wgsl.ts';
import { searchFor } from './search.wgsl.ts';

/** Retrieval, section 6.2.2: the slots of a key's functions in order, then the stash if anything is there. */
export function cuckooReader(cuckoo: Cuckoo, request: PlanRequest, view: TableView): TableReader {
  const { key } = request;
  const { header } = view;
  const find = kept((needle: KeyAccess): Wgsl => findSlot(cuckoo, request, view, needle));
  const whereFound = wgsl`${find(view.key)}(${view.key.of(view.key.safe('stored'))}).slot`;
  // Of several copies of a key, the one that searches find counts. Without copies in the input there are none here.
  const isFound = wgsl`!${allOnes(key.words, 'stored')} && (${header}.copies == 0u || ${whereFound} == index)`;
  return { find, entry: entryWithExtraSlot(request, view, view.buffer('slots'), isFound) };
}

function findSlot(cuckoo: Cuckoo, request: PlanRequest, view: TableView, needle: KeyAccess): Wgsl {
  const { key, valueWords } = request;
  const slots = view.buffer('slots');
  const isSame = key.equals(view.key, needle);
  const search = searchFor({
    cuckoo,
    choices: choicesOf(cuckoo, key, needle),
    header: view.header,
    stashed: wgsl`${view.header}.stashed`,
    slots: {
      load: (index) => wgsl`${slots}[${index}]`,
      isEmpty: (slot) => allOnes(key.words, keyIn(request, slot)),
      hasKey: (slot) => wgsl`${isSame}(${view.key.of(keyIn(request, slot))}, key)`,
    },
    found: (index, slot, probes) => hit(valueWords, index, probes, valueIn(request, slot)),
    absent: (probes) => miss(valueWords, probes),
  });
  return wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  ${searchExtraSlot(request, view, slots)}
  ${search}
}`;
}
