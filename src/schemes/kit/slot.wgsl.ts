/** A slot: the words of a key and, right behind them, those of its value, as one value of `wordsType`. */
import { fromWords, type KeyType, wordAt, wordsOf, wordsType } from '../../keys/index.ts';
import { type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { ValueWords } from '../contract/scheme.ts';

/** What stands in a slot: a plan, or a part of one. */
export interface SlotShape {
  readonly key: KeyType;
  readonly valueWords: ValueWords;
}

/** Words of a slot. */
export const slotWords = ({ key, valueWords }: SlotShape): number => key.words + valueWords;

/** The WGSL type of many slots: whole slots are loaded and stored at once. */
export const slotsType = (shape: SlotShape): WgslPart => wgsl`array<${wordsType(slotWords(shape))}>`;

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
