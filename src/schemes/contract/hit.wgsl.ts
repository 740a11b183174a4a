import { wordsType } from '../../keys/index.ts';
import { join, kept, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { ValueWords } from './plan.ts';

/** The slot of a key that is not there. */
export const NO_SLOT = 0xffffffff;

const value = (words: number): WgslPart => (words === 0 ? '' : wgsl`value: ${wordsType(words)},`);

/**
 * What a scheme's `find` returns; users see it as `Hit`, with their own value type. One struct for each number of words: values of
 * one type can then be passed between functions of different origin.
 */
export const hitType = kept(
  (words: ValueWords): Wgsl => wgsl`
struct SlotHit {
  found: bool,
  slot: u32,
  probes: u32,
  ${value(words)}
}`,
);

/** A `Hit` for a key that is not there. */
export const miss = (words: ValueWords, probes: WgslPart): Wgsl =>
  construct(hitType(words), ['false', `${NO_SLOT}u`, probes], words > 0 ? wgsl`${wordsType(words)}()` : undefined);

/** A `Hit` for a key that is there; the value is left out for sets. */
export const hit = (words: ValueWords, slot: WgslPart, probes: WgslPart, storedValue: WgslPart): Wgsl =>
  construct(hitType(words), ['true', slot, probes], words > 0 ? storedValue : undefined);

/** What `entry` returns: the key as stored and the value. */
export const entryType = kept(
  (keyWords: number, words: ValueWords): Wgsl => wgsl`
struct Entry {
  present: bool,
  key: ${wordsType(keyWords)},
  ${value(words)}
}`,
);

/** An `Entry`; the value is left out for sets. */
export const entryOf = (
  keyWords: number,
  words: ValueWords,
  present: WgslPart,
  key: WgslPart,
  storedValue: WgslPart,
): Wgsl => construct(entryType(keyWords, words), [present, key], words > 0 ? storedValue : undefined);

const construct = (type: Wgsl, members: WgslPart[], last: WgslPart | undefined): Wgsl =>
  wgsl`${type}(${join(last === undefined ? members : [...members, last], ', ')})`;
