/** A slot: the words of a key and, right behind them, those of its value, as one value of `wordsType`. */
import { fromWords, wordAt, wordsOf, wordsType } from '../../keys/index.ts';
import { type Binding, storage, type Wgsl, type WgslPart, WORD_BYTES, wgsl } from '../../wgsl/index.ts';
import { entryOf, entryType, type PlanRequest, type TableBuffer, type ValueStore } from '../contract/index.ts';

/** What stands in a slot. */
export type SlotShape = Pick<PlanRequest, 'key' | 'valueWords'>;

/** Words of a slot. */
export const slotWords = ({ key, valueWords }: SlotShape): number => key.words + valueWords;

/** The WGSL type of many slots: whole slots are loaded and stored at once. */
export const slotsType = (shape: SlotShape): WgslPart => wgsl`array<${wordsType(slotWords(shape))}>`;

/** The buffer of so many slots. */
export const slotsBuffer = (name: string, shape: SlotShape, slots: number): TableBuffer => ({
  name,
  bytes: slots * slotWords(shape) * WORD_BYTES,
  type: slotsType(shape),
});

/** The key in an expression that is a slot. */
export const keyIn = (shape: SlotShape, slot: WgslPart): WgslPart => part(shape, slot, 0, shape.key.words);

/** The value in an expression that is a slot; nothing for sets. */
export const valueIn = (shape: SlotShape, slot: WgslPart): WgslPart =>
  shape.valueWords === 0 ? '' : part(shape, slot, shape.key.words, shape.valueWords);

/** A slot from expressions for its key and its value, which is left out for sets. */
export const slotOf = ({ key, valueWords }: SlotShape, storedKey: WgslPart, storedValue: WgslPart): WgslPart =>
  fromWords([...wordsOf(key.words, storedKey), ...wordsOf(valueWords, storedValue)]);

const part = (shape: SlotShape, slot: WgslPart, first: number, words: number): WgslPart =>
  fromWords(Array.from({ length: words }, (_, i) => wordAt(slotWords(shape), slot, first + i)));

/**
 * `entry` of a table of slots.
 * @param isPresent an expression that sees `index`, the `slot` there, and the key `stored` in it
 * @param special statements before it, for slots that are not like the others
 */
export function slotEntry(shape: SlotShape, slots: Binding, isPresent: WgslPart, special: WgslPart = ''): Wgsl {
  const { key, valueWords } = shape;
  return wgsl`
fn entry(index: u32) -> ${entryType(key.words, valueWords)} {
  let slot = ${slots}[index];
  let stored = ${keyIn(shape, 'slot')};
  ${special}
  return ${entryOf(key.words, valueWords, isPresent, 'stored', valueIn(shape, 'slot'))};
}`;
}

/** Replaces values of one word in the slots of the buffer of that name. */
export function slotValueStore(name: string, shape: SlotShape): ValueStore {
  const words = storage(name, 'array<u32>', 'read_write');
  return {
    store: wgsl`
fn storeValue(slot: u32, value: u32) {
  ${words}[slot * ${slotWords(shape)}u + ${shape.key.words}u] = value;
}`,
    bind: (table) => [[words, table.get(name)]],
  };
}
