/** Strings as UTF-8, one behind the other in one array. */
import { InvalidInputError } from '../gpu/errors.ts';
import { grown, requireBytes } from './byteSlices.ts';
import type { EncodedKeys } from './keyType.ts';

/** With the flag u, whole surrogate pairs are one character and do not match. */
const HALF_A_PAIR = /[\ud800-\udfff]/u;

const ASCII_END = 0x80;

/**
 * Most strings are ASCII, whose units are bytes. Those are copied here: a call of `TextEncoder` for each takes several times as
 * long as a loop over a few units.
 */
export function packStrings(keys: readonly string[]): EncodedKeys {
  const encoder = new TextEncoder();
  const count = keys.length;
  const words = new Uint32Array(2 * count);
  let context = new Uint8Array(unitsOf(keys));
  let used = 0;
  for (let i = 0; i < count; i++) {
    const key = keys[i] as string;
    const { length } = key;
    if (used + length > context.length) context = grown(context, used + length);
    let at = 0;
    for (let unit = 0; at < length; at++) {
      unit = key.charCodeAt(at);
      if (unit >= ASCII_END) break;
      context[used + at] = unit;
    }
    if (at < length) {
      // Half a character has no UTF-8; its replacement would make different strings one key.
      if (HALF_A_PAIR.test(key)) throw new InvalidInputError(`'${key}' has half a surrogate pair, which is no text`);
      // UTF-8 takes at most three bytes for a unit of UTF-16.
      if (used + 3 * length > context.length) context = grown(context, used + 3 * length);
      at = encoder.encodeInto(key, context.subarray(used)).written;
    }
    words[2 * i] = used;
    words[2 * i + 1] = at;
    used += at;
    requireBytes(used);
  }
  return { count, words, context: [context.subarray(0, used)] };
}

function unitsOf(keys: readonly string[]): number {
  let units = 0;
  for (let i = 0; i < keys.length; i++) units += (keys[i] as string).length;
  requireBytes(units);
  return units;
}
