/**
 * `toEqual` looks at arrays as at any objects, property by property, which takes longer than to compute them. Here lists, maps and sets that are
 * equal are found so by a plain loop; about all others nothing is said, and vitest looks at them in its own way.
 */
import { expect } from 'vitest';

function areSurelyEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (Array.isArray(a) || (ArrayBuffer.isView(a) && !(a instanceof DataView))) {
    const [as, bs] = [a as ArrayLike<unknown>, b as ArrayLike<unknown>];
    if (as.length !== bs.length) return false;
    for (let i = 0; i < as.length; i++) if (!areSurelyEqual(as[i], bs[i])) return false;
    return true;
  }
  if (a instanceof Map) {
    const other = b as Map<unknown, unknown>;
    if (a.size !== other.size) return false;
    for (const [key, value] of a) if (!other.has(key) || !areSurelyEqual(value, other.get(key))) return false;
    return true;
  }
  if (a instanceof Set) {
    const other = b as Set<unknown>;
    if (a.size !== other.size) return false;
    for (const value of a) if (!other.has(value)) return false;
    return true;
  }
  return false;
}

const isDone = Symbol.for('hashnest/equalArrays');

// Workers load this file once for every file of tests, and keep what it adds.
if (!(isDone in globalThis)) {
  Object.assign(globalThis, { [isDone]: true });
  expect.addEqualityTesters([(a, b) => (typeof a === 'object' && areSurelyEqual(a, b)) || undefined]);
}
