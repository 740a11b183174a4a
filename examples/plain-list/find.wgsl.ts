import {
  hit,
  hitType,
  type KeyAccess,
  keyIn,
  miss,
  type PlanRequest,
  slotEntry,
  type TableReader,
  type TableView,
  valueIn,
  type Wgsl,
  wgsl,
} from 'hashnest/scheme';

/** The reading side: `find` for every face, and `entry` for `entries()` and `stats()`. */
export function plainListReader(request: PlanRequest, view: TableView): TableReader {
  const { key, valueWords, duplicates } = request;
  const { header, key: inTable } = view;
  const slots = view.buffer('slots');

  // From the end from which copies are kept, so that a search meets the right one first.
  const index = duplicates === 'last' ? 'count - probes' : 'probes - 1u';
  const find = (needle: KeyAccess): Wgsl => wgsl`
fn findSlot(key: ${needle.type}) -> ${hitType(valueWords)} {
  // A saved header may say anything; there are no more items than slots.
  let count = min(${header}.count, arrayLength(&${slots}));
  for (var probes = 1u; probes <= count; probes++) {
    let index = ${index};
    let slot = ${slots}[index];
    if (${key.equals(inTable, needle)}(${inTable.of(keyIn(request, 'slot'))}, key)) {
      return ${hit(valueWords, 'index', 'probes', valueIn(request, 'slot'))};
    }
  }
  return ${miss(valueWords, 'count')};
}`;

  // Of several copies of a key, the one that searches find counts.
  const isFound = wgsl`index < ${header}.count && ${find(inTable)}(${inTable.of('stored')}).slot == index`;
  return { find, entry: slotEntry(request, slots, isFound) };
}
