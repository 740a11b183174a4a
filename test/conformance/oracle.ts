/** What tables must answer, by plain `Map` and `Set`, and the checks that they do. */
import type { HashMap, HashSet } from '../../src/collections/index.ts';
import type { Duplicates } from '../../src/schemes/index.ts';
import { equal, equalWords, isTrue } from './expect.ts';
import type { Key, KeyKind, Keys } from './keyKinds.ts';
import { interleave } from './keySets.ts';
import type { Items } from './tables.ts';

/** A value that no item has. */
const MISSING = 0xdead_beef;

/** The contents of a map built from these items. */
export function mapOf(keys: Keys, values: Uint32Array, duplicates: 'first' | 'last' = 'last'): Map<Key, number> {
  const map = new Map<Key, number>();
  for (const [i, key] of keys.entries()) {
    if (duplicates === 'last' || !map.has(key)) map.set(key, values[i] as number);
  }
  return map;
}

/** Throws unless the map answers like the oracle, for keys that are there, for others, and for both mixed. */
export async function answersLike(
  kind: KeyKind,
  map: HashMap<unknown, Uint32Array>,
  oracle: ReadonlyMap<Key, number>,
  absent: Keys,
  what: string,
): Promise<void> {
  equal(map.size, oracle.size, `${what}: size`);
  const present = [...oracle.keys()];
  const queries = { hits: present, misses: absent, mixed: interleave(present, absent) };
  for (const [name, keys] of Object.entries(queries)) {
    const { values, found } = await map.get(kind.host(keys), { missing: MISSING });
    const expected = keys.map((key) => oracle.get(key));
    equalWords(
      found,
      expected.map((value) => Number(value !== undefined)),
      `${what}: ${name} found`,
    );
    equalWords(
      values,
      expected.map((value) => value ?? MISSING),
      `${what}: ${name} values`,
    );
  }
  equalWords(
    await map.has(kind.host(queries.mixed)),
    queries.mixed.map((key) => Number(oracle.has(key))),
    `${what}: has`,
  );
}

/** Throws unless the set holds exactly these keys. */
export async function holdsExactly(
  kind: KeyKind,
  set: HashSet<unknown>,
  keys: Keys,
  absent: Keys,
  what: string,
): Promise<void> {
  const oracle = new Set(keys);
  equal(set.size, oracle.size, `${what}: size`);
  for (const queries of [keys, absent, interleave(keys, absent)]) {
    const expected = queries.map((key) => Number(oracle.has(key)));
    equalWords(await set.has(kind.host(queries)), expected, `${what}: has`);
  }
}

/** Throws unless keys and values are those of the oracle, in whatever order. */
export function sameEntries(
  { numbers }: KeyKind,
  entries: { readonly keys: unknown; readonly values: ArrayLike<number> },
  oracle: ReadonlyMap<Key, number>,
  what: string,
): void {
  const keys = numbers(entries.keys);
  equal(keys.length, oracle.size, `${what}: number of keys`);
  equal(entries.values.length, oracle.size, `${what}: number of values`);
  for (const [i, key] of keys.entries()) equal(entries.values[i], oracle.get(key), `${what}: value of ${key}`);
  equal(new Set(keys).size, oracle.size, `${what}: distinct keys`);
}

/** Throws unless every key has one of the values that it came with. */
async function hasSomeValue(
  kind: KeyKind,
  map: HashMap<unknown, Uint32Array>,
  { keys, values }: Items,
  what: string,
): Promise<void> {
  const legal = new Map<Key, Set<number>>();
  for (const [i, key] of keys.entries()) legal.set(key, (legal.get(key) ?? new Set()).add(values[i] as number));
  equal(map.size, legal.size, `${what}: size`);
  const got = await map.get(kind.host(keys));
  for (const [i, key] of keys.entries()) {
    equal(got.found[i], 1, `${what}: item ${i} found`);
    isTrue(!!legal.get(key)?.has(got.values[i] as number), `${what}: item ${i} has a value of its key`);
  }
}

/** Checks a map by what the policy promises. */
export async function keepsCopies(
  kind: KeyKind,
  map: HashMap<unknown, Uint32Array>,
  items: Items,
  duplicates: Duplicates,
  absent: Keys,
  what: string,
): Promise<void> {
  if (duplicates === 'first' || duplicates === 'last') {
    await answersLike(kind, map, mapOf(items.keys, items.values, duplicates), absent, what);
  } else {
    await hasSomeValue(kind, map, items, what);
  }
}
