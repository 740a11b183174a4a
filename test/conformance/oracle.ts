/** What tables must answer, by plain `Map` and `Set`, and the checks that they do. */
import type { HashMap, HashSet } from '../../src/collections/index.ts';
import type { Duplicates } from '../../src/schemes/index.ts';
import { equal, equalWords, isTrue } from './expect.ts';
import { interleave, type Key, type KeyKind, type Keys } from './keySets.ts';

/** A value that no item has. */
const MISSING = 0xdead_beef;

/** The contents of a map built from these items. */
export function mapOf(keys: Keys, values: Uint32Array, duplicates: 'first' | 'last' = 'last'): Map<Key, number> {
  const map = new Map<Key, number>();
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as Key;
    if (duplicates === 'last' || !map.has(key)) map.set(key, values[i] as number);
  }
  return map;
}

/** Throws unless the map answers like the oracle, for keys that are there, for others, and for both mixed. */
export async function answersLike(
  kind: KeyKind,
  map: HashMap<Keys, Uint32Array>,
  oracle: ReadonlyMap<Key, number>,
  absent: Keys,
  what: string,
): Promise<void> {
  equal(map.size, oracle.size, `${what}: size`);
  const present = kind.from([...oracle.keys()].map(BigInt));
  const queries = { hits: present, misses: absent, mixed: interleave(kind, present, absent) };
  for (const [name, keys] of Object.entries(queries)) {
    const { values, found } = await map.get(keys, { missing: MISSING });
    const expected = Array.from(keys as ArrayLike<Key>, (key) => oracle.get(key));
    equalWords(
      found,
      Uint8Array.from(expected, (value) => Number(value !== undefined)),
      `${what}: ${name} found`,
    );
    equalWords(
      values,
      Uint32Array.from(expected, (value) => value ?? MISSING),
      `${what}: ${name} values`,
    );
  }
  equalWords(
    await map.has(queries.mixed),
    Uint8Array.from(queries.mixed as ArrayLike<Key>, (key) => Number(oracle.has(key))),
    `${what}: has`,
  );
}

/** Throws unless the set holds exactly these keys. */
export async function holdsExactly(
  kind: KeyKind,
  set: HashSet<Keys>,
  keys: Keys,
  absent: Keys,
  what: string,
): Promise<void> {
  const oracle = new Set<Key>(keys as Iterable<Key>);
  equal(set.size, oracle.size, `${what}: size`);
  for (const queries of [keys, absent, interleave(kind, keys, absent)]) {
    const expected = Uint8Array.from(queries as ArrayLike<Key>, (key) => Number(oracle.has(key)));
    equalWords(await set.has(queries), expected, `${what}: has`);
  }
}

/** Throws unless keys and values are those of the oracle, in whatever order. */
export function sameEntries(
  entries: { readonly keys: Keys; readonly values: ArrayLike<number> },
  oracle: ReadonlyMap<Key, number>,
  what: string,
): void {
  equal(entries.keys.length, oracle.size, `${what}: number of keys`);
  equal(entries.values.length, oracle.size, `${what}: number of values`);
  const seen = new Set<Key>();
  for (let i = 0; i < entries.keys.length; i++) {
    const key = entries.keys[i] as Key;
    equal(entries.values[i], oracle.get(key), `${what}: value of ${key}`);
    seen.add(key);
  }
  equal(seen.size, oracle.size, `${what}: distinct keys`);
}

/** Throws unless every key has one of the values that it came with. */
export async function hasSomeValue(
  map: HashMap<Keys, Uint32Array>,
  keys: Keys,
  values: Uint32Array,
  what: string,
): Promise<void> {
  const legal = new Map<Key, Set<number>>();
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as Key;
    legal.set(key, (legal.get(key) ?? new Set()).add(values[i] as number));
  }
  equal(map.size, legal.size, `${what}: size`);
  const got = await map.get(keys);
  for (let i = 0; i < keys.length; i++) {
    equal(got.found[i], 1, `${what}: item ${i} found`);
    isTrue(!!legal.get(keys[i] as Key)?.has(got.values[i] as number), `${what}: item ${i} has a value of its key`);
  }
}

/** Checks a map or a set by what the policy promises. */
export async function keepsCopies(
  kind: KeyKind,
  map: HashMap<Keys, Uint32Array>,
  items: { readonly keys: Keys; readonly values: Uint32Array },
  duplicates: Duplicates,
  absent: Keys,
  what: string,
): Promise<void> {
  const { keys, values } = items;
  if (duplicates === 'first' || duplicates === 'last') {
    await answersLike(kind, map, mapOf(keys, values, duplicates), absent, what);
  } else {
    await hasSomeValue(map, keys, values, what);
  }
}
