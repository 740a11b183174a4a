/** The raw buffers of a table that lives: every key is there once, in one of its two buckets, and nothing else is. */
import type { DynamicTable } from '../../src/dynamic/table.ts';
import { type HashConstants, mix } from '../../src/hashing/index.ts';
import type { KeyType } from '../../src/keys/index.ts';
import { HeaderLayout } from '../../src/schemes/contract/index.ts';
import { encodeKeys } from '../../src/table/source.ts';
import type { KeyKind, Keys } from '../conformance/keyKinds.ts';
import { choicesOf, expectSoundSubtables, subtableCount, subtablesOf } from '../oracles/dyCuckooTwin.ts';
import { expectSound, type Grid, placeTwin } from '../oracles/regionCuckooTwin.ts';

/** What is in the header of a table. */
async function headerOf({ gpu, plan, buffers }: DynamicTable) {
  const layout = HeaderLayout.of(plan.fields);
  const [header] = await gpu.run(() => {}, [{ buffer: buffers.header, bytes: layout.bytes }]);
  return layout.read(header as ArrayBuffer);
}

function hashesOf({ type, host }: KeyKind, keys: Keys, constants: HashConstants): [number, number][] {
  const encoded = encodeKeys(type, host(keys));
  return keys.map((_, i) => (type as KeyType).hashTwin?.(encoded, i, mix, constants) as [number, number]);
}

/** Expects that a table has these keys and no others; of regionCuckoo, that its class bits are exact. */
export async function expectSoundTable(table: DynamicTable, kind: KeyKind, keys: Keys): Promise<void> {
  const { plan, buffers, gpu, settings } = table;
  const { hash, own } = await headerOf(table);
  const buckets = buffers.get('buckets');
  const bytes = plan.buffers.find(({ name }) => name === 'buckets')?.bytes as number;
  const [read] = await gpu.run(() => {}, [{ buffer: buckets, bytes }]);
  const words = new Uint32Array(read as ArrayBuffer);
  const constants = hash as HashConstants;
  if (settings.scheme.name === 'dyCuckoo') return expectSoundSubtables(words, plan, constants, kind, keys);
  expectSound(words, plan.format, own as unknown as Grid, hashesOf(kind, keys, constants), kind.type.isWord);
}

/** Keys that are looked at to find a crowd. */
const CANDIDATES = 100_000;

/** So many keys, or a few less, that share both of their buckets in a table as it is now. */
export async function crowdedKeys(table: DynamicTable, kind: KeyKind, wanted: number): Promise<Keys> {
  const { plan, buffers, settings } = table;
  const { hash, own } = await headerOf(table);
  const constants = hash as HashConstants;
  const candidates = Array.from({ length: CANDIDATES }, (_, i) => BigInt(i) * 7n);
  const encoded = encodeKeys(kind.type, kind.host(candidates));
  const subtables = () => subtablesOf(subtableCount(buffers.get('buckets').size / 32, plan.fields), plan.fields);
  const placesOf = (): string[] => {
    if (settings.scheme.name === 'dyCuckoo') {
      const all = subtables();
      return candidates.map((_, i) => {
        const [one, other] = choicesOf(kind.type, encoded, i, constants, all);
        return `${one.bucket}/${other.bucket}`;
      });
    }
    return hashesOf(kind, candidates, constants).map((at) => {
      const { home, remainder } = placeTwin(at, kind.type.isWord, own as unknown as Grid);
      return `${home}/${remainder % CLASSES}`;
    });
  };
  const byPlace = new Map<string, bigint[]>();
  for (const [i, place] of placesOf().entries()) {
    byPlace.set(place, [...(byPlace.get(place) ?? []), candidates[i] as bigint]);
  }
  const crowds = [...byPlace.values()].sort((a, b) => b.length - a.length);
  return (crowds[0] as bigint[]).slice(0, wanted);
}

/** Classes of regionCuckoo's layout for tables of pairs that are not large. */
const CLASSES = 20;
