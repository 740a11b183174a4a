import { wordsType } from '../../keys/index.ts';
import { join, type Wgsl, type WgslPart, wgsl } from '../../wgsl/index.ts';
import type { ValueWords } from './scheme.ts';

/** The slot of a key that is not there. */
export const NO_SLOT = 0xffffffff;

const value = (words: number): WgslPart => (words === 0 ? '' : wgsl`value: ${wordsType(words)},`);

const byWords = (make: (words: number) => Wgsl): readonly Wgsl[] => [0, 1, 2, 3, 4].map(make);

const HITS = byWords(
  (words) => wgsl`
struct SlotHit {
  found: bool,
  slot: u32,
  probes: u32,
  ${value(words)}
}`,
);

/** What a scheme's `find` returns; users see it as `Hit`, with their own value type. */
export const hitType = (words: ValueWords): Wgsl => HITS[words] as Wgsl;

/** A `Hit` for a key that is not there. */
export const miss = (words: ValueWords, probes: WgslPart): Wgsl =>
  construct(hitType(words), ['false', `${NO_SLOT}u`, probes], words > 0 ? wgsl`${wordsType(words)}()` : undefined);

/** A `Hit` for a key that is there; the value is left out for sets. */
export const hit = (words: ValueWords, slot: WgslPart, probes: WgslPart, storedValue: WgslPart): Wgsl =>
  construct(hitType(words), ['true', slot, probes], words > 0 ? storedValue : undefined);

const ENTRIES = new Map<string, Wgsl>();

/** What `entry` returns: the key as stored and the value. */
export function entryType(keyWords: number, words: ValueWords): Wgsl {
  const name = `${keyWords}/${words}`;
  let type = ENTRIES.get(name);
  if (!type) {
    type = wgsl`
struct Entry {
  present: bool,
  key: ${wordsType(keyWords)},
  ${value(words)}
}`;
    ENTRIES.set(name, type);
  }
  return type;
}

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
