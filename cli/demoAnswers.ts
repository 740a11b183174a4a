/** What plain JavaScript answers, and what a collection does, in the same form. */
import type { CollectionName } from '../bench/configurations.ts';
import { NO_ID } from '../src/collections/idSearch.ts';
import { Aggregate, type Collection, HashMap, KeyIndex, MultiMap, type ValueArray } from '../src/index.ts';
import type { DemoData, KeyList } from './demoData.ts';
import type { MapKey } from './demoKeys.ts';

export type DemoCollection = Extract<CollectionName, 'map' | 'set' | 'keyIndex' | 'multiMap' | 'aggregate'>;

/** Lists that must be the same, element by element. */
export type Answers = Readonly<Record<string, ArrayLike<unknown>>>;

/** Answers questions about the items as a collection should. */
type Oracle = (data: DemoData, values: ValueArray) => (asked: KeyList) => Answers;

export const ORACLES: Readonly<Record<DemoCollection, Oracle>> = {
  map({ items }, values) {
    const components = values.length / items.plain.length;
    const last = new Map<MapKey, number>();
    for (const [i, key] of items.plain.entries()) last.set(key, i);
    return ({ plain }) => ({
      found: flags(plain, last),
      values: Array.from({ length: plain.length * components }, (_, i) => {
        const item = last.get(plain[Math.floor(i / components)] as MapKey);
        return item === undefined ? 0 : values[item * components + (i % components)];
      }),
    });
  },
  set({ items }) {
    const known = new Set(items.plain);
    return ({ plain }) => ({ found: flags(plain, known) });
  },
  keyIndex({ key, items }) {
    const known = new Set(items.plain);
    return ({ plain }) => ({
      found: flags(plain, known),
      // Which ids there are is the collection's own affair; they must lead back to the keys.
      keysOfIds: key.arrayOf(plain.filter((one) => known.has(one))),
    });
  },
  multiMap({ items }, values) {
    const groups = new Map<MapKey, unknown[]>();
    for (const [i, key] of items.plain.entries()) {
      const group = groups.get(key);
      if (group) group.push(values[i]);
      else groups.set(key, [values[i]]);
    }
    return ({ plain }) => ({
      counts: plain.map((key) => groups.get(key)?.length ?? 0),
      values: plain.flatMap((key) => groups.get(key) ?? []),
    });
  },
  aggregate({ items }, values) {
    const greatest = new Map<MapKey, number>();
    for (const [i, key] of items.plain.entries()) {
      greatest.set(key, Math.max(greatest.get(key) ?? 0, values[i] as number));
    }
    return ({ plain }) => ({ found: flags(plain, greatest), values: plain.map((key) => greatest.get(key) ?? 0) });
  },
};

const flags = (keys: readonly MapKey[], known: { has(key: MapKey): boolean }): Uint8Array =>
  Uint8Array.from(keys, (key) => (known.has(key) ? 1 : 0));

/** The answers of a collection, by its host face. */
export async function answersOf(collection: Collection<unknown>, { keys }: KeyList): Promise<Answers> {
  if (collection instanceof HashMap || collection instanceof Aggregate) return collection.get(keys);
  if (collection instanceof KeyIndex) {
    const ids = await collection.ids(keys);
    const known = ids.filter((id) => id !== NO_ID);
    const found = Uint8Array.from(ids, (id) => (id === NO_ID ? 0 : 1));
    return { found, keysOfIds: (await collection.keysOf(known)) as ArrayLike<unknown> };
  }
  if (collection instanceof MultiMap) {
    const { values, offsets } = await collection.retrieve(keys);
    const counts = offsets.subarray(1).map((end, i) => end - (offsets[i] as number));
    return { counts, values };
  }
  return { found: await collection.has(keys) };
}

/** How the answers differ from what was expected; undefined if they do not. */
export function differenceOf(answers: Answers, expected: Answers): string | undefined {
  for (const [name, wanted] of Object.entries(expected)) {
    const got = answers[name] ?? [];
    if (got.length !== wanted.length) return `${got.length} ${name} instead of ${wanted.length}`;
    let wrong = 0;
    for (let i = 0; i < wanted.length; i++) if (got[i] !== wanted[i]) wrong++;
    if (wrong > 0) return `${wrong} of ${wanted.length} ${name} are wrong`;
  }
  return undefined;
}
