/**
 * The slot of the key whose words are all ones. It cannot be told from an empty slot, so it lives in an extra one at index
 * `capacity`, marked as taken by any other first word.
 */
import { allOnes, fromWords, wordAt, wordsOf } from '../../keys/index.ts';
import { type Binding, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import { entryOf, hit, miss, type TableView } from '../contract/index.ts';
import { type SlotShape, slotEntry, slotWords, valueIn } from './slot.wgsl.ts';

const isTaken = (shape: SlotShape): Wgsl => wgsl`${wordAt(slotWords(shape), 'slot', 0)} != 0xffffffffu`;

/** Statements for a search: return the hit or miss of `key` if it is that key; none where a context rules such keys out. */
export const searchExtraSlot = (shape: SlotShape, { header, key }: TableView, slots: Binding): Wgsl =>
  key.context
    ? wgsl``
    : wgsl`
  if (${allOnes(shape.key.words, 'key')}) {
    let slot = ${slots}[${header}.capacity];
    if (${isTaken(shape)}) { return ${hit(shape.valueWords, wgsl`${header}.capacity`, '1u', valueIn(shape, 'slot'))}; }
    return ${miss(shape.valueWords, '1u')};
  }`;

/**
 * `entry` of a table of slots with an extra one. `isPresent` sees `index`, `slot` and `stored` of the others; default: what
 * does not look like an empty slot is there.
 */
export function entryWithExtraSlot(
  shape: SlotShape,
  { header }: TableView,
  slots: Binding,
  isPresent: WgslPart = wgsl`!${allOnes(shape.key.words, 'stored')}`,
): Wgsl {
  const { key, valueWords } = shape;
  const ones = fromWords(Array.from({ length: key.words }, () => '0xffffffffu'));
  const special = wgsl`
  if (index == ${header}.capacity) {
    return ${entryOf(key.words, valueWords, isTaken(shape), ones, valueIn(shape, 'slot'))};
  }`;
  return slotEntry(shape, slots, isPresent, special);
}

/**
 * The words of the key `stored` as they are written to its slot: in the extra slot the first must not be all ones. Where keys
 * are tokens, this is the token too.
 */
export const markedWords = (keyWords: number, isExtra: WgslPart): WgslPart[] =>
  wordsOf(keyWords, 'stored').map((word, i) => (i === 0 ? wgsl`select(${word}, 0u, ${isExtra})` : word));
