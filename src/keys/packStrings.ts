/** Strings as UTF-8, one behind the other in one array. */
import { InvalidInputError } from '../gpu/errors.ts';
import { grown, requireBytes } from './byteSlices.ts';
import type { EncodedKeys } from './keyType.ts';

/** With the flag u, whole surrogate pairs are one character and do not match. */
const HALF_A_PAIR = /[\ud800-\udfff]/u;

/** Strings that are encoded by one call: enough of them to be worth it, and few enough that most such runs are ASCII where most strings are. */
const AT_ONCE = 128;

/**
 * Most strings are ASCII, whose units are bytes: many of them are joined and encoded at once, since a call of `TextEncoder` for each
 * takes several times as long.
 */
export function packStrings(keys: readonly string[]): EncodedKeys {
  const encoder = new TextEncoder();
  const count = keys.length;
  const words = new Uint32Array(2 * count);
  let context = new Uint8Array(unitsOf(keys, 0, count));
  let used = 0;
  for (let first = 0; first < count; first += AT_ONCE) {
    const end = Math.min(first + AT_ONCE, count);
    const units = unitsOf(keys, first, end);
    if (used + units > context.length) context = grown(context, used + units);
    // Any other text needs more bytes than it has units.
    const isAscii =
      encoder.encodeInto(keys.slice(first, end).join(''), context.subarray(used, used + units)).read === units;
    for (let i = first; i < end; i++) {
      const key = keys[i] as string;
      let bytes = key.length;
      if (!isAscii) {
        // Half a character has no UTF-8; its replacement would make different strings one key.
        if (HALF_A_PAIR.test(key)) throw new InvalidInputError(`'${key}' has half a surrogate pair, which is no text`);
        // UTF-8 takes at most three bytes for a unit of UTF-16.
        if (used + 3 * bytes > context.length) context = grown(context, used + 3 * bytes);
        bytes = encoder.encodeInto(key, context.subarray(used)).written;
      }
      words[2 * i] = used;
      words[2 * i + 1] = bytes;
      used += bytes;
    }
    requireBytes(used);
  }
  return { count, words, context: [context.subarray(0, used)] };
}

/** Units of UTF-16 of some strings. */
function unitsOf(keys: readonly string[], first: number, end: number): number {
  let units = 0;
  for (let i = first; i < end; i++) units += (keys[i] as string).length;
  requireBytes(units);
  return units;
}
